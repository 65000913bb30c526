// Answers in the shapes of a provider: whole, and as a stream.

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** What a scripted model says. pause: milliseconds before a stream's first piece; pace: between its pieces; 0 when absent. */
export interface Answer {
  text: string;
  reasoning?: string;
  calls?: Call[];
  pause?: number;
  pace?: number;
}

const tokens = (text: string) => Math.ceil(text.length / 4);

function usage(request: any, { text, reasoning = "", calls = [] }: Answer) {
  const promptTokens = tokens(JSON.stringify(request.messages ?? []));
  const reasoningTokens = tokens(reasoning);
  const completionTokens = tokens(text) + tokens(calls.length ? JSON.stringify(calls) : "") + reasoningTokens;
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, reasoningTokens };
}

/** withIds numbers the calls so that no two in a thread share an id. */
function withIds(request: any, calls: Call[] = []) {
  const turn = request.__callIndex ?? request.messages?.length ?? 0;
  return calls.map((call, i) => ({ id: `tour_${turn}_${i}`, ...call }));
}

const finishReason = (answer: Answer) => (answer.calls?.length ? "tool_calls" : "stop");

export function respond(request: any, answer: Answer) {
  const toolCalls = withIds(request, answer.calls);
  return {
    content: answer.text || null,
    reasoning: answer.reasoning,
    toolCalls: toolCalls.length ? toolCalls : undefined,
    finishReason: finishReason(answer),
    usage: usage(request, answer),
  };
}

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(signal!.reason); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve(); }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** pieces cuts a text after its spaces and line ends: a few words at a time, single words where the pace is slow. */
function pieces(text: string, pace: number): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? [];
  const size = pace > 0 ? 1 : 8;
  const out: string[] = [];
  for (let i = 0; i < words.length; i += size) out.push(words.slice(i, i + size).join(""));
  return out;
}

export async function* stream(request: any, answer: Answer): AsyncGenerator<any> {
  const pace = answer.pace ?? 0;
  if (answer.pause) await wait(answer.pause, request.signal);
  if (answer.reasoning) {
    yield { type: "reasoning-delta", delta: answer.reasoning };
    yield { type: "reasoning-done" };
  }
  for (const delta of pieces(answer.text, pace)) {
    yield { type: "content-delta", delta };
    if (pace > 0) await wait(pace, request.signal);
  }
  if (answer.text) yield { type: "content-done" };
  for (const call of withIds(request, answer.calls)) {
    yield { type: "tool-call-start", id: call.id, name: call.name };
    yield { type: "tool-call-done", id: call.id, arguments: call.arguments };
  }
  yield { type: "finish", finishReason: finishReason(answer), usage: usage(request, answer) };
}
