import { defineModel } from "@standardagents/builder";
import { openai } from "@standardagents/openai";

// Needs OPENAI_API_KEY. With OPENAI_BASE_URL it talks to any compatible server.
export default defineModel({
  name: "gpt",
  provider: openai,
  model: "gpt-4o-mini",
  inputPrice: 0.15, // USD per million tokens
  outputPrice: 0.6,
  capabilities: { supportsImages: true, supportsToolCalls: true, supportsStreaming: true },
});
