import { definePrompt } from "@standardagents/spec";
export default definePrompt({ name: "partner", toolDescription: "d", prompt: "You check.", model: "partner", includeChat: true });
