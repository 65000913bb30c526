import { defineTool } from "@standardagents/builder";
import { z } from "zod";

// The file's name is the tool's name. A prompt lists it among its tools.
export default defineTool({
  description: "Counts the words of a text.",
  args: z.object({
    text: z.string().describe("The text to count"),
  }),
  execute: async (_state, { text }) => {
    const words = text.split(/\s+/).filter(Boolean).length;
    return { status: "success", result: `${words} ${words === 1 ? "word" : "words"}` };
  },
});
