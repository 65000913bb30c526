import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "tour",
  toolDescription: "Guides a newcomer through agents, tools and threads.",
  prompt: [
    { type: "text", content: "You are the guide of this tour. Show, don't lecture: use a tool whenever one fits.\n\n" },
    { type: "include", prompt: "house_rules" },
  ],
  model: "tour",
  includeChat: true,
  includePastTools: true,
  tools: [
    "roll_dice",
    "word_count",
    "remember",
    "recall",
    "clock",
    "run_code",
    { name: "haiku", initUserMessageProperty: "topic" },
  ],
});
