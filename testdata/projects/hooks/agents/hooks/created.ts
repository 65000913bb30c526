import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_thread_created", id: "created",
  execute: async (state) => log(state, `created ${state.execution}`),
});
