import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Attaches data as it is given, or bytes.",
  args: z.object({ data: z.string().optional() }),
  execute: async (state, { data }) =>
    ({ status: "success", result: "attached", attachments: [{ name: "f.txt", mimeType: "text/plain", data: data ?? new Uint8Array([1, 2]) }] }) as any,
});
