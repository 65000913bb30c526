import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Sets the status.", args: z.object({ text: z.string() }),
  execute: async (state, { text }) => { await state.setStatus(text); return { status: "success", result: "set" }; },
});
