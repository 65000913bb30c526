import { defineEffect } from "@standardagents/spec";
import { z } from "zod";
export default defineEffect("Reminds.", z.object({ text: z.string() }), async (state, { text }) => {
  await state.queueMessage({ role: "user", content: `reminder: ${text} ${state.execution}` });
});
