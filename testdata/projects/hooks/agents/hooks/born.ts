import { defineHook } from "@standardagents/spec";
import { log } from "../../src/log";
export default defineHook({
  hook: "after_subagent_created", id: "born",
  execute: async (state, child) => {
    const parent = await state.getParentThread();
    let refused = "";
    try { await child.getValue("x"); } catch (e: any) { refused = e.message; }
    await log(state, `born ${child.agentId} ${child.execution} ${parent} ${(await state.getChildThread(child.threadId)).threadId === child.threadId} ${refused}`);
  },
});
