import { defineTool } from "@standardagents/spec";
export default defineTool({
  description: "Attaches what isn't there.",
  execute: async () => ({ status: "success", result: "attached", attachments: [{ type: "file", path: "/attachments/none.png" }] }),
});
