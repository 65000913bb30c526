// What a person wants, read from keywords.

import type { Call } from "./stream";

/** An intent is a tool to call, a page to show, or both. */
export interface Intent {
  calls?: Call[];
  page?: string;
  /** why, in the guide's own words: shown as its reasoning */
  because: string;
}

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

function numberIn(text: string): number | undefined {
  const digits = /\d+/.exec(text);
  if (digits) return Number(digits[0]);
  for (let i = NUMBERS.length - 1; i > 0; i--) if (new RegExp(`\\b${NUMBERS[i]}\\b`).test(text)) return i;
  return undefined;
}

function dice(text: string): Intent | undefined {
  const because = "Dice need chance, and a model has none: roll_dice does.";
  const short = /\b(\d*)\s*d(\d+)\b/.exec(text);
  if (short) return { calls: [{ name: "roll_dice", arguments: { count: Number(short[1] || 1), sides: Number(short[2]) } }], because };
  if (!/\b(dice|die|roll|coin)\b/.test(text)) return undefined;
  const sides = /(\d+)[- ]?sided|with (\d+) sides/.exec(text);
  const count = numberIn(sides ? text.replace(sides[0], "") : text) ?? (/\b(a|the) (die|coin)\b/.test(text) ? 1 : undefined);
  const args: Record<string, unknown> = { count: count ?? (/\bdice\b/.test(text) ? 2 : 1) };
  if (sides) args.sides = Number(sides[1] ?? sides[2]);
  else if (/\bcoin\b/.test(text)) args.sides = 2;
  return { calls: [{ name: "roll_dice", arguments: args }], because };
}

/** quoted is the text in quotation marks, else what follows a colon or one of the words. */
function quoted(raw: string, after: RegExp): string {
  const marks = /["“«']([^"”»]+)["”»']/.exec(raw);
  if (marks) return marks[1].trim();
  const rest = after.exec(raw);
  return rest ? raw.slice(rest.index + rest[0].length).replace(/^[\s:,]+/, "").trim() : "";
}

function count(text: string, raw: string): Intent | undefined {
  if (!/\b(word|words|letters|characters)\b/.test(text) || !/\b(count|how many|number of)\b|word[ _]count/.test(text)) return undefined;
  const subject = quoted(raw, /\b(words|word[ _]count|letters|characters)\b(\s+(in|of|are in|are there in))?/i).replace(/\?$/, "");
  return { calls: [{ name: "word_count", arguments: { text: subject || raw } }], because: "Counting is exact work: word_count does it." };
}

function memory(text: string, raw: string): Intent | undefined {
  const asks = /\b(recall|what (do|did|have) (you|i) (remember|told?|tell|note|know)|my notes|(do|can) you remember|what('s| is) my)\b/;
  if (asks.test(text)) return { calls: [{ name: "recall", arguments: {} }], because: "What was said to be kept is in this thread's store: recall reads it." };
  const keep = /\b(remember|note|keep in mind|my name is|don't forget)\b(\s+that\b)?/i.exec(raw);
  if (!keep) return undefined;
  const note = /name is/i.test(keep[0]) ? raw.slice(keep.index) : quoted(raw, /\b(remember|note|keep in mind|don't forget)\b(\s+(that|down))?/i);
  if (!note.trim()) return { page: "memory", because: "There is nothing to keep yet." };
  return { calls: [{ name: "remember", arguments: { note: note.trim().slice(0, 500) } }], because: "This should outlive the conversation's context: remember keeps it." };
}

function time(text: string): Intent | undefined {
  if (!/\b(time|clock|date|today|what day|weekday)\b/.test(text) || /\bevery ?time|times\b/.test(text)) return undefined;
  const zone = /utc\s*([+-]\s*\d+(\.\d+)?)/.exec(text);
  const args: Record<string, unknown> = zone ? { utc_offset: Number(zone[1].replace(/\s/g, "")) } : {};
  return { calls: [{ name: "clock", arguments: args }], because: "A model doesn't know what time it is: clock does." };
}

const SAMPLE = `const primes: number[] = [];
for (let n = 2; primes.length < 10; n++) if (primes.every((p) => n % p)) primes.push(n);
console.log("the last one is", primes[9]);
export default primes;`;

const fib = (n: number) => `const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));\nexport default fib(${n});`;

function code(text: string, raw: string): Intent | undefined {
  if (!/\b(run|execute|compute|calculate|evaluate)\b/.test(text)) return undefined;
  const because = "Arithmetic and algorithms are for a machine: run_code runs TypeScript in a sandbox.";
  const call = (source: string): Intent => ({ calls: [{ name: "run_code", arguments: { code: source } }], because });
  const inline = /`+(?:ts|typescript|js|javascript)?\s*([^`]+?)\s*`+/.exec(raw);
  if (inline) return call(/\bexport\b/.test(inline[1]) ? inline[1] : `export default ${inline[1].replace(/;+$/, "")};`);
  const number = /\bfib(?:onacci)?\b\D*(\d{1,2})\b/.exec(text);
  if (number) return call(fib(Math.min(Number(number[1]), 25)));
  return /\b(code|typescript|javascript|program|script|sandbox)\b/.test(text) ? call(SAMPLE) : undefined;
}

function poem(text: string, raw: string): Intent | undefined {
  if (!/\b(haiku|poem|poetry|verse)\b/.test(text)) return undefined;
  const subject = quoted(raw, /\b(about|on|for|of)\b/i).replace(/[.!?]+$/, "");
  const topic = subject || "a quiet terminal";
  return { calls: [{ name: "haiku", arguments: { topic } }], because: "Poetry has a prompt of its own, haiku, which I call like a tool." };
}

function failing(text: string): Intent | undefined {
  if (!/\b(break|fail|failure|error|crash|wrong)\b/.test(text)) return undefined;
  return {
    calls: [{ name: "roll_dice", arguments: { count: 1, sides: 1 } }],
    because: "A die with one side breaks the tool's schema, so the call must come back as an error.",
  };
}

/** PAGES are tried in order; the name is that of a page. */
const PAGES: [string, RegExp][] = [
  ["slow", /\b(slow|slowly|stream|interrupt|escape|esc)\b/],
  ["studio", /\b(studio|sub-?agents?|child(ren)?|orchestrat\w+|tree|watch)\b/],
  ["queue", /\b(queue|queued|while you|busy)\b/],
  ["sides", /\b(sides?|side [ab]|dual|turns?|steps?|sessions?|threads?)\b/],
  ["tools", /\b(tools?|functions?|sub-?prompts?)\b/],
  ["project", /\b(project|own agent|write|typescript|code|example|init|file|build)\b/],
  ["models", /\b(models?|openai|anthropic|key|cost|price|provider|who are you|what are you)\b/],
  ["bye", /\b(bye|goodbye|quit|exit)\b/],
  ["thanks", /\b(thanks?|thank you|great|nice|cool|wow)\b/],
  ["help", /\b(help|start|tour|what can|what next|how|menu|options|commands)\b|^\?+$/],
  ["hello", /\b(hello|hi|hey|hallo|moin|salut|hola|good (morning|evening|day))\b/],
];

/**
 * intentsOf reads every wish in a text. Tools come together in one step; without
 * any, the first page that fits is shown.
 */
export function intentsOf(raw: string): Intent[] {
  const text = raw.toLowerCase();
  const kept = memory(text, raw);
  // What is to be remembered isn't a wish of its own: "remember that I like dice".
  if (kept?.calls?.[0].name === "remember") return [kept];
  const wishes = [dice(text), count(text, raw), kept, time(text), code(text, raw), poem(text, raw)];
  const found = wishes.filter((wish): wish is Intent => wish !== undefined);
  if (found.length) return found;
  const broken = failing(text);
  if (broken) return [broken];
  const page = PAGES.find(([, words]) => words.test(text));
  return page ? [{ page: page[0], because: `The question is about ${page[0]}.` }] : [];
}
