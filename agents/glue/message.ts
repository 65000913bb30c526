// Messages in the shape of the surface (authoring surface §12.4), and back.

/** messageOut: stored tool calls are JSON text, absent values null. */
export const messageOut = (m: any): any =>
  m && {
    ...m,
    name: m.name ?? null,
    tool_calls: m.tool_calls ? JSON.stringify(m.tool_calls) : null,
    tool_call_id: m.tool_call_id ?? null,
    parent_id: m.parent_id ?? null,
    silent: m.silent ?? false,
    metadata: m.metadata ?? null,
    attachments: m.attachments ?? null,
  };

/** messageIn is the way back; null stands for what isn't there. */
export function messageIn(m: any): any {
  if (typeof m !== "object" || m === null) throw new TypeError(`a message must be an object, not ${m === null ? "null" : typeof m}`);
  const out: any = {};
  for (const key of Object.keys(m)) if (m[key] !== null && m[key] !== undefined) out[key] = m[key];
  if (typeof out.tool_calls === "string") out.tool_calls = JSON.parse(out.tool_calls);
  return out;
}

/** messageList asks for a page of messages with the defaults of getMessages. */
export async function messageList(ask: (args: any) => Promise<any>, options: any): Promise<any> {
  const list = await ask({ limit: 100, offset: 0, includeSilent: false, maxDepth: 0, ...options });
  return { ...list, messages: (list.messages ?? []).map(messageOut) };
}
