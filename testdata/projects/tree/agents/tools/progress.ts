import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({ description: "progress", args: z.object({ text: z.string() }), execute: async () => ({ status: "success", result: "noted" }) });
