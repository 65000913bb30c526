import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "house_rules",
  toolDescription: "Rules that the prompts of the tour share.",
  prompt: "House rules: answer in short markdown. Say what a tool answered; never invent it. Offer the next thing to try.",
  model: "tour",
});
