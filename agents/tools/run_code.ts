import { defineTool } from "@standardagents/builder";
import { z } from "zod";

// JSON has no word for some values: they are written as text.
const plain = (_key: string, v: unknown) =>
  typeof v === "bigint" ? `${v}n` : v instanceof Map ? [...v] : v instanceof Set ? [...v] : typeof v === "function" ? `[function ${v.name}]` : v;

export default defineTool({
  description: "Runs TypeScript in a sandbox without files, network or environment, and answers its default export and what it logged. A default export that is a function is called.",
  args: z.object({
    code: z.string().min(1).max(100000).describe("An ES module; its default export is the result"),
  }),
  execute: async (state, { code }) => {
    const run = await state.runCode(code, { filename: "code.ts" });
    const logs = run.logs.map((log) => log.args.map((arg) => (typeof arg === "string" ? arg : JSON.stringify(arg, plain))).join(" "));
    if (run.status === "success") return { status: "success", result: JSON.stringify({ result: run.result ?? null, logs }, plain) };
    const { name, message, line, column } = run.error!;
    const place = line ? ` (code.ts:${line}:${column})` : "";
    return { status: "error", error: [`${run.status}: ${name}: ${message}${place}`, ...logs].join("\n") };
  },
});
