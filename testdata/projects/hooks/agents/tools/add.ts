import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Adds.", args: z.object({ a: z.number(), b: z.number() }),
  execute: async (_state, { a, b }) => ({ status: "success", result: String(a + b) }),
});
