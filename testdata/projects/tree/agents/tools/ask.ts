import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Asks the asker.",
  execute: async (state) => {
    const answer = await state.invokeTool("asker", { question: "how many?" });
    return { status: "success", result: `the asker says ${answer.result}` };
  },
});
