import { definePrompt } from "@standardagents/builder";
import { z } from "zod";

export default definePrompt({
  name: "researching",
  toolDescription: "Finds out a few facts about a topic.",
  prompt: "You are a researcher. Ask the librarian, then hand in your notes.",
  model: "studio",
  providerOptions: { part: "researcher" },
  includeChat: true,
  includePastTools: true,
  requiredSchema: z.object({
    topic: z.string().min(1).describe("The topic in a few words"),
    question: z.string().min(1).describe("What to find out"),
  }),
  tools: ["report_status", "hand_in"],
});
