import { defineTool } from "@standardagents/builder";
import { z } from "zod";

export default defineTool({
  description: "Hands notes in and ends the session with them.",
  args: z.object({
    notes: z.string().min(1).describe("What was found, one fact a line"),
  }),
  execute: async () => ({ status: "success", result: "Handed in." }),
});
