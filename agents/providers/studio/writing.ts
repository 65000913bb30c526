// The parts of the writer and the reviewer.

import { sinceLastAnswer, textOf } from "../tour/history";
import type { Answer } from "../tour/stream";
import { capital, topicIn } from "./facts";

const OBJECTION = "Before I approve it";
const HABIT = "very, very";
const ORDINALS = ["first", "second", "third", "fourth", "fifth"];

export function writer(request: any): Answer {
  const messages: any[] = request.messages ?? [];
  const { results } = sinceLastAnswer(messages);
  const drafts = messages.filter((m) => m.role === "assistant" && textOf(m)).length;
  if (!results.some((r) => r.name === "report_status")) {
    return { text: "", calls: [{ name: "report_status", arguments: { status: `${ORDINALS[drafts] ?? "next"} draft` } }] };
  }
  return { text: draft(messages.filter((m) => m.role === "user").map(textOf)) };
}

/** draft writes for what was asked: the brief first, then objections of the reviewer and wishes of the editor. */
function draft(asked: string[]): string {
  const brief = asked[0] ?? "";
  const topic = topicIn(brief) || "nothing";
  const facts = (brief.match(/^- .+$/gm) ?? []).map((line) => line.slice(2));
  const last = asked[asked.length - 1] ?? "";
  if (asked.length < 2) return `${capital(topic)} is ${HABIT} old. ${facts.slice(0, 2).join(" ")} That is all.`;
  const opening = `${capital(topic)} was here before us.`;
  if (last.startsWith(OBJECTION)) return `${opening} ${facts.join(" ")} We look up, and look again.`.replace(/ +/g, " ");
  if (/\b(short|shorter|brief)\b/i.test(last)) return `${opening} We look up.`;
  if (/\b(rhyme|poem|verse)\b/i.test(last)) return `${opening}\nIt will outlast the rain;\nwe look at it, then down at us,\nand look at it again.`;
  return `${opening} ${facts.join(" ")} We look up, and stay a while.`.replace(/ +/g, " ");
}

export function reviewer(request: any): Answer {
  const read = (request.messages ?? []).filter((m: any) => m.role === "user").map(textOf);
  const text = read[read.length - 1] ?? "";
  if (text.includes(HABIT)) return { text: `${OBJECTION}: cut “${HABIT}”, and end on something to see.` };
  return { text: "", calls: [{ name: "approve", arguments: { text } }], reasoning: "Nothing is left to cut." };
}
