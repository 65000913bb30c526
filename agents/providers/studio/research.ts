// The parts of the researcher, the fact checker and the librarian whom both ask.

import { sinceLastAnswer, textOf } from "../tour/history";
import type { Answer } from "../tour/stream";
import { factsOn, topicIn } from "./facts";

const CHECK = "Is it safe to print a text about";

const others = (request: any): string[] => (request.messages ?? []).filter((m: any) => m.role === "user").map(textOf);

/** topicOf is what the whole conversation is about: the first message says so. */
const topicOf = (request: any): string => {
  const said = (request.messages ?? []).filter((m: any) => m.role === "user" || m.role === "assistant").map(textOf);
  return said.map(topicIn).find(Boolean) || "it";
};

export function researcher(request: any): Answer {
  const { results, said } = sinceLastAnswer(request.messages ?? []);
  const topic = topicOf(request);
  if (results.some((r) => r.name === "report_status")) return { text: `What do we have about “${topic}”? Three facts will do.` };
  const notes = said.join("\n").match(/^- .+$/gm);
  if (notes) return { text: "", calls: [{ name: "hand_in", arguments: { notes: notes.join("\n") } }], reasoning: "The librarian found enough." };
  return { text: "", calls: [{ name: "report_status", arguments: { status: "asks the librarian" } }] };
}

export function checker(request: any): Answer {
  const heard = others(request);
  if (heard.length > 1) {
    return { text: "", calls: [{ name: "hand_in", arguments: { notes: heard[heard.length - 1] } }], reasoning: "The librarian has answered." };
  }
  return { text: `${CHECK} “${topicOf(request)}”?` };
}

export function librarian(request: any): Answer {
  const heard = others(request);
  const topic = topicOf(request);
  if ((heard[heard.length - 1] ?? "").startsWith(CHECK)) return { text: `There is nothing about ${topic} on the shelf of corrections.` };
  return { text: `On that shelf I found:\n\n${factsOn(topic).map((fact) => `- ${fact}`).join("\n")}` };
}
