import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Reads the token.",
  execute: async (state) => ({ status: "success", result: `${(await state.env("TOKEN")).length} characters of type ${await state.envType("TOKEN")}` }),
});
