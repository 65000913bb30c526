import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "filter_messages", id: "filter",
  execute: async (state, messages) => {
    const shapes = messages.map((m: any) => `${m.role}:${m.tool_calls === null ? "-" : typeof m.tool_calls}:${Array.isArray(m.attachments)}`);
    await log(state, `filter ${shapes.join(" ")}`);
    return [...messages.filter((m: any) => m.content !== "edited!"), { ...messages[0], id: "extra", content: "from the filter" }];
  },
});
