import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "before_create_message", id: "before_create",
  execute: async (state, message) => {
    if (message.content === "forbidden") throw new Error("no forbidden words");
    await log(state, `before_create ${message.role} ${typeof message.tool_calls}`);
    return { ...message, content: message.content === "hi" ? "HI" : message.content, metadata: { ...message.metadata, seen: true } };
  },
});
