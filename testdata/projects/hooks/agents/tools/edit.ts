import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Adds a message and edits it.",
  execute: async (state) => {
    const m = await state.injectMessage({ role: "user", content: "draft", silent: true });
    const after = await state.updateMessage(m.id, { content: "edited", metadata: { edits: 1 } });
    const refused = await state.injectMessage({ role: "user", content: "forbidden" }).catch((e: any) => e.message);
    return { status: "success", result: `${after.content}; ${/no forbidden words/.test(refused)}` };
  },
});
