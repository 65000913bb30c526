// Schemas made of alternatives or of several schemas at once.

import { ZodType, chain, halted, isPromise, ok, type Context, type MaybePromise, type Out } from "sideb:zod/core";
import { finish } from "sideb:zod/error";
import { isRecord } from "sideb:zod/object";

export class ZodUnion extends ZodType {
  get options(): ZodType[] { return this.def.options; }
  get optionalIn() { return this.options.some((o) => o.optionalIn); }
  get optionalOut() { return this.options.some((o) => o.optionalOut); }
  get values() {
    const all = this.options.map((o) => o.values);
    return all.every(Boolean) ? new Set(all.flatMap((v) => [...v!])) : undefined;
  }

  base(value: unknown, context: Context): MaybePromise<Out> {
    const outs: MaybePromise<Out>[] = [];
    for (const option of this.options) {
      const out = option.run(value, context);
      if (!isPromise(out) && !out.issues.length) return out;
      outs.push(out);
    }
    return outs.some(isPromise) ? Promise.all(outs).then((all) => this.choose(value, all, context)) : this.choose(value, outs as Out[], context);
  }

  /** choose takes the first without issues; else the only one whose type was right, to tell its own issues. */
  private choose(value: unknown, outs: Out[], context: Context): Out {
    const good = outs.find((out) => !out.issues.length);
    if (good) return good;
    const near = outs.filter((out) => !halted(out));
    if (near.length === 1) return near[0];
    return this.fail(value, { code: "invalid_union", errors: outs.map((out) => finish(out.issues, context)) });
  }
}

export class ZodDiscriminatedUnion extends ZodUnion {
  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!isRecord(value)) return this.wrongType(value, "object");
    const key = this.def.discriminator as string;
    const option = this.table.get(value[key]);
    if (option) return option.run(value, context);
    if (this.def.unionFallback) return super.base(value, context);
    const options = [...this.table.keys()];
    const shown = options.map((o) => (typeof o === "string" ? `'${o}'` : String(o))).join(" | ");
    const out = this.fail(value, { code: "invalid_union", errors: [], note: "No matching discriminator", discriminator: key, options });
    const issue = out.issues[0];
    issue.path = [key];
    if (!issue.error) issue.error = () => `Invalid discriminator value. Expected ${shown}`;
    return out;
  }

  /** table finds the option of a discriminator's value. Options may be unions themselves. */
  private get table(): Map<unknown, ZodType> {
    if (this.def.table) return this.def.table;
    const table = new Map<unknown, ZodType>();
    for (const option of this.options) {
      const values = discriminators(option, this.def.discriminator);
      if (!values) throw new Error(`Invalid discriminated union option at index "${this.options.indexOf(option)}"`);
      for (const value of values) {
        if (table.has(value)) throw new Error(`Duplicate discriminator value "${String(value)}"`);
        table.set(value, option);
      }
    }
    return (this.def.table = table);
  }
}

function discriminators(schema: any, key: string): Set<unknown> | undefined {
  if (schema.def.options) {
    const all = schema.def.options.map((o: ZodType) => discriminators(o, key));
    return all.every(Boolean) ? new Set(all.flatMap((s: Set<unknown>) => [...s])) : undefined;
  }
  const inner = schema.def.innerType ?? (schema.def.type === "pipe" ? schema.def.in : undefined);
  return inner ? discriminators(inner, key) : schema.def.shape?.[key]?.values;
}

export class ZodIntersection extends ZodType {
  get optionalIn() { return this.def.left.optionalIn && this.def.right.optionalIn; }
  get optionalOut() { return this.def.left.optionalOut && this.def.right.optionalOut; }

  base(value: unknown, context: Context): MaybePromise<Out> {
    return chain(this.def.left.run(value, context), (left: Out) =>
      chain(this.def.right.run(value, context), (right: Out) => join(left, right)));
  }
}

/** join keeps an unknown key as an issue only where neither side knows it. */
function join(left: Out, right: Out): Out {
  const strange = (out: Out) => out.issues.filter((i) => i.code === "unrecognized_keys" && !i.path.length).flatMap((i) => i.keys as string[]);
  const both = strange(left).filter((key) => strange(right).includes(key));
  const issues = [...left.issues, ...right.issues].filter((i) => i.code !== "unrecognized_keys" || i.path.length > 0);
  const unknownKeys = left.issues.find((i) => i.code === "unrecognized_keys" && !i.path.length);
  if (both.length && unknownKeys) issues.push({ ...unknownKeys, keys: both });
  if (issues.length) return { value: left.value, issues };
  const merged = mergeValues(left.value, right.value, []);
  if (merged.conflict) throw new Error(`Unmergable intersection. Error path: ${JSON.stringify(merged.conflict)}`);
  return ok(merged.value);
}

function mergeValues(a: any, b: any, path: PropertyKey[]): { value?: any; conflict?: PropertyKey[] } {
  if (a === b || (a instanceof Date && b instanceof Date && +a === +b)) return { value: a };
  const lists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  if (!lists && !(isRecord(a) && isRecord(b))) return { conflict: path };
  const value: any = lists ? [...a] : { ...a, ...b };
  for (const key of Object.keys(a)) {
    if (!(key in b)) continue;
    const part = mergeValues(a[key], b[key], [...path, key]);
    if (part.conflict) return part;
    value[key] = part.value;
  }
  return { value };
}

export const union = (options: readonly ZodType[], params?: any) => new ZodUnion({ type: "union", options }, params);
export const intersection = (left: ZodType, right: ZodType) => new ZodIntersection({ type: "intersection", left, right });
export const discriminatedUnion = (discriminator: string, options: readonly ZodType[], params?: any) =>
  new ZodDiscriminatedUnion({ type: "union", discriminator, options, unionFallback: params?.unionFallback }, params);
