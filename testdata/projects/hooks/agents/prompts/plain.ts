import { definePrompt } from "@standardagents/spec";
export default definePrompt({ name: "plain", toolDescription: "d", prompt: "Plain.", model: "m", includeChat: true });
