import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Ends the work.",
  args: z.object({ summary: z.string(), files: z.union([z.string(), z.array(z.string())]).optional() }),
  execute: async () => "ended",
});
