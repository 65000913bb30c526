import { defineModel } from "@standardagents/builder";
import offline from "../providers/offline";

// Works without a key: a few rules in agents/providers/offline.ts instead of a model.
export default defineModel({
  name: "offline",
  provider: offline,
  model: "rules",
  inputPrice: 0,
  outputPrice: 0,
});
