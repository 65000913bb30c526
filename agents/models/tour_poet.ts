import { defineModel } from "@standardagents/builder";
import tour from "../providers/tour";

export default defineModel({
  name: "tour-poet",
  provider: tour,
  model: "poet",
  inputPrice: 0,
  outputPrice: 0,
  cachedPrice: 0,
  capabilities: { supportsToolCalls: false, supportsStreaming: true, supportsImages: false, maxContextTokens: 100000 },
});
