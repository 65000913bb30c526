import { defineAgent } from "@standardagents/builder";

export default defineAgent({
  name: "tour",
  title: "Tour",
  description: "Shows what an agent is, by being one. Needs no key and no network.",
  type: "ai_human",
  sideA: { label: "Guide", prompt: "tour", maxSteps: 20 },
});
