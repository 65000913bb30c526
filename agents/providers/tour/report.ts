// Tool results, put into words.

import type { Result } from "./history";

const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? "" : "s"}`;

function sum(rolls: number[]): string {
  return rolls.length > 1 ? `${rolls.slice(0, 20).join(" + ")}${rolls.length > 20 ? " + …" : ""} = ` : "";
}

function dice({ data }: Result): string {
  const { sides, rolls, total } = data;
  if (sides === 2 && rolls.length === 1) return `The coin shows **${total === 1 ? "heads" : "tails"}**.`;
  return `I rolled ${plural(rolls.length, "die").replace("dies", "dice")} with ${sides} sides: ${sum(rolls)}**${total}**.`;
}

function words({ data, args }: Result): string {
  const text = String(args.text ?? "").replace(/[`\s]+/g, " ").trim();
  const shown = text.length > 40 ? text.slice(0, 39) + "…" : text;
  return `\`${shown}\` counted:

| | |
|---|---:|
| words | ${data.words} |
| characters | ${data.characters} |
| sentences | ${data.sentences} |

${data.longest ? `The longest word is *${data.longest}*.` : "There is no word in it."}`;
}

function kept({ data }: Result): string {
  return `I keep it: *${data.kept}*. That makes ${plural(data.notes, "note")} in this thread; ask \`what do you remember?\``;
}

function notes({ data }: Result): string {
  if (!data.notes.length) return "This thread has no notes yet. Say `remember that …` and I keep one.";
  return `You asked me to remember:\n\n${data.notes.map((note: string) => `- ${note}`).join("\n")}`;
}

function clock({ data }: Result): string {
  const zone = data.utc_offset ? `UTC${data.utc_offset > 0 ? "+" : ""}${data.utc_offset}` : "UTC";
  return `It is **${data.time}** ${zone} on ${data.weekday}, ${data.date}.`;
}

function ran({ data, args }: Result): string {
  const logs = data.logs.length ? `\n\nIt logged: ${data.logs.map((line: string) => `*${line}*`).join(", ")}.` : "";
  return `In a sandbox, a process without files, network or environment, this ran:

\`\`\`ts
${args.code}
\`\`\`

It answered \`${JSON.stringify(data.result)}\`.${logs}`;
}

function haiku({ text }: Result): string {
  const verse = text.trim().split("\n").map((line) => `> ${line.trimEnd()}`.trimEnd()).join("  \n");
  return `The \`haiku\` prompt wrote:\n\n${verse}`;
}

const REPORTS: Record<string, (result: Result) => string> = {
  roll_dice: dice,
  word_count: words,
  remember: kept,
  recall: notes,
  clock,
  run_code: ran,
  haiku,
};

/** reportOn says what a tool answered; an error, and whatever has another shape than expected, in the tool's own words. */
export function reportOn(result: Result): string {
  const report = REPORTS[result.name];
  try {
    if (report && (result.data || result.name === "haiku")) return report(result);
  } catch {
    // not the shape that the tool answers with: quoted below
  }
  const quote = result.text.trim().split("\n").map((line) => `> ${line}`).join("\n");
  return `\`${result.name || "The tool"}\` came back with an error:

${quote}

A failed call is a result like any other: the model reads it and decides what to do. I suggest \`roll two dice\`.`;
}
