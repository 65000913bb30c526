// The factories of the providers that the program itself speaks with. A model
// names one; its calls are made outside JavaScript.

import { ProviderError } from "sideb:spec";
import { tag } from "sideb:tag";

/** anyOptions accepts every object: the provider is the judge of its options. */
const anyOptions = {
  safeParse: (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? { success: true, data: value }
      : { success: false, error: { issues: [{ path: [], message: "expected an object" }] } },
};

/** hostProvider makes the factory. Calling it answers a provider for identification only. */
export function hostProvider(name: string): any {
  const refuse = async () => {
    throw new ProviderError(`${name} is called by the program, not from JavaScript: name the factory in defineModel`, "invalid_request");
  };
  const factory = (_config?: any) => ({ name, specificationVersion: "1", generate: refuse, stream: refuse });
  tag(factory, { __kind: "provider", __provider: name, __host: true, name });
  (factory as any).providerOptions = anyOptions;
  return factory;
}
