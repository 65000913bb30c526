import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_tool_call_success", id: "success",
  execute: async (state, call, result) => {
    await log(state, `success ${call.type} ${call.function.name} ${typeof call.function.arguments} ${result.status}`);
    if (call.function.name === "forget") return null;
    if (call.function.name === "add") return { status: "success", result: result.result + " (checked)" };
  },
});
