import { definePrompt } from "@standardagents/spec";
export default definePrompt({
  name: "host", toolDescription: "Receives.", prompt: "You receive.", model: "host", includeChat: true, includePastTools: true,
  tools: [
    { name: "greeter", blocking: false, immediate: true },
    {
      name: "account", blocking: false, initAgentNameProperty: "name", initUserMessageProperty: "about",
      immediate: { nameEnv: "NAME", descriptionEnv: "ABOUT", scopedEnv: ["TOKEN"] },
    },
  ],
});
