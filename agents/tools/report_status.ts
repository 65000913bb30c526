import { defineTool } from "@standardagents/builder";
import { z } from "zod";

// The status is published by the runtime, since agents bind sessionStatus to
// this tool; there is nothing left to do.
export default defineTool({
  description: "Says in a few words how far the work is.",
  args: z.object({
    status: z.string().min(1).max(80).describe("Such as: second draft"),
  }),
  execute: async () => ({ status: "success", result: "Noted." }),
});
