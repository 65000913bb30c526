import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Looks at the related threads.",
  execute: async (state) => {
    const child = await state.getChildThread(state.children[0].reference);
    await child.setEnv("COLOUR", "blue", { type: "text" });
    await child.queueMessage({ role: "user", content: "from the parent's tool" });
    const { messages } = await child.getMessages({ includeSilent: true });
    const found = await child.getMessage(messages[0].id);
    const seen = [child.agentId, found.content, await state.getChildThread("nobody"), await state.getParentThread(), await state.getChildThread(state.threadId)];
    return { status: "success", result: JSON.stringify(seen) };
  },
});
