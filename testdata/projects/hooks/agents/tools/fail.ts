import { defineTool } from "@standardagents/spec";
export default defineTool({ description: "Fails.", execute: async () => { throw new Error("broken"); } });
