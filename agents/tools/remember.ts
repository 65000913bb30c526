import { defineTool } from "@standardagents/builder";
import { z } from "zod";

const MAX_NOTES = 50;

// The key-value store belongs to the thread: it survives a restart, and no other
// thread sees it.
export default defineTool({
  description: "Keeps a note in this thread, until it is recalled. The oldest goes when there are more than 50.",
  args: z.object({
    note: z.string().trim().min(1).max(500).describe("What to remember, up to 500 characters"),
  }),
  execute: async (state, { note }) => {
    const notes = (await state.getValue("notes")) ?? [];
    const kept = [...notes.filter((old) => old !== note), note].slice(-MAX_NOTES);
    await state.setValue("notes", kept);
    return { status: "success", result: JSON.stringify({ kept: note, notes: kept.length }) };
  },
});
