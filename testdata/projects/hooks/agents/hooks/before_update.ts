import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "before_update_message", id: "before_update",
  execute: async (state, id, updates) => {
    await log(state, `before_update ${typeof id} ${Object.keys(updates).sort()}`);
    return { ...updates, content: updates.content + "!" };
  },
});
