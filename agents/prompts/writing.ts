import { definePrompt } from "@standardagents/builder";

export default definePrompt({
  name: "writing",
  toolDescription: "Writes a short text and improves it.",
  prompt: "You are a writer. Say with report_status which draft you are at, then write it. Take the reviewer's word.",
  model: "studio",
  providerOptions: { part: "writer" },
  includeChat: true,
  includePastTools: true,
  tools: ["report_status"],
});
