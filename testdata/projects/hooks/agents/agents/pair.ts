import { defineAgent } from "@standardagents/spec";
export default defineAgent({
  name: "pair", type: "dual_ai", exposeAsTool: true, toolDescription: "Two that talk.", maxSessionTurns: 2,
  sideA: { prompt: "side", sessionStop: { name: "finish", messageProperty: "answer" } },
  sideB: { prompt: "side" },
});
