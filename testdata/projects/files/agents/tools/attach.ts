import { defineTool } from "@standardagents/spec";
import { z } from "zod";

// A red pixel.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

export default defineTool({
  description: "Returns a new file and one that is there.",
  args: z.object({ name: z.string() }),
  execute: async (state, { name }) => {
    const note = await state.writeFile("/notes/note.txt", "a note", "text/plain");
    return { status: "success", result: "attached", attachments: [{ name, mimeType: "image/png", data: png }, { type: "file", path: note.path }] };
  },
});
