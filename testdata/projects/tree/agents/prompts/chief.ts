import { definePrompt } from "@standardagents/spec";
export default definePrompt({
  name: "chief", toolDescription: "Leads.", prompt: "You lead.", model: "chief", includeChat: true, includePastTools: true,
  tools: [
    { name: "runner", blocking: false, initUserMessageProperty: "task", initAgentNameProperty: "who" },
    { name: "asker", blocking: true },
    { name: "keeper", blocking: false, resumable: { receives_messages: "side_a", maxInstances: 1, parentCommunication: "explicit" } },
    { name: "adviser", blocking: true, resumable: { receives_messages: "side_a" } },
    { name: "failing", blocking: true },
    { name: "vault", blocking: false },
    { name: "greeter", blocking: true, optional: "GREETINGS" },
    "later", "ask", "dismiss", "family",
  ],
});
