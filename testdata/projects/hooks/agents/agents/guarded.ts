import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "guarded", sideA: { prompt: "plain" }, hooks: ["block"] });
