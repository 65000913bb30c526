import { defineTool } from "@standardagents/builder";

export default defineTool({
  description: "Lists the notes that this thread keeps, oldest first.",
  execute: async (state) => {
    const notes = (await state.getValue("notes")) ?? [];
    return { status: "success", result: JSON.stringify({ notes }) };
  },
});
