// The part of the editor, who speaks with the person and has others work.

import { sinceLastAnswer, textOf } from "../tour/history";
import type { Answer } from "../tour/stream";
import { capital, topicIn } from "./facts";
import { SLOWLY, isSlow } from "./pace";

const HELLO = `# The studio

I have short texts written. Say \`write about the sea\`: a researcher and a fact checker look things up, a writer and a reviewer
work on the text, and you get what they agree on. Afterwards try \`make it shorter\` or \`make it rhyme\`.

Say \`write about the sea, slowly\` to have time to watch them: **Ctrl+T** here shows the tree of threads, and so does
\`sideb watch\` in another terminal.`;

/** FROM_CHILD is how a subagent's report begins. */
const FROM_CHILD = /^Subagent \(reference: [^)]*\) has (?:returned the following result|reported a failure):\s*/;

export function editor(request: any): Answer {
  const messages: any[] = request.messages ?? [];
  const { results, said } = sinceLastAnswer(messages);
  const wish = said.filter((text) => !FROM_CHILD.test(text)).join("\n");
  const text = results.find((r) => r.name === "subagent_create" || r.name === "subagent_message");
  if (text) return { text: handOver(messages, text.text) };
  const notes = results.find((r) => r.name === "researcher");
  if (notes) return commission(messages, notes.text);
  if (wish.trim()) return begin(messages, wish);
  const late = said.map((s) => s.replace(FROM_CHILD, ""));
  return { text: late.length ? `The fact checker adds: *${late.join(" ")}*` : HELLO };
}

/** begin has facts looked up and checked at once; a wish about the last text goes to the pair that wrote it. */
function begin(messages: any[], wish: string): Answer {
  const pair = pairIn(messages);
  const topic = topicIn(wish);
  const slowly = isSlow(messages) ? ` ${SLOWLY}` : "";
  if (!topic && pair) {
    const call = { name: "subagent_message", arguments: { referenceId: pair, message: wish + slowly, attachments: [] } };
    return { text: "I pass that on to the pair.", calls: [call], reasoning: "The pair that wrote the text is still there." };
  }
  if (!topic) return { text: HELLO };
  return {
    text: `I have “${topic}” looked up, and checked meanwhile.`,
    reasoning: "The fact checker can work beside us; for the researcher's notes I wait.",
    calls: [
      { name: "fact_checker", arguments: { topic, question: `Check the topic “${topic}”.${slowly}` } },
      { name: "researcher", arguments: { topic, question: `Find out about “${topic}”.${slowly}` } },
    ],
  };
}

/** commission gives the pair its brief. */
function commission(messages: any[], notes: string): Answer {
  const topic = topicIn(lastWish(messages)) || "nothing";
  const slowly = isSlow(messages) ? `\n\n${SLOWLY}` : "";
  const message = `Write a short text about “${topic}”. Use these notes:\n\n${notes}${slowly}`;
  return {
    text: "The notes are here. Now a writer and a reviewer turn them into a text.",
    calls: [{ name: "subagent_create", arguments: { agent: "writing_pair", name: topic, message, attachments: [] } }],
  };
}

function handOver(messages: any[], result: string): string {
  const text = result.replace(/\s*Reference: \S+\s*$/, "").trim();
  const topic = topicIn(lastWish(messages));
  const since = messages.slice(messages.findLastIndex((m) => m.role === "user" && textOf(m) === lastWish(messages)));
  const checks = since.filter((m) => m.role === "user").map(textOf).filter((s) => FROM_CHILD.test(s));
  const parts = [topic ? `## ${capital(topic)}` : "", text];
  if (checks.length) parts.push(`*Fact check: ${checks[checks.length - 1].replace(FROM_CHILD, "").trim()}*`);
  return parts.filter(Boolean).join("\n\n");
}

/** lastWish is what the person said last. */
function lastWish(messages: any[]): string {
  const said = messages.filter((m) => m.role === "user").map(textOf).filter((text) => !FROM_CHILD.test(text));
  return said[said.length - 1] ?? "";
}

/** pairIn is the reference of the newest writing pair, "" where there is none yet. */
function pairIn(messages: any[]): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    if (messages[i].role !== "tool") continue;
    const reference = /Reference: (\S+)\s*$/.exec(textOf(messages[i]));
    if (reference && /subagent_(create|message)/.test(messages[i].toolName ?? "")) return reference[1];
  }
  return "";
}
