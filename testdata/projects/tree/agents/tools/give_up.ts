import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({ description: "give_up", args: z.object({ reason: z.string() }), execute: async () => ({ status: "success", result: "noted" }) });
