import { definePrompt } from "@standardagents/spec";
import { z } from "zod";
export default definePrompt({
  name: "draw", toolDescription: "Draws.", prompt: "You draw.", model: "draw", includeChat: true, includePastTools: true,
  requiredSchema: z.object({ task: z.string(), files: z.array(z.string()).optional() }),
  tools: ["finish", "give_up", "attach"],
});
