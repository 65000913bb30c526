import { defineProvider } from "@standardagents/builder";
import { guide } from "./tour/guide";
import { poet } from "./tour/poet";
import { respond, stream } from "./tour/stream";

// A provider answers requests. Most ask a service; this one follows rules, so
// that the tour works anywhere: no key, no network, no cost. Each model id is a
// function from the messages so far to an answer.
const models: Record<string, (request: any) => any> = { guide, poet };

const answerTo = (request: any) => (models[request.model] ?? guide)(request);

export default defineProvider({
  name: "tour",
  create: () => ({
    name: "tour",
    specificationVersion: "1",
    supportsModel: (id: string) => id in models,
    generate: async (request: any) => respond(request, answerTo(request)),
    stream: async (request: any) => stream(request, answerTo(request)),
  }),
});
