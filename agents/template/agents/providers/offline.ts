import { defineProvider } from "@standardagents/builder";

// A provider answers requests. This one follows two rules, so that the project
// works before you have a key. Delete it, and agents/models/offline.ts, when your
// prompts use another model.
function answer(messages: any[]) {
  const last = messages[messages.length - 1];
  if (last?.role === "tool") return { text: `The tool \`${last.toolName}\` says: ${last.content}` };
  const said = typeof last?.content === "string" ? last.content : "";
  if (/\bcount\b/i.test(said)) return { call: { name: "word_count", arguments: { text: said.replace(/^.*?\bcount\b[\s:]*/i, "") } } };
  return {
    text: [
      `You said: *${said.trim() || "nothing"}*`,
      "",
      "I am the offline model of this project and know two things to do:",
      "",
      "- `count one two three` calls the tool in `agents/tools/word_count.ts`;",
      "- anything else gets this answer.",
      "",
      'For a real model, set `model: "gpt"` in `agents/prompts/assistant.ts` and export `OPENAI_API_KEY`.',
    ].join("\n"),
  };
}

export default defineProvider({
  name: "offline",
  create: () => ({
    name: "offline",
    specificationVersion: "1",
    generate: async ({ messages }: any) => {
      const { text, call }: any = answer(messages);
      const size = Math.ceil(JSON.stringify(messages).length / 4);
      return {
        content: text ?? null,
        toolCalls: call ? [{ id: `call_${messages.length}`, ...call }] : undefined,
        finishReason: call ? "tool_calls" : "stop",
        usage: { promptTokens: size, completionTokens: 20, totalTokens: size + 20 },
      };
    },
  }),
});
