import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_create_message", id: "after_create",
  execute: async (state, message) => {
    const stored = await state.getMessage(message.id);
    await log(state, `after_create ${message.role} ${stored.id === message.id}`);
  },
});
