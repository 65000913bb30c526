import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "before_store_tool_result", id: "store",
  execute: async (state, call, result) => {
    await log(state, `store ${call.function.name}`);
    return { ...result, result: result.result + " (stored)" };
  },
});
