import { defineAgent } from "@standardagents/builder";

export default defineAgent({
  name: "studio",
  title: "Studio",
  description: "Has a text written by agents of its own, so that a tree of threads can be watched. Needs no key and no network.",
  type: "ai_human",
  sideA: { label: "Editor", prompt: "editing", maxSteps: 20 },
});
