// Arrays, tuples, records, maps and sets.

import { ZodType, addAt, chain, isPromise, settle, type Context, type MaybePromise, type Out } from "sideb:zod/core";
import { size } from "sideb:zod/checks";
import { finish, received, type RawIssue } from "sideb:zod/error";
import { isRecord } from "sideb:zod/object";

/** each runs a schema on one part and puts the outcome into the whole. */
function each(schema: ZodType, part: unknown, context: Context, pending: Promise<unknown>[], take: (out: Out) => void): void {
  const done = chain(schema.run(part, context), take);
  if (isPromise(done)) pending.push(done);
}

export class ZodArray extends ZodType {
  get element(): ZodType { return this.def.element; }
  unwrap() { return this.element; }

  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!Array.isArray(value)) return this.wrongType(value);
    const whole: Out = { value: new Array(value.length), issues: [] };
    const pending: Promise<unknown>[] = [];
    for (let i = 0; i < value.length; i++) {
      each(this.element, value[i], context, pending, (out) => { addAt(whole, i, out); whole.value[i] = out.value; });
    }
    return settle(whole, pending);
  }

  min(n: number, params?: any) { return this.with(size("minSize", n, params)); }
  max(n: number, params?: any) { return this.with(size("maxSize", n, params)); }
  length(n: number, params?: any) { return this.with(size("exactSize", n, params)); }
  nonempty(params?: any) { return this.min(1, params); }
}

export class ZodTuple extends ZodType {
  rest(rest: ZodType) { return new ZodTuple({ ...this.def, rest }); }

  /** needed counts the items up to the last that may not be left out. */
  get needed(): number {
    const items = this.def.items as ZodType[];
    let n = items.length;
    while (n > 0 && items[n - 1].optionalIn) n--;
    return n;
  }

  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!Array.isArray(value)) return this.wrongType(value);
    const items = this.def.items as ZodType[];
    const rest = this.def.rest as ZodType | undefined;
    if (value.length < this.needed) return this.fail(value, { code: "too_small", minimum: this.needed, inclusive: true, origin: "array" });
    if (!rest && value.length > items.length) return this.fail(value, { code: "too_big", maximum: items.length, inclusive: true, origin: "array" });
    const whole: Out = { value: [], issues: [] };
    const pending: Promise<unknown>[] = [];
    for (let i = 0; i < Math.max(value.length, items.length); i++) {
      const schema = items[i] ?? rest!;
      if (i >= value.length && schema.optionalOut) continue;
      each(schema, value[i], context, pending, (out) => { addAt(whole, i, out); whole.value[i] = out.value; });
    }
    return settle(whole, pending);
  }
}

export class ZodRecord extends ZodType {
  get keyType(): ZodType { return this.def.keyType; }
  get valueType(): ZodType { return this.def.valueType; }

  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!isRecord(value) || received(value) !== "object") return this.wrongType(value);
    const whole: Out = { value: {}, issues: [] };
    const pending: Promise<unknown>[] = [];
    const put = (key: string, out: Out) => { addAt(whole, key, out); whole.value[key] = out.value; };
    const names = this.keyType.values;
    if (names) {
      const present = [...names].filter((name) => !this.def.partial || String(name) in value);
      for (const name of present) each(this.valueType, value[String(name)], context, pending, (out) => put(String(name), out));
      const strange = Object.keys(value).filter((key) => !names.has(key) && !names.has(Number(key)));
      if (strange.length) whole.issues.push(this.fail(value, { code: "unrecognized_keys", keys: strange }).issues[0]);
      return settle(whole, pending);
    }
    for (const key of Object.keys(value)) {
      if (key === "__proto__") continue;
      const named = chain(this.key(key, context), (out) => {
        if (out.issues.length) addAt(whole, key, this.badKey(key, out, context));
        else each(this.valueType, value[key], context, pending, (part) => put(String(out.value), part));
      });
      if (isPromise(named)) pending.push(named);
    }
    return pending.length ? Promise.all(pending).then(() => settle(whole, pending)) : whole;
  }

  /** key runs the key schema; a number schema gets keys that read as numbers. */
  private key(key: string, context: Context): MaybePromise<Out> {
    const asText = this.keyType.run(key, context);
    if (isPromise(asText) || !asText.issues.length || String(Number(key)) !== key) return asText;
    return chain(this.keyType.run(Number(key), context), (out) => (out.issues.length ? asText : out));
  }

  private badKey(key: string, out: Out, context: Context): Out {
    return this.fail(key, { code: "invalid_key", origin: "record", issues: finish(out.issues as RawIssue[], context) });
  }
}

export class ZodMap extends ZodType {
  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!(value instanceof Map)) return this.wrongType(value);
    const whole: Out = { value: new Map(), issues: [] };
    const pending: Promise<unknown>[] = [];
    for (const [key, item] of value) {
      const at = typeof key === "string" || typeof key === "number" ? key : String(key);
      each(this.def.keyType, key, context, pending, (k) => {
        addAt(whole, at, k);
        each(this.def.valueType, item, context, pending, (v) => { addAt(whole, at, v); whole.value.set(k.value, v.value); });
      });
    }
    return pending.length ? Promise.all(pending).then(() => settle(whole, pending)) : whole;
  }
}

export class ZodSet extends ZodType {
  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!(value instanceof Set)) return this.wrongType(value);
    const whole: Out = { value: new Set(), issues: [] };
    const pending: Promise<unknown>[] = [];
    for (const item of value) {
      each(this.def.valueType, item, context, pending, (out) => { whole.issues.push(...out.issues); whole.value.add(out.value); });
    }
    return settle(whole, pending);
  }
  min(n: number, params?: any) { return this.with(size("minSize", n, params, "size")); }
  max(n: number, params?: any) { return this.with(size("maxSize", n, params, "size")); }
  size(n: number, params?: any) { return this.with(size("exactSize", n, params, "size")); }
  nonempty(params?: any) { return this.min(1, params); }
}

export const array = (element: ZodType, params?: any) => new ZodArray({ type: "array", element }, params);

export function tuple(items: ZodType[], restOrParams?: any, params?: any): ZodTuple {
  const rest = restOrParams instanceof ZodType ? restOrParams : undefined;
  return new ZodTuple({ type: "tuple", items, rest }, rest ? params : restOrParams);
}

/** record(values) alone, the older form, has string keys; stringType avoids an import cycle. */
export const recordOf = (stringType: () => ZodType, more?: object) => (key: ZodType, value?: any, params?: any) => {
  const one = !(value instanceof ZodType);
  return new ZodRecord({ type: "record", keyType: one ? stringType() : key, valueType: one ? key : value, ...more }, one ? value : params);
};

export const map = (keyType: ZodType, valueType: ZodType, params?: any) => new ZodMap({ type: "map", keyType, valueType }, params);
export const set = (valueType: ZodType, params?: any) => new ZodSet({ type: "set", valueType }, params);
