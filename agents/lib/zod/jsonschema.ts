// JSON schema of a schema: draft 2020-12, or draft 7 where asked.

import { ZodType, globalRegistry, type Check } from "sideb:zod/core";
import { SCHEMA_FORMATS } from "sideb:zod/string";

type Json = Record<string, any>;

interface Options {
  /** "output" (default) describes what parse answers, "input" what it takes. */
  io?: "input" | "output";
  target?: "draft-2020-12" | "draft-7" | "draft-07";
  /** "any" writes {} for what JSON schema can't say; the default throws. */
  unrepresentable?: "throw" | "any";
  /** "throw" refuses recursive schemas; the default refers. */
  cycles?: "ref" | "throw";
  /** "ref" moves schemas used more than once to $defs. */
  reused?: "inline" | "ref";
  override?: (context: { zodSchema: ZodType; jsonSchema: Json; path: (string | number)[] }) => void;
  metadata?: { get(schema: ZodType): any };
}

/** toJSONSchema throws for schemas without a JSON schema, such as dates and transforms. */
export function toJSONSchema(schema: ZodType, options: Options = {}): Json {
  return new Writer(options).document(schema);
}

class Writer {
  private readonly draft7: boolean;
  private readonly open: ZodType[] = [];
  /** names of schemas that are in $defs: those with an id, and recursive ones below the root */
  private readonly names = new Map<object, string>();
  private readonly defs: Json = {};
  private root!: ZodType;

  constructor(private readonly options: Options) {
    this.draft7 = /^draft-0?7$/.test(options.target ?? "");
  }

  document(schema: ZodType): Json {
    this.root = schema;
    this.nameRecursive(schema, [], new Set(), []);
    const body = this.write(schema, []);
    const $schema = this.draft7 ? "http://json-schema.org/draft-07/schema#" : "https://json-schema.org/draft/2020-12/schema";
    const out: Json = { $schema, ...body };
    if (Object.keys(this.defs).length) out[this.draft7 ? "definitions" : "$defs"] = this.defs;
    return out;
  }

  /** nameRecursive finds the schemas that contain themselves, so that they can be referred to. */
  private nameRecursive(schema: ZodType, above: ZodType[], done: Set<ZodType>, path: string[]): void {
    if (above.includes(schema)) {
      if (this.options.cycles === "throw") throw new Error(`Cycle detected: #/${path.join("/")}`);
      if (schema !== this.root && !this.names.has(schema)) this.names.set(schema, `__schema${this.names.size}`);
      return;
    }
    if (done.has(schema)) {
      if (this.options.reused === "ref" && schema !== this.root && !this.names.has(schema)) this.names.set(schema, `__schema${this.names.size}`);
      return;
    }
    done.add(schema);
    const id = this.meta(schema).id;
    if (id && schema !== this.root) this.names.set(schema, id);
    above.push(schema);
    for (const part of parts(schema)) this.nameRecursive(part, above, done, path);
    above.pop();
  }

  private meta(schema: ZodType): Json { return (this.options.metadata ?? globalRegistry).get(schema) ?? {}; }

  private write(schema: ZodType, path: (string | number)[]): Json {
    if (schema === this.root && this.open.includes(schema)) return { $ref: "#" };
    const name = this.names.get(schema);
    if (!name) return this.inline(schema, path);
    if (!(name in this.defs)) {
      this.defs[name] = {};
      this.defs[name] = this.inline(schema, path);
    }
    return { $ref: `#/${this.draft7 ? "definitions" : "$defs"}/${name}` };
  }

  private inline(schema: ZodType, path: (string | number)[]): Json {
    this.open.push(schema);
    const json = this.node(schema, path);
    this.open.pop();
    const { id, ...meta } = this.meta(schema);
    Object.assign(json, meta);
    this.options.override?.({ zodSchema: schema, jsonSchema: json, path });
    return json;
  }

  private node(schema: any, path: (string | number)[]): Json {
    const def = schema.def;
    switch (def.type) {
      case "string": return { type: "string", ...stringChecks(def.checks) };
      case "number": return numberSchema(def.checks);
      case "boolean": return { type: "boolean" };
      case "null": return { type: "null" };
      case "any": case "unknown": return {};
      case "custom": return this.unsaid("Custom types");
      case "never": return { not: {} };
      case "literal": return this.literal(def.values);
      case "enum": return { ...commonType(def.values), enum: def.values };
      case "array": return { type: "array", ...sizes(def.checks, "Items"), items: this.write(def.element, [...path, "items"]) };
      case "object": return this.object(schema, path);
      case "record": return this.record(def, path);
      case "tuple": return this.tuple(schema, path);
      case "union": return this.union(def, path);
      case "intersection": return both(this.write(def.left, [...path, "allOf", 0]), this.write(def.right, [...path, "allOf", 1]));
      case "nullable": return { anyOf: [this.write(def.innerType, [...path, "anyOf", 0]), { type: "null" }] };
      case "readonly": return { ...this.write(def.innerType, path), readOnly: true };
      case "default": case "prefault": case "catch": return this.withDefault(schema, path);
      case "optional": case "nonoptional": case "promise": return this.write(def.innerType, path);
      case "lazy": return this.write(schema.inner, path);
      case "pipe": return this.write(this.side(def), path);
      default: return this.unsaid(UNSAID[def.type] ?? def.type);
    }
  }

  /** side picks the end of a pipe that is described; a preprocess step has only its output. */
  private side(def: any): ZodType {
    return this.options.io === "input" && def.in.def.type !== "transform" ? def.in : def.out;
  }

  private unsaid(what: string): Json {
    if (this.options.unrepresentable === "any") return {};
    throw new Error(`${what} cannot be represented in JSON Schema`);
  }

  private literal(list: unknown[]): Json {
    if (list.some((v) => v === undefined)) return this.unsaid("Literal `undefined`");
    if (list.some((v) => typeof v === "bigint")) return this.unsaid("BigInt literals");
    const type = commonType(list);
    return list.length === 1 ? { ...type, const: list[0] } : { ...type, enum: list };
  }

  private object(schema: any, path: (string | number)[]): Json {
    const json: Json = { type: "object", properties: {} };
    const required: string[] = [];
    for (const key of Object.keys(schema.shape)) {
      const part = schema.shape[key];
      json.properties[key] = this.write(part, [...path, "properties", key]);
      if (!(this.options.io === "input" ? part.optionalIn : part.optionalOut)) required.push(key);
    }
    if (required.length) json.required = required;
    const rest = schema.def.catchall;
    if (rest?.def.type === "never") json.additionalProperties = false;
    else if (rest) json.additionalProperties = this.write(rest, [...path, "additionalProperties"]);
    else if (this.options.io !== "input") json.additionalProperties = false;
    return json;
  }

  private record(def: any, path: (string | number)[]): Json {
    const json: Json = { type: "object" };
    json.propertyNames = def.keyType.def.type === "number" ? { type: "string" } : this.write(def.keyType, [...path, "propertyNames"]);
    json.additionalProperties = this.write(def.valueType, [...path, "additionalProperties"]);
    const optional = this.options.io === "input" ? def.valueType.optionalIn : def.valueType.optionalOut;
    const names = def.partial || optional ? undefined : def.keyType.values;
    if (names) json.required = [...names].map(String);
    return json;
  }

  private tuple(schema: any, path: (string | number)[]): Json {
    const { items, rest } = schema.def;
    const fixed = items.map((item: ZodType, i: number) => this.write(item, [...path, "prefixItems", i]));
    const more = rest ? this.write(rest, [...path, "items"]) : false;
    const json: Json = { type: "array", [this.draft7 ? "items" : "prefixItems"]: fixed, [this.draft7 ? "additionalItems" : "items"]: more };
    json.minItems = schema.needed;
    if (!rest) json.maxItems = items.length;
    return Object.assign(json, sizes(schema.def.checks, "Items"));
  }

  private union(def: any, path: (string | number)[]): Json {
    const word = def.discriminator ? "oneOf" : "anyOf";
    return { [word]: def.options.map((option: ZodType, i: number) => this.write(option, [...path, word, i])) };
  }

  private withDefault(schema: any, path: (string | number)[]): Json {
    const json = this.write(schema.def.innerType, path);
    if (schema.def.type === "prefault" && this.options.io !== "input") return json;
    const value = schema.def.type === "catch" ? schema.def.catchValue : schema.defaultValue;
    if (typeof value === "function") return this.unsaid("Dynamic catch values");
    return { default: JSON.parse(JSON.stringify(value)), ...json };
  }
}

const UNSAID: Record<string, string> = {
  undefined: "Undefined", void: "Void", date: "Date", bigint: "BigInt", symbol: "Symbols", nan: "NaN", map: "Map", set: "Set", transform: "Transforms",
};

function parts(schema: any): ZodType[] {
  const def = schema.def;
  switch (def.type) {
    case "object": return [...Object.values(schema.shape as Json), ...(def.catchall ? [def.catchall] : [])];
    case "array": return [def.element];
    case "record": return [def.keyType, def.valueType];
    case "tuple": return [...def.items, ...(def.rest ? [def.rest] : [])];
    case "union": return [...def.options];
    case "intersection": return [def.left, def.right];
    case "pipe": return [def.in, def.out];
    case "lazy": return [schema.inner];
    default: return def.innerType ? [def.innerType] : [];
  }
}

/** both merges two objects of different keys, which as allOf would forbid each other's keys. */
function both(left: Json, right: Json): Json {
  const plain = (json: Json) => json.type === "object" && json.properties && typeof json.additionalProperties !== "object";
  const shared = Object.keys(left.properties ?? {}).some((key) => key in (right.properties ?? {}));
  if (!plain(left) || !plain(right) || shared) return { allOf: [left, right] };
  const merged: Json = { ...left, ...right, properties: { ...left.properties, ...right.properties } };
  const required = [...(left.required ?? []), ...(right.required ?? [])];
  if (required.length) merged.required = required;
  return merged;
}

function commonType(list: unknown[]): Json {
  const types = new Set(list.map((v) => (v === null ? "null" : typeof v)));
  return types.size === 1 ? { type: [...types][0] } : {};
}

function sizes(checks: Check[] = [], noun: "Length" | "Items"): Json {
  const json: Json = {};
  for (const { kind, limit } of checks) {
    if (kind === "minSize" || kind === "exactSize") json[`min${noun}`] = Math.max(json[`min${noun}`] ?? limit, limit);
    if (kind === "maxSize" || kind === "exactSize") json[`max${noun}`] = Math.min(json[`max${noun}`] ?? limit, limit);
  }
  return json;
}

/** Formats known by name are written as format alone: models read it better than a pattern. */
function stringChecks(checks: Check[] = []): Json {
  const json: Json = sizes(checks, "Length");
  const patterns: string[] = [];
  for (const { kind, format, pattern } of checks) {
    if (kind === "format") json.format = SCHEMA_FORMATS[format] ?? format;
    if (kind === "format" && format === "base64") json.contentEncoding = "base64";
    if (pattern !== undefined) patterns.push(pattern);
  }
  if (patterns.length === 1) json.pattern = patterns[0];
  if (patterns.length > 1) json.allOf = patterns.map((pattern) => ({ pattern }));
  return json;
}

function numberSchema(checks: Check[] = []): Json {
  const whole = checks.some((c) => c.kind === "int");
  const json: Json = { type: whole ? "integer" : "number" };
  for (const { kind, limit, inclusive, divisor } of checks) {
    if (kind === "min") tighten(json, inclusive ? "minimum" : "exclusiveMinimum", limit, Math.max);
    if (kind === "max") tighten(json, inclusive ? "maximum" : "exclusiveMaximum", limit, Math.min);
    if (kind === "multipleOf") json.multipleOf = divisor;
  }
  if (whole && json.minimum === undefined && json.exclusiveMinimum === undefined) json.minimum = Number.MIN_SAFE_INTEGER;
  if (whole && json.maximum === undefined && json.exclusiveMaximum === undefined) json.maximum = Number.MAX_SAFE_INTEGER;
  return json;
}

function tighten(json: Json, key: string, limit: number, pick: (a: number, b: number) => number): void {
  json[key] = json[key] === undefined ? limit : pick(json[key], limit);
}
