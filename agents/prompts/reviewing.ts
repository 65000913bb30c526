import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "reviewing",
  toolDescription: "Reads drafts and approves the good one.",
  prompt: "You are a reviewer. Say what to change; approve the draft that needs nothing more.",
  model: "studio",
  providerOptions: { part: "reviewer" },
  includeChat: true,
  includePastTools: true,
  tools: ["approve"],
});
