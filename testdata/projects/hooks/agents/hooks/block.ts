import { defineHook } from "@standardagents/spec";
export default defineHook({
  hook: "prefilter_llm_history", id: "block",
  execute: async () => { throw Object.assign(new Error("Not in this house."), { block: true }); },
});
