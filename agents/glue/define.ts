// Definitions as data, and the forms that define functions return.

import { isSchema, jsonSchema } from "sideb:glue/schema";

const isFunction = (v: unknown): v is (...args: any[]) => any => typeof v === "function";

/** normalTool reads the object form and the positional ones of older projects. */
export function normalTool(def: any): any {
  if (Array.isArray(def)) return fromParts(def);
  if (def && Array.isArray(def.parts)) return fromParts(def.parts);
  return def;
}

function fromParts([description, second, third, returns]: any[]): any {
  if (isFunction(second)) return { description, execute: second };
  return { description, args: second ?? undefined, execute: third, returns };
}

export function normalEffect(def: any): any {
  const effect = normalTool(def);
  if (effect && !isFunction(effect.execute) && isFunction(effect.handler)) return { ...effect, execute: effect.handler };
  return effect;
}

export function normalHook(def: any): any {
  return def;
}

/** describeFile is what the host reads of one definition file. */
export async function describeFile(module: any): Promise<any> {
  if (!("default" in module)) return { missing: true, exports: Object.keys(module) };
  let def = module.default;
  if (Array.isArray(def)) def = normalTool(def);
  const kind = typeof def?.__kind === "string" ? def.__kind : undefined;
  return { kind, value: await plain(def, new Set(), "") };
}

// plain copies a value as JSON. What JSON can't say is an object with one key
// that begins with "$": a function, a schema, a number that isn't finite.
async function plain(v: any, open: Set<any>, path: string): Promise<any> {
  if (isFunction(v)) return plainFunction(v);
  if (typeof v === "number") return Number.isFinite(v) ? v : { $other: String(v) };
  if (typeof v === "bigint" || typeof v === "symbol") return { $other: String(v) };
  if (typeof v !== "object" || v === null) return v;
  if (isSchema(v)) return plainSchema(v);
  if (open.has(v)) throw new Error(`${path || "the definition"} refers to itself: a definition must be a tree`);
  open.add(v);
  try {
    if (Array.isArray(v)) return await Promise.all(v.map((item, i) => plain(item, open, `${path}[${i}]`)));
    if (v instanceof RegExp || v instanceof Date) return { $other: String(v) };
    const out: any = {};
    for (const key of Object.keys(v)) {
      const value = await plain(v[key], open, path ? `${path}.${key}` : key);
      if (value !== undefined) out[key] = value;
    }
    return out;
  } finally {
    open.delete(v);
  }
}

async function plainSchema(schema: any) {
  try {
    return { $schema: await jsonSchema(schema) };
  } catch (e: any) {
    return { $schemaError: String(e?.message ?? e) };
  }
}

// A provider factory says what it is through properties; other functions only
// have a name.
function plainFunction(f: any) {
  const known = f.__provider;
  return { $function: f.name || "", provider: typeof known === "string" ? known : undefined, host: f.__host === true || undefined, controller: f.__controller === true || undefined };
}
