// Hooks (authoring surface §7): what each is given and gives back, in the shapes
// of the surface.

import { messageIn, messageOut } from "sideb:glue/message";

interface Shape {
  given?: (args: any[], state: any) => any;
  back?: (value: any) => any;
}

const list = (value: any, what: string): any[] => {
  if (!Array.isArray(value)) throw new TypeError(`${what} must return a list of messages`);
  return value;
};

const present = (object: any) => Object.fromEntries(Object.entries(object ?? {}).filter(([, v]) => v !== null && v !== undefined));

const shapes: Record<string, Shape> = {
  after_subagent_created: { given: async ([reference], state) => [await state.getChildThread(reference)] },
  filter_messages: {
    given: ([messages]) => [(messages ?? []).map(hookMessage)],
    back: (messages) => list(messages, "filter_messages").map(messageIn),
  },
  prefilter_llm_history: { back: (messages) => list(messages, "prefilter_llm_history") },
  before_create_message: { given: ([message]) => [hookMessage(message)], back: messageIn },
  after_create_message: { given: ([message]) => [hookMessage(message)] },
  before_update_message: { given: ([id, updates]) => [id, present(updates)], back: present },
  after_update_message: { given: ([message]) => [hookMessage(message)] },
};

// Hooks see attachments as a list, whether or not there are any.
const hookMessage = (m: any) => m && { ...messageOut(m), attachments: m.attachments ?? [] };

/** callHook answers what the hook returned; null and undefined keep their meaning. */
export async function callHook(hook: any, state: any, args: any[]): Promise<any> {
  const shape = shapes[hook.hook] ?? {};
  const given = shape.given ? await shape.given(args, state) : args;
  const value = await hook.execute(state, ...given);
  if (value === null || value === undefined || !shape.back) return value;
  return shape.back(value);
}
