import { defineTool } from "@standardagents/spec";
export default defineTool({ description: "Finishes.", execute: async () => ({ status: "success", result: "finished" }) });
