// How fast the studio works.

import type { Answer } from "../tour/stream";
import { textOf } from "../tour/history";

const PAUSE = 1200;
const PACE = 90;

/** SLOWLY is what the editor passes on to its subagents when it is asked to be slow. */
export const SLOWLY = "Take it slowly.";

/** isSlow reports whether anybody in the conversation asked for a pace that eyes can follow. */
export function isSlow(messages: any[]): boolean {
  return messages.some((m) => m.role !== "system" && /\bslow(ly|er)?\b/i.test(textOf(m)));
}

/** atTheirPace delays an answer where that was asked for; otherwise nothing waits. */
export function atTheirPace(request: any, answer: Answer): Answer {
  return isSlow(request.messages ?? []) ? { ...answer, pause: PAUSE, pace: PACE } : answer;
}
