// A model whose provider is JavaScript: one request, its stream folded into a
// whole answer while the pieces are told to the host.

import type { Env } from "sideb:glue/index";

interface ModelCall {
  file: string;
  config: any;
  request: any;
}

// One provider instance for each model definition and configuration: a provider
// may keep connections or counters of its own.
const opened = new Map<any, Map<string, any>>();

function open(model: any, make: any, config: any): any {
  let byConfig = opened.get(model);
  if (!byConfig) opened.set(model, (byConfig = new Map()));
  const key = JSON.stringify(config);
  let provider = byConfig.get(key);
  if (!provider) {
    provider = typeof make === "function" ? make({ ...config, providerOptions: model.providerOptions }) : make;
    byConfig.set(key, provider);
  }
  return provider;
}

export async function callProvider(model: any, factory: any, call: ModelCall, env: Env): Promise<any> {
  const answer: any = { content: "", reasoning: "", toolCalls: [], images: [], finishReason: "" };
  try {
    const provider = await open(model, factory, call.config);
    const request = { ...call.request, signal: env.signal };
    if (typeof provider.stream === "function") {
      await fold(await provider.stream(request), answer, env);
    } else {
      whole(await provider.generate(request), answer, env);
    }
    return { answer };
  } catch (e: any) {
    return { answer, error: failure(e) };
  }
}

function whole(response: any, answer: any, env: Env) {
  Object.assign(answer, response, { content: response.content ?? "", reasoning: response.reasoning ?? "" });
  if (answer.reasoning) env.hostSend("delta", { kind: "reasoning", text: answer.reasoning });
  if (answer.content) env.hostSend("delta", { kind: "text", text: answer.content });
  for (const call of answer.toolCalls ?? []) env.hostSend("delta", { kind: "tool_call", name: call.name });
}

async function fold(chunks: AsyncIterable<any>, answer: any, env: Env) {
  const calls = new Map<string, any>();
  for await (const chunk of chunks) {
    if (env.signal.aborted) throw env.signal.reason ?? new Error("aborted");
    add(chunk, answer, calls, env);
  }
  answer.toolCalls = [...calls.values()].map(finishedCall);
}

function add(chunk: any, answer: any, calls: Map<string, any>, env: Env): void {
  switch (chunk.type) {
    case "content-delta":
      answer.content += chunk.delta;
      env.hostSend("delta", { kind: "text", text: chunk.delta });
      return;
    case "reasoning-delta":
      answer.reasoning += chunk.delta;
      env.hostSend("delta", { kind: "reasoning", text: chunk.delta });
      return;
    case "tool-call-start":
      calls.set(chunk.id, { id: chunk.id, name: chunk.name, text: "", extraContent: chunk.extraContent });
      env.hostSend("delta", { kind: "tool_call", name: chunk.name });
      return;
    case "tool-call-delta":
      if (calls.has(chunk.id)) calls.get(chunk.id).text += chunk.argumentsDelta;
      return;
    case "tool-call-done": {
      const call = calls.get(chunk.id) ?? { id: chunk.id, name: chunk.name ?? "", text: "" };
      call.arguments = chunk.arguments;
      if (chunk.extraContent !== undefined) call.extraContent = chunk.extraContent;
      calls.set(chunk.id, call);
      return;
    }
    case "image-done":
      answer.images.push(chunk.image);
      return;
    case "finish":
      answer.finishReason = chunk.finishReason;
      answer.usage = chunk.usage;
      answer.reasoningDetails = chunk.reasoningDetails;
      answer.responseId = chunk.responseId;
      return;
    case "error":
      throw Object.assign(new Error(chunk.error), { code: chunk.code });
  }
}

const finishedCall = ({ text, ...call }: any) => ({ ...call, arguments: call.arguments ?? (text === "" ? {} : text) });

function failure(e: any) {
  return {
    name: String(e?.name ?? ""),
    message: String(e?.message ?? e),
    code: e?.code === undefined ? "" : String(e.code),
    status: Number(e?.httpStatus ?? e?.status ?? 0) || 0,
    retryAfter: Number(e?.retryAfter ?? 0) || 0,
    stack: String(e?.stack ?? ""),
  };
}
