import { definePrompt } from "@standardagents/builder";
import { z } from "zod";

export default definePrompt({
  name: "checking",
  toolDescription: "Checks whether something is safe to print.",
  prompt: "You check facts. Ask the librarian, then hand in what you found.",
  model: "studio",
  providerOptions: { part: "checker" },
  includeChat: true,
  includePastTools: true,
  requiredSchema: z.object({
    topic: z.string().min(1).describe("The topic in a few words"),
    question: z.string().min(1).describe("What to check"),
  }),
  tools: ["hand_in"],
});
