import { defineProvider } from "@standardagents/builder";
import { checker, librarian, researcher } from "./studio/research";
import { editor } from "./studio/editor";
import { atTheirPace } from "./studio/pace";
import { reviewer, writer } from "./studio/writing";
import { respond, stream } from "./tour/stream";

// One model that plays every part of the studio by rules; a prompt's
// providerOptions say which part it is.
const parts: Record<string, (request: any) => any> = { editor, writer, reviewer, researcher, checker, librarian };

function answerTo(request: any) {
  const part = parts[request.providerOptions?.part] ?? editor;
  return atTheirPace(request, part(request));
}

export default defineProvider({
  name: "studio",
  create: () => ({
    name: "studio",
    specificationVersion: "1",
    supportsModel: (id: string) => id === "company",
    generate: async (request: any) => respond(request, answerTo(request)),
    stream: async (request: any) => stream(request, answerTo(request)),
  }),
});
