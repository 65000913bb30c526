import { defineAgent } from "@standardagents/builder";

export default defineAgent({
  name: "fact_checker",
  title: "Fact checker",
  description: "Asks a librarian whether a topic is safe to print.",
  type: "dual_ai",
  exposeAsTool: true,
  toolDescription: "Asks a librarian whether a topic is safe to print.",
  maxSessionTurns: 8,
  sideA: { label: "Fact checker", prompt: "checking", sessionStop: { name: "hand_in", messageProperty: "notes" } },
  sideB: { label: "Librarian", prompt: "library" },
});
