import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "slow", sideA: { prompt: "plain" }, hooks: ["slow"] });
