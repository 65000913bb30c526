import { defineTool } from "@standardagents/spec";
export default defineTool({ description: "Is forgotten.", execute: async () => ({ status: "success", result: "never seen" }) });
