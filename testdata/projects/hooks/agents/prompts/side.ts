import { definePrompt } from "@standardagents/spec";
export default definePrompt({ name: "side", toolDescription: "d", prompt: "Talk.", model: "side", includeChat: true, tools: ["finish"] });
