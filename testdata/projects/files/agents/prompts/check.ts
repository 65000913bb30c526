import { definePrompt } from "@standardagents/spec";
export default definePrompt({ name: "check", toolDescription: "Checks.", prompt: "You check.", model: "check", includeChat: true });
