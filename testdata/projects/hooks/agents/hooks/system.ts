import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_system_message", id: "system",
  execute: async (state, text) => { await log(state, `system ${text}`); return text + " Be brief."; },
});
