import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Asks the pair.",
  execute: async (state) => state.invokeTool("pair", { task: "talk" }),
});
