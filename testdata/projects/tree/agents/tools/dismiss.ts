import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Ends all children.",
  execute: async (state) => {
    const ended = [];
    for (const { reference } of state.children) {
      const child = await state.getChildThread(reference);
      await child.terminate();
      ended.push((await state.getChildThread(reference)).terminated > 0, await child.queueMessage({ role: "user", content: "late" }).catch((e: any) => e.code));
    }
    return { status: "success", result: ended.join() };
  },
});
