import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Tells the parent.", args: z.object({ text: z.string() }),
  execute: async (state, { text }) => { await state.notifyParent(text); return { status: "success", result: "told" }; },
});
