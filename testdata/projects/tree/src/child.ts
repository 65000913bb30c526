import { defineAgent, definePrompt } from "@standardagents/spec";

/** child is an agent that others call; its side A ends the session. */
export const child = (name: string, more: any = {}) =>
  defineAgent({
    name, type: "dual_ai", exposeAsTool: true, toolDescription: `Calls ${name}.`, description: `The ${name}.`, maxSessionTurns: 3,
    sideA: {
      prompt: `${name}_side`,
      sessionStop: { name: "finish", messageProperty: "answer" },
      sessionFail: { name: "give_up", messageProperty: "reason" },
      sessionStatus: { name: "progress", messageProperty: "text" },
    },
    sideB: { prompt: "partner" },
    ...more,
  });

export const childPrompt = (name: string, more: any = {}) =>
  definePrompt({
    name: `${name}_side`, toolDescription: `Calls ${name}.`, prompt: `You are the ${name}.`, model: name, includeChat: true, includePastTools: true,
    tools: ["finish", "give_up", "progress", "tell", "set_status"],
    ...more,
  });
