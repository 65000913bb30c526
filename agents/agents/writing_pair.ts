import { defineAgent } from "@standardagents/builder";

// Two models in conversation: the reviewer ends it by approving a draft, whose
// text is what the parent gets.
export default defineAgent({
  name: "writing_pair",
  title: "Writing pair",
  description: "A writer and a reviewer who turn a brief into a short text.",
  type: "dual_ai",
  exposeAsTool: true,
  toolDescription: "A writer and a reviewer who turn a brief into a short text.",
  maxSessionTurns: 12,
  sideA: { label: "Writer", prompt: "writing", maxSteps: 30, sessionStatus: { name: "report_status", messageProperty: "status" } },
  sideB: { label: "Reviewer", prompt: "reviewing", maxSteps: 30, sessionStop: { name: "approve", messageProperty: "text" } },
});
