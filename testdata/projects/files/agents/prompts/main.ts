import { definePrompt } from "@standardagents/spec";
export default definePrompt({
  name: "main", toolDescription: "Leads.", prompt: "You lead.", model: "main", includeChat: true, includePastTools: true, recentImageThreshold: 3,
  tools: [
    "exercise", "helpers", "attach", "broken", "forms",
    { name: "artist", initUserMessageProperty: "task", initAttachmentsProperty: "files" },
    { name: "studio", blocking: false, resumable: { receives_messages: "side_a" } },
  ],
});
