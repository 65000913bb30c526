// The entry's other half in the program that answers for models alone: it is small,
// so that a first answer doesn't wait for everything that tools need.

import { loader, type Files } from "sideb:glue/load";
import { callProvider } from "sideb:glue/model";
import type { Env } from "sideb:glue/index";

export function models(files: Files) {
  const load = loader(files);
  return {
    // ping answers as soon as the event loop turns.
    async ping() {
      return true;
    },

    async callModel(call: any, env: Env) {
      const model = await load(call.file);
      // Older projects name a provider instead of importing its factory.
      const named = typeof model.provider === "string" && call.providerFile !== "";
      return callProvider(model, named ? await load(call.providerFile) : model.provider, call, env);
    },
  };
}
