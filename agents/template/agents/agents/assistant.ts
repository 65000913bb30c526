import { defineAgent } from "@standardagents/builder";

// Side A is played by the model of this prompt; side B is you.
export default defineAgent({
  name: "assistant",
  title: "Assistant",
  description: "Answers questions and counts words.",
  type: "ai_human",
  sideA: { label: "Assistant", prompt: "assistant", maxSteps: 20 },
});
