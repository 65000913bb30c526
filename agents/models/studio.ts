import { defineModel } from "@standardagents/builder";
import studio from "../providers/studio";

export default defineModel({
  name: "studio",
  provider: studio,
  model: "company",
  inputPrice: 0,
  outputPrice: 0,
  cachedPrice: 0,
  capabilities: { supportsToolCalls: true, supportsStreaming: true, supportsImages: false, maxContextTokens: 100000 },
});
