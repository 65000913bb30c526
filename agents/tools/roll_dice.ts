import { defineTool } from "@standardagents/builder";
import { z } from "zod";

export default defineTool({
  description: "Rolls dice and answers each roll and their sum.",
  args: z.object({
    count: z.number().int().min(1).max(100).default(1).describe("How many dice, 1 to 100"),
    sides: z.number().int().min(2).max(1000).default(6).describe("Sides of each die, 2 to 1000"),
  }),
  execute: async (_state, { count, sides }) => {
    const rolls = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
    const total = rolls.reduce((sum, roll) => sum + roll, 0);
    return { status: "success", result: JSON.stringify({ sides, rolls, total }) };
  },
});
