// The model "poet": a haiku for a topic, always the same for the same topic.

import type { Answer } from "./stream";
import { lastUserText } from "./history";

const FIRST = ["quiet morning light", "rain on the window", "an old wooden bridge", "footsteps in the snow", "the kettle whistles"];
const SECOND = ["a thought drifts by and is gone", "someone hums a half-known song", "between two words, a long breath", "the cat watches, half asleep", "small waves turn over the stones"];
const THIRD = ["evening comes slowly", "the page stays empty", "and nothing is lost", "a door closes, soft", "the river goes on"];

function hash(text: string): number {
  let h = 7;
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) % 1_000_003;
  return h;
}

/** topicOf reads the topic, which comes as text or as the JSON of the arguments. */
function topicOf(text: string): string {
  try {
    const args = JSON.parse(text);
    if (typeof args?.topic === "string") return args.topic;
  } catch {
    // plain text
  }
  return text.trim();
}

export function poet(request: any): Answer {
  const topic = topicOf(lastUserText(request.messages ?? [])) || "nothing in particular";
  const h = hash(topic.toLowerCase());
  const lines = [FIRST[h % 5], SECOND[Math.floor(h / 5) % 5], THIRD[Math.floor(h / 25) % 5]];
  return { text: `**${topic}**\n\n${lines.join("  \n")}` };
}
