// ThreadState as project code sees it (authoring surface §12): the facts that came
// with the call, and methods that ask the host.

import type { Env } from "sideb:glue/index";
import { fileMethods } from "sideb:glue/files";
import { checkJSON } from "sideb:glue/json";
import { runCode } from "sideb:glue/runcode";
import { messageList, messageOut } from "sideb:glue/message";
import { relatedState } from "sideb:glue/related";

const replace = (target: any, source: any) => {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
};

const nonEmpty = (text: unknown, what: string): string => {
  if (typeof text !== "string" || text === "") throw new TypeError(`${what} must be a non-empty string`);
  return text;
};

/** Call is what the methods of one state share. Most calls use little of it: what isn't asked for isn't read. */
class Call {
  private read: any;
  private live: any;
  private told = "";
  private shownExecution: any;

  /** facts and names are JSON text. */
  constructor(readonly facts: string, readonly allNames: string, readonly env: Env) {}

  get info(): any { return (this.read ??= JSON.parse(this.facts)); }
  get names(): { models: string[]; prompts: string[]; agents: string[] } { return JSON.parse(this.allNames); }

  get context(): any {
    if (this.live === undefined) {
      this.live = this.info.context ?? {};
      this.told = JSON.stringify(this.live);
    }
    return this.live;
  }

  get execution(): any {
    if (this.shownExecution === undefined) this.shownExecution = execution(this.info.execution, this.env);
    return this.shownExecution;
  }

  ask(method: string, args: unknown): Promise<any> { return this.env.host(method, args); }
  tell(method: string, args: unknown): void { this.env.hostSend(method, args); }

  /** changedContext is the context where it isn't what the host knows; else undefined. */
  changedContext(): any {
    if (this.live === undefined) return undefined;
    checkJSON(this.context, "state.context");
    const now = JSON.stringify(this.context);
    if (now === this.told) return undefined;
    this.told = now;
    return this.context;
  }

  /** handOver lets other project code see the context as this call has made it, and takes what the other leaves. */
  async handOver(method: string, args: any): Promise<any> {
    const answer = await this.ask(method, { ...args, context: this.changedContext() });
    replace(this.context, answer.context ?? {});
    this.told = JSON.stringify(this.context);
    return answer.value;
  }

  related(child: string): Promise<any> {
    return relatedState((method, args) => this.ask("related", { child, method, args }), Object.keys(methods));
  }

  async found(kind: string, method: string, name: string): Promise<any> {
    const def = await this.ask(method, { name });
    if (def === null || def === undefined) throw new Error(`there is no ${kind} named ${JSON.stringify(name)}`);
    return def;
  }
}

const methods: Record<string, (call: Call) => (...args: any[]) => any> = {
  getMessages: (c) => (options: any = {}) => messageList((args) => c.ask("getMessages", args), options),
  getMessage: (c) => async (id: string) => messageOut(await c.ask("getMessage", { id })),
  injectMessage: (c) => async (message: any) => messageOut(await c.ask("injectMessage", sendable(message))),
  queueMessage: (c) => async (message: any) => void (await c.ask("queueMessage", sendable(message))),
  updateMessage: (c) => async (id: string, updates: any) => {
    checkJSON(updates, "updates");
    return messageOut(await c.ask("updateMessage", { id, updates }));
  },
  deleteMessage: (c) => (id: string) => c.ask("deleteMessage", { id }),
  getLogs: (c) => (options: any = {}) => c.ask("getLogs", { limit: 100, offset: 0, ...options }),

  loadModel: (c) => (name: string) => c.found("model", "loadModel", name),
  loadPrompt: (c) => (name: string) => c.found("prompt", "loadPrompt", name),
  loadAgent: (c) => (name: string) => c.found("agent", "loadAgent", name),
  getModelNames: (c) => () => [...c.names.models],
  getPromptNames: (c) => () => [...c.names.prompts],
  getAgentNames: (c) => () => [...c.names.agents],

  env: (c) => (name: string) => c.ask("env", { name }),
  envType: (c) => (name: string) => c.ask("envType", { name }),
  setEnv: (c) => async (name: string, value: string, options: any = {}) => {
    if (typeof value !== "string") throw new TypeError(`the value of ${name} must be a string`);
    await c.ask("setEnv", { name, value, type: options?.type ?? "" });
  },

  getValue: (c) => (key: string) => c.ask("getValue", { key }),
  setValue: (c) => async (key: string, value: any) => {
    if (value !== null && value !== undefined) checkJSON(value, `the value of ${JSON.stringify(key)}`);
    await c.ask("setValue", { key, value: value ?? null });
  },

  queueTool: (c) => (name: string, args: any = {}) => {
    checkJSON(args, `the arguments of ${name}`);
    c.tell("queueTool", { name: nonEmpty(name, "a tool's name"), args });
  },
  invokeTool: (c) => async (name: string, args: any = {}) => {
    checkJSON(args, `the arguments of ${name}`);
    return c.handOver("invokeTool", { name: nonEmpty(name, "a tool's name"), args });
  },
  emit: (c) => (event: string, data?: any) => {
    if (data !== undefined) checkJSON(data, `the data of ${event}`);
    c.tell("emit", { event: nonEmpty(event, "an event's name"), data: data ?? null });
  },

  notifyParent: (c) => async (content: string) => void (await c.ask("notifyParent", { text: nonEmpty(content, "what is told to the parent") })),
  setStatus: (c) => async (status: string) => void (await c.ask("setStatus", { text: nonEmpty(status, "the status") })),
  getChildThread: (c) => (reference: string) => c.related(nonEmpty(reference, "the reference")),
  getParentThread: (c) => () => c.related(""),

  scheduleEffect: (c) => async (name: string, args: any = {}, delay = 0) => {
    checkJSON(args, `the arguments of ${name}`);
    if (!Number.isFinite(delay)) throw new TypeError(`the delay must be a number of milliseconds, not ${delay}`);
    return c.ask("scheduleEffect", { name: nonEmpty(name, "an effect's name"), args: args ?? {}, delay });
  },
  getScheduledEffects: (c) => (name = "") => c.ask("getScheduledEffects", { name }),
  removeScheduledEffect: (c) => (id: string) => c.ask("removeScheduledEffect", { id }),

  ...fileMethods,

  runCode: (c) => (source: string, options?: any) => runCode(c, source, options),
  runAgent: (c) => async (agent: string) => void (await c.ask("runAgent", { agent })),
  terminate: (c) => async () => void (await c.ask("terminate", {})),
};

const callOf = Symbol("call");

// Every call has a state of its own, and most use one or two of its members: a
// method is bound to its call, and a fact read, when it is first asked for.
const prototype: any = {};

function member(name: string, make: (call: Call) => any) {
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: any) {
      const value = make(this[callOf]);
      Object.defineProperty(this, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
  });
}

for (const name of Object.keys(methods)) member(name, methods[name]);
for (const name of ["threadId", "agentId", "createdAt"]) member(name, (c) => c.info[name]);
for (const name of ["userId", "terminated"]) member(name, (c) => c.info[name] ?? null);
member("children", (c) => c.info.children ?? []);
member("arguments", (c) => c.info.arguments ?? {});
member("execution", (c) => c.execution);
prototype._notPackableRuntimeContext = undefined;
// Assigning to state.context replaces what is in it, so that a reference that was
// taken before stays the live object.
Object.defineProperty(prototype, "context", {
  configurable: true,
  enumerable: true,
  get(this: any) { return this[callOf].context; },
  set(this: any, value: any) { replace(this[callOf].context, value ?? {}); },
});

/** threadState makes the state of one call. */
export function threadState(facts: string, names: string, env: Env) {
  const call = new Call(facts, names, env);
  const state: any = Object.create(prototype);
  Object.defineProperty(state, callOf, { value: call });
  return { state, call };
}

function sendable(message: any) {
  checkJSON(message, "the message");
  return message;
}

// messageHistory is a property, so it can't wait for the host: the messages come
// with the call where some file of the project mentions it.
function execution(info: any, env: Env): any {
  if (!info) return null;
  return {
    ...info,
    messageHistory: (info.messageHistory ?? []).map(messageOut),
    abortSignal: env.signal,
    forceTurn: (side: string) => {
      if (side !== "a" && side !== "b") throw new TypeError(`forceTurn takes 'a' or 'b', not ${JSON.stringify(side)}`);
      env.hostSend("forceTurn", { side });
    },
    stop: () => env.hostSend("stop", {}),
  };
}
