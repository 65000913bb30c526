import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_tool_call_failure", id: "failure",
  execute: async (state, call, result) => {
    await log(state, `failure ${call.function.name} ${result.error}`);
    return { status: "success", result: "recovered" };
  },
});
