import { definePrompt } from "@standardagents/builder";

// One entry of each kind of subagent: fact_checker runs beside this thread and
// reports by a message, researcher is waited for, and the pair stays, so that it
// can be sent another wish.
export default definePrompt({
  name: "editing",
  toolDescription: "Has a text researched, written and checked.",
  prompt: "You are the editor of a studio. Have facts found, a text written and reviewed, and hand it over with what was found.",
  model: "studio",
  providerOptions: { part: "editor" },
  includeChat: true,
  includePastTools: true,
  tools: [
    { name: "fact_checker", blocking: false, initUserMessageProperty: "question", initAgentNameProperty: "topic" },
    { name: "researcher", blocking: true, initUserMessageProperty: "question", initAgentNameProperty: "topic" },
    { name: "writing_pair", blocking: true, resumable: { receives_messages: "side_a", maxInstances: 20, parentCommunication: "implicit" } },
  ],
});
