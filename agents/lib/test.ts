// @standardagents/builder/test: a model provider that plays a script.

import { ProviderError } from "sideb:spec";
import { tag } from "sideb:tag";

interface ToolCall { name: string; arguments?: any; id?: string }

interface Expected {
  containsMessage?: string | RegExp;
  containsToolResult?: { toolName: string; resultContains?: string };
  messageCount?: number;
  systemPromptContains?: string | RegExp;
}

/** One answer of a script. error wins over everything else. */
export interface TestResponse {
  content?: string | null;
  toolCalls?: ToolCall[];
  providerTools?: any[];
  reasoningContent?: string;
  reasoningDetails?: any[];
  finishReason?: string;
  usage?: { promptTokens?: number; completionTokens?: number; reasoningTokens?: number };
  error?: { message: string; code?: string; status?: number };
  expectInput?: Expected;
  delayMs?: number;
}

const hex8 = () => Math.floor(Math.random() * 0x100000000).toString(16).padStart(8, "0");

/** TestScript is the list of answers, one for each request. Its methods answer the script itself. */
export class TestScript {
  private responses: TestResponse[] = [];
  private streaming: { chunkSize: number; chunkDelayMs: number } | undefined;

  static create(): TestScript { return new TestScript(); }

  addResponse(response: TestResponse): this {
    const toolCalls = response.toolCalls?.map((call) => ({ ...call, id: call.id ?? `call_${hex8()}`, arguments: call.arguments ?? {} }));
    this.responses.push(toolCalls ? { ...response, toolCalls } : { ...response });
    return this;
  }
  addTextResponse(content: string, options?: TestResponse): this {
    return this.addResponse({ finishReason: "stop", ...options, content });
  }
  addToolCallResponse(toolCalls: ToolCall[], content?: string | null, options?: TestResponse): this {
    return this.addResponse({ finishReason: "tool_calls", ...options, content: content ?? null, toolCalls });
  }
  addErrorResponse(message: string, code?: string, status?: number, options?: TestResponse): this {
    return this.addResponse({ ...options, error: { message, code, status } });
  }
  addReasoningResponse(content: string, reasoning: string, options?: TestResponse): this {
    return this.addResponse({ finishReason: "stop", ...options, content, reasoningContent: reasoning });
  }
  withStreamingSimulation({ chunkSize = 10, chunkDelayMs = 0 }: { chunkSize?: number; chunkDelayMs?: number } = {}): this {
    this.streaming = { chunkSize: Math.max(1, Math.floor(chunkSize)), chunkDelayMs };
    return this;
  }

  getResponses(): TestResponse[] { return [...this.responses]; }
  getStreamingConfig() { return this.streaming; }
  get length(): number { return this.responses.length; }
  isEmpty(): boolean { return this.responses.length === 0; }
  clone(): TestScript {
    const copy = new TestScript();
    copy.responses = this.responses.map((response) => ({ ...response }));
    copy.streaming = this.streaming && { ...this.streaming };
    return copy;
  }
}

interface Options { script?: TestScript; validateInputs?: boolean; debugLog?: boolean }

const DEFAULT_TEXT = "This is a test response.";

/**
 * TestProvider answers each request with the next response of its script. Where
 * a request has a __callIndex, it answers with the response of that index
 * instead, so that every thread plays the script from its start.
 */
export class TestProvider {
  readonly specificationVersion = "1";
  declare readonly name: string;
  private script?: TestScript;
  private validateInputs = false;
  private debugLog = false;
  private index = 0;
  private log: any[] = [];

  constructor(options: Options = {}) {
    tag(this, { name: "test" });
    this.use(options);
  }

  private use({ script, validateInputs, debugLog }: Options): void {
    this.script = script;
    this.validateInputs = validateInputs === true;
    this.debugLog = debugLog === true;
  }

  supportsModel(_id: string): boolean { return true; }
  async getModels() { return [{ id: "test", name: "Test" }]; }

  async generate(request: any): Promise<any> {
    const response = await this.next(request);
    const calls = toolCalls(response);
    return {
      content: response.content ?? (calls ? null : ""),
      reasoning: response.reasoningContent,
      reasoningDetails: response.reasoningDetails,
      toolCalls: calls,
      providerTools: response.providerTools,
      finishReason: finishReason(response),
      usage: usage(request, response),
    };
  }

  async stream(request: any): Promise<AsyncIterable<any>> {
    const response = await this.next(request);
    return chunks(request, response, this.script?.getStreamingConfig());
  }

  /** next finds the response, checks what it expects, waits its delay, and throws its error. */
  private async next(request: any): Promise<TestResponse> {
    const { signal: _signal, ...logged } = request;
    this.log.push(logged);
    const at = typeof request.__callIndex === "number" ? request.__callIndex : this.index;
    this.index = at + 1;
    if (!this.script) return { content: DEFAULT_TEXT, finishReason: "stop" };
    const response = this.script.getResponses()[at];
    if (this.debugLog) console.debug(`test provider: request ${at + 1} of ${this.script.length}`, response);
    if (!response) {
      throw new ProviderError(`the test script has ${this.script.length} responses and this is request ${at + 1}`, "invalid_request");
    }
    if (this.validateInputs && response.expectInput) check(request, response.expectInput, at);
    await pause(response.delayMs, request.signal);
    if (response.error) throw new ProviderError(response.error.message, response.error.code ?? "unknown", response.error.status);
    return response;
  }

  getRequestLog(): any[] { return [...this.log]; }
  getLastRequest(): any { return this.log[this.log.length - 1]; }
  reset(): void { this.index = 0; this.log = []; }
  setScript(script: TestScript): void { this.script = script; this.reset(); }
  isScriptComplete(): boolean { return this.remainingResponses() === 0; }
  remainingResponses(): number { return Math.max(0, (this.script?.length ?? 0) - this.index); }
  getCurrentIndex(): number { return this.index; }
}

/**
 * The provider is at the same time its own factory, so that a model may name
 * what createTestProvider answers: defineModel({provider: createTestProvider(script)}).
 */
function factoryOf(options: Options): any {
  const provider = new TestProvider(options);
  const self: any = () => self;
  Object.setPrototypeOf(self, TestProvider.prototype);
  for (const key of Object.getOwnPropertyNames(provider)) {
    Object.defineProperty(self, key, Object.getOwnPropertyDescriptor(provider, key)!);
  }
  return tag(self, { __kind: "provider", __provider: "test" });
}

export const createTestProvider = (script?: TestScript, options?: Options) => factoryOf({ ...options, script });

/** test is the factory; its script may come as the model's provider options. */
export const test = tag((config?: any) => factoryOf({ ...config?.providerOptions, ...config }), { __kind: "provider", __provider: "test" });

const matches = (text: string, wanted: string | RegExp) => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text));

const textOf = (message: any): string =>
  typeof message.content === "string" ? message.content : (message.content ?? []).map((part: any) => part.text ?? "").join("");

function check(request: any, expected: Expected, at: number): void {
  const messages: any[] = request.messages ?? [];
  const refuse = (what: string) => { throw new ProviderError(`test response ${at + 1} expected ${what}`, "invalid_request"); };
  const { containsMessage, containsToolResult, messageCount, systemPromptContains } = expected;
  if (containsMessage !== undefined && !messages.some((m) => matches(textOf(m), containsMessage))) {
    refuse(`a message containing ${String(containsMessage)}`);
  }
  if (containsToolResult) {
    const results = messages.filter((m) => m.role === "tool" && m.toolName === containsToolResult.toolName);
    const text = containsToolResult.resultContains;
    if (!results.some((m) => text === undefined || textOf(m).includes(text))) {
      refuse(`a result of ${containsToolResult.toolName}` + (text === undefined ? "" : ` containing ${text}`));
    }
  }
  if (messageCount !== undefined && messages.length !== messageCount) refuse(`${messageCount} messages, not ${messages.length}`);
  if (systemPromptContains !== undefined) {
    const system = messages.filter((m) => m.role === "system").map(textOf).join("\n");
    if (!matches(system, systemPromptContains)) refuse(`a system prompt containing ${String(systemPromptContains)}`);
  }
}

function pause(ms: number | undefined, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason ?? new Error("aborted"));
  if (!ms || ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const stop = () => { clearTimeout(timer); reject(signal!.reason ?? new Error("aborted")); };
    const timer = setTimeout(() => { signal?.removeEventListener("abort", stop); resolve(); }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

const toolCalls = (response: TestResponse) => response.toolCalls?.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));

const finishReason = (response: TestResponse) => response.finishReason ?? (response.toolCalls?.length ? "tool_calls" : "stop");

const tokens = (text: string) => Math.ceil(text.length / 4);

function usage(request: any, response: TestResponse) {
  const given = response.usage ?? {};
  const spoken = (response.content ?? "") + (response.toolCalls?.length ? JSON.stringify(response.toolCalls.map((c) => c.arguments)) : "");
  const promptTokens = given.promptTokens ?? (request.messages ?? []).reduce((sum: number, m: any) => sum + tokens(textOf(m)), 0);
  const completionTokens = given.completionTokens ?? tokens(spoken);
  const reasoningTokens = given.reasoningTokens ?? (response.reasoningContent ? tokens(response.reasoningContent) : undefined);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens, ...(reasoningTokens === undefined ? {} : { reasoningTokens }) };
}

/** chunks is a response as a stream: content, reasoning, tool calls, provider tools, finish. */
async function* chunks(request: any, response: TestResponse, simulate?: { chunkSize: number; chunkDelayMs: number }): AsyncGenerator<any> {
  const content = response.content ?? "";
  const size = simulate?.chunkSize ?? Math.max(1, content.length);
  for (let at = 0; at < content.length; at += size) {
    if (at > 0) await pause(simulate?.chunkDelayMs, request.signal);
    yield { type: "content-delta", delta: content.slice(at, at + size) };
  }
  if (content) yield { type: "content-done" };
  if (response.reasoningContent) {
    yield { type: "reasoning-delta", delta: response.reasoningContent };
    yield { type: "reasoning-done" };
  }
  for (const call of toolCalls(response) ?? []) {
    yield { type: "tool-call-start", id: call.id, name: call.name };
    yield { type: "tool-call-done", id: call.id, arguments: call.arguments };
  }
  for (const tool of response.providerTools ?? []) yield { type: "provider-tool-done", tool };
  yield { type: "finish", finishReason: finishReason(response), usage: usage(request, response), reasoningDetails: response.reasoningDetails };
}
