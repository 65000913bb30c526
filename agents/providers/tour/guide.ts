// The model "guide": what the tour says to the messages so far.

import { sinceLastAnswer } from "./history";
import { intentsOf } from "./intents";
import { PAGES, SLOW, lost } from "./pages";
import { reportOn } from "./report";
import type { Answer } from "./stream";

const SLOW_PACE = 120;

/** guide first says what its tools answered, then turns to what was said meanwhile. */
export function guide(request: any): Answer {
  const { results, said, earlier } = sinceLastAnswer(request.messages ?? []);
  const reported = results.map(reportOn).join("\n\n");
  if (results.length && !said.length) return { text: reported };
  const answer = reply(said.join("\n"), earlier, offered(request));
  return { ...answer, text: [reported, answer.text].filter(Boolean).join("\n\n") };
}

/** offered are the names of the tools that this request allows. */
function offered(request: any): Set<string> {
  if (request.toolChoice === "none") return new Set();
  return new Set((request.tools ?? []).map((tool: any) => tool.function?.name ?? tool.name));
}

function reply(said: string, earlier: number, tools: Set<string>): Answer {
  const intents = intentsOf(said);
  const calls = intents.flatMap((intent) => intent.calls ?? []).filter((call) => tools.has(call.name));
  if (calls.length) {
    const reasoning = intents.filter((intent) => intent.calls).map((intent) => intent.because).join(" ");
    return { text: "", calls, reasoning };
  }
  const page = intents.find((intent) => intent.page)?.page;
  if (page === "slow") return { text: SLOW, pace: SLOW_PACE };
  if (page === "hello") return { text: earlier > 0 ? PAGES.again : PAGES.hello };
  if (page) return { text: PAGES[page] };
  return { text: earlier > 0 || said.trim() ? lost(said) : PAGES.hello };
}
