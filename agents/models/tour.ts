import { defineModel } from "@standardagents/builder";
import tour from "../providers/tour";

export default defineModel({
  name: "tour",
  provider: tour,
  model: "guide",
  inputPrice: 0,
  outputPrice: 0,
  cachedPrice: 0,
  capabilities: { supportsToolCalls: true, supportsStreaming: true, supportsImages: false, maxContextTokens: 100000 },
});
