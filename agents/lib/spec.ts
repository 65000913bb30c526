// @standardagents/spec: the functions that declare what a project defines.
//
// What the host reads. Every define function answers an object (a function for
// endpoints, controllers and providers) with these own, non-enumerable tags:
//
//   __kind         agent, prompt, model, tool, hook, effect, threadEndpoint,
//                  controller or provider
//   __controller   true on a controller
//
// A provider factory, which a model names, has
//
//   __provider     the provider's name
//   __host         true where the program itself speaks with the provider; the
//                  factory of any other provider is called in JavaScript
//
// Tools and effects are always {description, args?, execute, …}, whichever form
// they were written in; hooks are {hook, id, execute}.

import { tag } from "sideb:tag";

type Fn = (...args: any[]) => any;

function define(kind: string, name: string, def: any): any {
  if (typeof def !== "object" || def === null || Array.isArray(def)) throw new TypeError(`${name} takes an object`);
  return tag({ ...def }, { __kind: kind });
}

export const defineAgent = (def: any) => define("agent", "defineAgent", def);
export const definePrompt = (def: any) => define("prompt", "definePrompt", def);

/**
 * defineModel throws for a provider that is neither a factory nor a name, for
 * negative prices, and for provider options that the factory's schema refuses.
 */
export function defineModel(def: any): any {
  const model = define("model", "defineModel", def);
  const where = `model ${JSON.stringify(model.name ?? "")}`;
  if (typeof model.provider !== "function" && typeof model.provider !== "string") {
    throw new TypeError(`${where}: provider must be a provider factory, such as openai from "@standardagents/openai"`);
  }
  for (const price of ["inputPrice", "outputPrice", "cachedPrice"]) {
    const value = model[price];
    if (value !== undefined && !(typeof value === "number" && value >= 0)) {
      throw new RangeError(`${where}: ${price} must be a number of USD per million tokens, 0 or more`);
    }
  }
  checkProviderOptions(where, model);
  return model;
}

function checkProviderOptions(where: string, model: any): void {
  const schema = model.provider.providerOptions;
  if (model.providerOptions === undefined || typeof schema?.safeParse !== "function") return;
  const result = schema.safeParse(model.providerOptions);
  if (result.success) return;
  const issues = result.error.issues.map((issue: any) => `${["providerOptions", ...issue.path].join(".")}: ${issue.message}`);
  throw new TypeError(`${where}: ${issues.join("; ")}`);
}

const isFunction = (value: unknown): value is Fn => typeof value === "function";

/**
 * defineTool takes {description, args?, execute, …}, or the forms of older
 * projects: (description, handler), (description, args, handler) and the latter
 * with a schema of the result and one of its env.
 */
export function defineTool(first: any, second?: any, third?: any, returns?: any, tenvs?: any): any {
  if (typeof first !== "string") return define("tool", "defineTool", first);
  return define("tool", "defineTool", callable(first, second, third, { returns, tenvs }));
}

/** defineEffect takes (description, args, handler), (description, handler) or an object. */
export function defineEffect(first: any, second?: any, third?: any): any {
  if (typeof first !== "string") {
    const { handler, ...rest } = first ?? {};
    return define("effect", "defineEffect", { ...rest, execute: rest.execute ?? handler });
  }
  return define("effect", "defineEffect", callable(first, second, third, {}));
}

function callable(description: string, second: any, third: any, more: object): any {
  const def: any = isFunction(second) ? { description, execute: second } : { description, args: second ?? undefined, execute: third };
  for (const [name, value] of Object.entries(more)) if (value !== undefined) def[name] = value;
  return def;
}

/** defineHook takes {hook, id, execute}. The oldest form, (hook, function), has no id to list it by. */
export function defineHook(first: any, execute?: any): any {
  if (typeof first === "string") {
    throw new TypeError(`defineHook(${JSON.stringify(first)}, …) is no longer loaded: write defineHook({ hook: ${JSON.stringify(first)}, id: "…", execute })`);
  }
  return define("hook", "defineHook", execute === undefined ? first : { ...first, execute });
}

function endpoint(name: string, handler: any, tags: object): any {
  if (!isFunction(handler)) throw new TypeError(`${name} takes a function`);
  return tag((...args: any[]) => handler(...args), { ...tags });
}

export const defineThreadEndpoint = (handler: any) => endpoint("defineThreadEndpoint", handler, { __kind: "threadEndpoint" });
export const defineController = (handler: any) => endpoint("defineController", handler, { __kind: "controller", __controller: true });

/**
 * defineProvider makes the factory that models name. It takes a provider ({name,
 * generate, stream}), or {name, create(config)}, or (name, create).
 */
export function defineProvider(first: any, second?: any): any {
  const def = typeof first === "string" ? { name: first, create: second } : first;
  if (typeof def?.name !== "string" || def.name === "") throw new TypeError("defineProvider: name must be a non-empty string");
  const create: Fn | undefined = def.create ?? def.factory ?? (isFunction(def.generate) || isFunction(def.stream) ? () => def : undefined);
  if (!isFunction(create)) throw new TypeError(`provider ${JSON.stringify(def.name)}: give it generate and stream, or create(config)`);
  const factory = tag((config: any) => create(config), { __kind: "provider", __provider: def.name, name: def.name });
  if (def.providerOptions) (factory as any).providerOptions = def.providerOptions;
  return factory;
}

/**
 * ProviderError is what a provider throws: code is rate_limit, auth_error,
 * context_length, content_filter, invalid_request, timeout, server_error, network
 * or unknown. retryAfter, in seconds, may be set on it.
 */
export class ProviderError extends Error {
  code: string;
  httpStatus?: number;
  retryAfter?: number;

  constructor(message: string, code = "unknown", httpStatus?: number) {
    super(message);
    this.name = "ProviderError";
    this.code = code;
    this.httpStatus = httpStatus;
  }
}

/**
 * mapReasoningLevel answers the provider's own word for a level of 0 to 100: that
 * of the nearest level the model knows, the lower of two that are equally near;
 * null where there is none.
 */
export function mapReasoningLevel(level: number | undefined | null, levels: Record<number, string | null> | undefined | null): string | null {
  if (level === undefined || level === null || !levels) return null;
  const known = Object.keys(levels).map(Number).filter((n) => Number.isFinite(n)).sort((a, b) => a - b);
  let best: number | undefined;
  for (const n of known) if (best === undefined || Math.abs(n - level) < Math.abs(best - level)) best = n;
  return best === undefined ? null : levels[best];
}

/** packageOf is the package in a qualified name, packageId/name; "" for a name of the project itself. */
function packageOf(value: any): string {
  const own = typeof value === "object" && value !== null ? value.packageId ?? value.__package : undefined;
  const name: unknown = own === undefined && typeof value === "object" && value !== null ? value.name : value;
  if (typeof own === "string") return own;
  return typeof name === "string" && name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
}

/** These take a definition or a name. */
export const isPacked = (value: any): boolean => packageOf(value) !== "";
export const belongsToPackage = (value: any, packageId: string): boolean => packageOf(value) === packageId;
export const isVisibleInNamespace = (value: any, namespace?: string | null): boolean => {
  const owner = packageOf(value);
  return owner === "" || owner === (namespace ?? "");
};
