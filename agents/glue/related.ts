// A related thread (the parent, or a direct child) as project code sees it: who
// it is and what concerns both. What is a thread's own, such as its key-value
// store, stays its own (runtime §14.1).

import { checkJSON } from "sideb:glue/json";
import { messageList, messageOut } from "sideb:glue/message";

type Ask = (method: string, args: unknown) => Promise<any>;

/** relatedState is null where there is no such thread. names are the methods of a thread's own state. */
export async function relatedState(ask: Ask, names: string[]): Promise<any> {
  const info = await ask("", {});
  if (!info) return null;
  const state: any = {
    threadId: info.threadId,
    agentId: info.agentId,
    userId: info.userId ?? null,
    createdAt: info.createdAt,
    terminated: info.terminated ?? null,
    children: info.children ?? [],
    arguments: info.arguments ?? {},
    context: {},
    execution: null,
    _notPackableRuntimeContext: undefined,
    getMessages: (options: any = {}) => messageList((args) => ask("getMessages", args), options),
    getMessage: async (id: string) => messageOut(await ask("getMessage", { id })),
    queueMessage: async (message: any) => {
      checkJSON(message, "the message");
      await ask("queueMessage", message);
    },
    setEnv: async (name: string, value: string, options: any = {}) => {
      if (typeof value !== "string") throw new TypeError(`the value of ${name} must be a string`);
      await ask("setEnv", { name, value, type: options?.type ?? "" });
    },
    terminate: async () => void (await ask("terminate", {})),
  };
  const has = Object.keys(state).filter((key) => typeof state[key] === "function");
  for (const name of names) {
    state[name] ??= () => {
      throw new Error(`${name} can't be called on a parent or child thread: there are ${has.join(", ")}`);
    };
  }
  return state;
}
