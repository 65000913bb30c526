// ThreadState as project code sees it (authoring surface §12): the facts that came
// with the call, and methods that ask the host.

import type { Env } from "sideb:glue/index";
import { checkJSON } from "sideb:glue/json";

export interface CallState {
  info: any;
  names: { models: string[]; prompts: string[]; agents: string[] };
}

const replace = (target: any, source: any) => {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
};

const nonEmpty = (text: unknown, what: string): string => {
  if (typeof text !== "string" || text === "") throw new TypeError(`${what} must be a non-empty string`);
  return text;
};

/** messageOut is a message in the shape of the surface: stored tool calls are JSON text, absent values null. */
export const messageOut = (m: any): any =>
  m && {
    ...m,
    name: m.name ?? null,
    tool_calls: m.tool_calls ? JSON.stringify(m.tool_calls) : null,
    tool_call_id: m.tool_call_id ?? null,
    parent_id: m.parent_id ?? null,
    silent: m.silent ?? false,
    metadata: m.metadata ?? null,
    attachments: m.attachments ?? null,
  };

export function threadState(call: CallState, env: Env) {
  const { info, names } = call;
  const context: any = info.context ?? {};
  let told = JSON.stringify(context);

  const changedContext = (): any => {
    checkJSON(context, "state.context");
    const now = JSON.stringify(context);
    if (now === told) return undefined;
    told = now;
    return context;
  };

  // handOver lets other project code see the context that this call has made,
  // and this call the context that the other leaves.
  const handOver = async (method: string, args: any) => {
    const answer = await env.host(method, { ...args, context: changedContext() });
    replace(context, answer.context ?? {});
    told = JSON.stringify(context);
    return answer.value;
  };

  const found = async (kind: string, method: string, name: string) => {
    const def = await env.host(method, { name });
    if (def === null || def === undefined) throw new Error(`there is no ${kind} named ${JSON.stringify(name)}`);
    return def;
  };

  const state: any = {
    threadId: info.threadId,
    agentId: info.agentId,
    userId: info.userId ?? null,
    createdAt: info.createdAt,
    terminated: info.terminated ?? null,
    children: info.children ?? [],
    arguments: info.arguments ?? {},
    execution: execution(info.execution, env),
    _notPackableRuntimeContext: undefined,

    getMessages: async (options: any = {}) => {
      const list = await env.host("getMessages", { limit: 100, offset: 0, includeSilent: false, maxDepth: 0, ...options });
      return { ...list, messages: (list.messages ?? []).map(messageOut) };
    },
    getMessage: async (id: string) => messageOut(await env.host("getMessage", { id })),
    injectMessage: async (message: any) => messageOut(await env.host("injectMessage", sendable(message))),
    queueMessage: async (message: any) => void (await env.host("queueMessage", sendable(message))),
    updateMessage: async (id: string, updates: any) => {
      checkJSON(updates, "updates");
      return messageOut(await env.host("updateMessage", { id, updates }));
    },
    deleteMessage: (id: string) => env.host("deleteMessage", { id }),
    getLogs: (options: any = {}) => env.host("getLogs", { limit: 100, offset: 0, ...options }),

    loadModel: (name: string) => found("model", "loadModel", name),
    loadPrompt: (name: string) => found("prompt", "loadPrompt", name),
    loadAgent: (name: string) => found("agent", "loadAgent", name),
    getModelNames: () => [...names.models],
    getPromptNames: () => [...names.prompts],
    getAgentNames: () => [...names.agents],

    env: (name: string) => env.host("env", { name }),
    envType: (name: string) => env.host("envType", { name }),
    setEnv: async (name: string, value: string, options: any = {}) => {
      if (typeof value !== "string") throw new TypeError(`the value of ${name} must be a string`);
      await env.host("setEnv", { name, value, type: options?.type ?? "" });
    },

    getValue: (key: string) => env.host("getValue", { key }),
    setValue: async (key: string, value: any) => {
      if (value !== null && value !== undefined) checkJSON(value, `the value of ${JSON.stringify(key)}`);
      await env.host("setValue", { key, value: value ?? null });
    },

    queueTool: (name: string, args: any = {}) => {
      checkJSON(args, `the arguments of ${name}`);
      env.hostSend("queueTool", { name: nonEmpty(name, "a tool's name"), args });
    },
    invokeTool: async (name: string, args: any = {}) => {
      checkJSON(args, `the arguments of ${name}`);
      return handOver("invokeTool", { name: nonEmpty(name, "a tool's name"), args });
    },
    emit: (event: string, data?: any) => {
      if (data !== undefined) checkJSON(data, `the data of ${event}`);
      env.hostSend("emit", { event: nonEmpty(event, "an event's name"), data: data ?? null });
    },
    runAgent: async (agent: string) => void (await env.host("runAgent", { agent })),
    terminate: async () => void (await env.host("terminate", {})),
  };
  // Assigning to state.context replaces what is in it, so that a reference that
  // was taken before stays the live object.
  Object.defineProperty(state, "context", {
    enumerable: true,
    get: () => context,
    set: (value: any) => replace(context, value ?? {}),
  });
  return { state, changedContext };
}

function sendable(message: any) {
  checkJSON(message, "the message");
  return message;
}

// messageHistory is a property, so it can't wait for the host: it is an array
// that load() fills; code that needs it complete awaits state.getMessages.
function execution(info: any, env: Env): any {
  if (!info) return null;
  return {
    ...info,
    messageHistory: (info.messageHistory ?? []).map(messageOut),
    abortSignal: env.signal,
    forceTurn: (side: string) => {
      if (side !== "a" && side !== "b") throw new TypeError(`forceTurn takes 'a' or 'b', not ${JSON.stringify(side)}`);
      info.currentSide = side;
      env.hostSend("forceTurn", { side });
    },
    stop: () => env.hostSend("stop", {}),
  };
}
