// Reading a request's messages.

export function textOf(message: any): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part?.text === "string" ? part.text : "")).join("");
}

export function lastUserText(messages: any[]): string {
  for (let i = messages.length - 1; i >= 0; i--) if (messages[i].role === "user") return textOf(messages[i]);
  return "";
}

/** A tool's answer, and the arguments that it was asked with. */
export interface Result {
  name: string;
  text: string;
  data: any;
  args: any;
}

/**
 * sinceLastAnswer is what the model hasn't reacted to yet: results of the calls
 * that it made last, and what people said after its last message. earlier counts
 * what it has said before.
 */
export function sinceLastAnswer(messages: any[]): { results: Result[]; said: string[]; earlier: number } {
  let at = messages.length - 1;
  while (at >= 0 && messages[at].role !== "assistant") at--;
  const calls: any[] = messages[at]?.toolCalls ?? [];
  const rest = messages.slice(at + 1);
  const results = rest.filter((m) => m.role === "tool").map((m) => readResult(m, calls));
  const said = rest.filter((m) => m.role === "user").map(textOf);
  return { results, said, earlier: messages.filter((m) => m.role === "assistant").length };
}

function readResult(message: any, calls: any[]): Result {
  const text = textOf(message);
  const call = calls.find((c) => c.id === message.toolCallId);
  let data: any;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  return { name: message.toolName ?? call?.name ?? "", text, data: typeof data === "object" ? data : undefined, args: call?.arguments ?? {} };
}
