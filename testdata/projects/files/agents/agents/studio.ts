import { defineAgent } from "@standardagents/spec";
export default defineAgent({
  name: "studio", type: "dual_ai", exposeAsTool: true, toolDescription: "Draws for long.", maxSessionTurns: 5,
  sideA: {
    prompt: "draw",
    sessionStop: { name: "finish", messageProperty: "summary", attachmentsProperty: "files" },
    sessionFail: { name: "give_up", messageProperty: "summary", attachmentsProperty: "files" },
  },
  sideB: { prompt: "check" },
});
