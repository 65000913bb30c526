import { definePrompt } from "@standardagents/spec";
export default definePrompt({
  name: "main", toolDescription: "d", prompt: "Help.", model: "m", includeChat: true, includePastTools: true,
  tools: ["add", "fail", "forget", "edit", "ask_pair", { name: "pair", initUserMessageProperty: "task" }],
  hooks: [
    "created", "born", "system", "broken_filter", "filter", "prefilter", "before_create", "after_create",
    "before_update", "after_update", "store", "success", "failure",
  ],
});
