import { defineTool } from "@standardagents/builder";
import { z } from "zod";

export default defineTool({
  description: "Approves a draft and ends the session with it.",
  args: z.object({
    text: z.string().min(1).describe("The approved text, whole"),
  }),
  execute: async () => ({ status: "success", result: "Approved." }),
});
