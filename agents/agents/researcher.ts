import { defineAgent } from "@standardagents/builder";

export default defineAgent({
  name: "researcher",
  title: "Researcher",
  description: "Finds out a few facts about a topic, with the help of a librarian.",
  type: "dual_ai",
  exposeAsTool: true,
  toolDescription: "Finds out a few facts about a topic, with the help of a librarian.",
  maxSessionTurns: 8,
  sideA: {
    label: "Researcher",
    prompt: "researching",
    sessionStop: { name: "hand_in", messageProperty: "notes" },
    sessionStatus: { name: "report_status", messageProperty: "status" },
  },
  sideB: { label: "Librarian", prompt: "library" },
});
