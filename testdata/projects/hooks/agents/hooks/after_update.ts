import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_update_message", id: "after_update",
  execute: async (state, message) => log(state, `after_update ${message.content} ${JSON.stringify(message.metadata)}`),
});
