import { definePrompt } from "@standardagents/builder";
import { z } from "zod";

// A prompt that another prompt lists among its tools is a sub-prompt: one model
// request of its own, whose text is the tool's result.
export default definePrompt({
  name: "haiku",
  toolDescription: "Writes a haiku about a topic.",
  prompt: "You are a poet. Answer with one haiku about the topic you are given, and nothing else.",
  model: "tour-poet",
  requiredSchema: z.object({
    topic: z.string().min(1).describe("What the haiku is about, in a few words"),
  }),
});
