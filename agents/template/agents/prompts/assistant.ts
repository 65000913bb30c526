import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "assistant",
  toolDescription: "Answers a question.",
  prompt: [
    "You are a helpful assistant in a terminal. Answer briefly, in markdown.",
    "Use word_count whenever someone asks how long a text is.",
  ].join("\n"),
  model: "offline", // "gpt" talks to OpenAI: see agents/models/gpt.ts
  includeChat: true,
  includePastTools: true,
  tools: ["word_count"],
});
