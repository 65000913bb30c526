import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "prefilter_llm_history", id: "prefilter",
  execute: async (state, messages) => {
    const calls = messages.flatMap((m: any) => m.toolCalls ?? []).map((c: any) => `${c.name} ${JSON.stringify(c.arguments)}`);
    await log(state, `prefilter ${messages.map((m: any) => m.role).join(" ")} ${calls.join(" ")}`.trim());
    return [...messages, { role: "user", content: "from the prefilter" }];
  },
});
