import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "library",
  toolDescription: "Answers from the shelves.",
  prompt: "You are a librarian. Answer from what is on the shelves.",
  model: "studio",
  providerOptions: { part: "librarian" },
  includeChat: true,
});
