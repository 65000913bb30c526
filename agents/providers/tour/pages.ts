// What the guide explains, as markdown.

const TRY = [
  "roll two dice",
  'count the words in "the quick brown fox"',
  "remember that my cat is called Ada",
  "what do you remember?",
  "what time is it?",
  "compute fib(20)",
  "write a haiku about autumn",
];

const list = (items: string[]) => items.map((item) => `- \`${item}\``).join("\n");

export const PAGES: Record<string, string> = {
  hello: `# Welcome to sideb

You are talking to an **agent**. An agent has two sides: a model plays **side A**, and you are **side B**. When you press
Enter your turn ends and mine begins; I may call tools, and when I answer in plain text it is your turn again.

Try one of these:

${list(TRY)}

Or ask about \`sides\`, \`tools\`, \`threads\` or \`your own agent\`.`,

  again: `Hello again. We are in the same thread, so everything above is still here. What would you like to try?

${list(TRY.slice(0, 4))}`,

  help: `## What you can try

| say | what happens |
|---|---|
| \`roll 3d20\` | a function tool runs: TypeScript in the project |
| \`remember that …\`, \`what do you remember?\` | a tool keeps notes in this thread's key-value store |
| \`run some code\`, \`compute fib(20)\` | TypeScript runs in a sandbox that takes down only itself |
| \`a haiku about rain\` | another prompt is called like a tool |
| \`roll dice and tell me the time\` | two tools in one step, one after the other |
| \`break something\` | a tool call fails, and the conversation goes on |
| \`stream slowly\` | time to press Esc, or to queue a message |

Ask about \`sides\`, \`tools\`, \`queue\`, \`subagents\`, \`models\` or \`your own agent\` to see how it works.`,

  sides: `## Sides, steps and turns

- A **thread** is one conversation of an agent: its messages, notes and files. It stays when you quit.
- A **side** is A or B. Here side A is a model and side B is you; in a \`dual_ai\` agent two models talk to each
  other. \`/new studio\` starts one that has several of those work for it.
- A **step** is one model call and the tools it asks for.
- A **turn** is everything from your message to my answer, be it one step or ten.

\`\`\`
you ── "roll two dice" ──▶ step 1: the model asks for roll_dice
                           roll_dice answers 3, 5
                           step 2: the model says so ──▶ your turn
\`\`\`

Say \`roll two dice\` and watch it happen.`,

  tools: `## Tools

A model only writes text. To *do* something it calls a **tool** by name, with arguments that fit a schema.

1. The model asks: \`roll_dice {"count": 2}\`
2. The arguments are checked; the tool runs; its result is stored.
3. The model reads the result and goes on.

| tool | kind |
|---|---|
| \`roll_dice\`, \`word_count\`, \`clock\` | functions |
| \`run_code\` | a function that runs code in a sandbox |
| \`remember\`, \`recall\` | functions that use the thread's store |
| \`haiku\` | a prompt, called like a tool |

Say \`break something\` to see a call fail, or \`write a haiku about tools\`.`,

  studio: `## Many agents at once

An agent can call other agents, each in a thread of its own, with sides, messages and tools of its own. The built-in agent
\`studio\` shows it: \`/new studio\`, then

- \`write about the sea, slowly\`

and press **Ctrl+T** to see the tree of threads while they work. \`sideb watch\` shows it in another terminal.`,

  queue: `## The queue

You can write while I work. Your message is stored at once and waits in line; I read it before my next model call, or when
my turn is over. Nothing is lost if you quit.

Say \`stream slowly\`, then send \`roll two dice\` before I have finished.`,

  project: `## Your own agent

A project is a directory of TypeScript files. \`sideb init my-agents\` writes a small one. A tool is one file:

\`\`\`ts
// agents/tools/shout.ts
import { defineTool } from "@standardagents/builder";
import { z } from "zod";

export default defineTool({
  description: "Says it louder.",
  args: z.object({ text: z.string() }),
  execute: async (_state, { text }) => ({
    status: "success",
    result: text.toUpperCase() + "!",
  }),
});
\`\`\`

A prompt lists \`"shout"\` among its \`tools\`, and an agent names that prompt for its side A. Edits count from the next step
on. \`sideb check\` tells what is wrong, with file and line.`,

  models: `## Who is speaking

I am not a language model: I am a short TypeScript program that looks for keywords. That is why this tour needs no key and no
network, and costs nothing. Everything else is real: the thread, the tools, the store, the queue.

To talk to a real model, name it in \`agents/models/*.ts\` and set its key:

\`\`\`sh
export OPENAI_API_KEY=…
sideb init my-agents
\`\`\``,

  memory: `I keep a note when you say what it is, for example:

- \`remember that the meeting is on Friday\`

It stays in this thread; \`what do you remember?\` brings it back, even after a restart.`,

  thanks: `You are welcome. Next, try \`roll 3d20\`, or ask about \`your own agent\`.`,

  bye: `Goodbye. This thread stays where it is: come back to it from the list, or with \`sideb chat --thread\`.`,
};

const COUNT = Array.from({ length: 40 }, (_, i) => String(i + 1)).join(" ");

/** SLOW takes about nine seconds, word by word. */
export const SLOW = `I speak slowly now. Press **Esc** to stop me, or send a message to put it in the queue.

${COUNT}

That was all. What was said stays in the thread, even when you stop me half-way.`;

/** lost answers what no rule understood. */
export function lost(said: string): string {
  const shown = said.replace(/[`\s]+/g, " ").trim();
  const short = shown.length > 60 ? shown.slice(0, 59) + "…" : shown;
  const about = short ? `I found nothing that I know in \`${short}\`.` : "That message has no text.";
  return `${about} I follow rules and look for keywords; a real model would do better. Try:

${list(TRY.slice(0, 5))}

\`help\` lists everything.`;
}
