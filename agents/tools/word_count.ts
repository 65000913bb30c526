import { defineTool } from "@standardagents/builder";
import { z } from "zod";

export default defineTool({
  description: "Counts the words, characters and sentences of a text.",
  args: z.object({
    text: z.string().describe("The text to count"),
  }),
  execute: async (_state, { text }) => {
    const words = text.split(/\s+/).filter((word) => /[^\s.,;:!?'"()-]/.test(word));
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a), "");
    const sentences = text.split(/[.!?]+/).filter((part) => part.trim() !== "").length;
    return { status: "success", result: JSON.stringify({ words: words.length, characters: [...text].length, sentences, longest }) };
  },
});
