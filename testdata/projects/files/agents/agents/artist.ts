import { defineAgent } from "@standardagents/spec";
export default defineAgent({
  name: "artist", type: "dual_ai", exposeAsTool: true, toolDescription: "Draws.", maxSessionTurns: 5,
  sideA: { prompt: "draw", sessionStop: { name: "finish", messageProperty: "summary", attachmentsProperty: "files" } },
  sideB: { prompt: "check" },
});
