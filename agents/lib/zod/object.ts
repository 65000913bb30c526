// Objects of known shape.

import { ZodType, addAt, chain, isPromise, settle, type Context, type MaybePromise, type Out } from "sideb:zod/core";
import { enumOf } from "sideb:zod/primitives";

type Shape = Record<string, ZodType>;

/** isRecord tells objects from arrays and null. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * copyShape copies the descriptors, so that getters, which recursive schemas
 * are written with, aren't called before the schema they name exists.
 */
function copyShape(...shapes: Shape[]): Shape {
  const out: Shape = {};
  for (const shape of shapes) Object.defineProperties(out, Object.getOwnPropertyDescriptors(shape));
  return out;
}

function selectShape(shape: Shape, keep: (key: string) => boolean): Shape {
  const out: Shape = {};
  for (const key of Object.keys(shape)) {
    if (keep(key)) Object.defineProperty(out, key, Object.getOwnPropertyDescriptor(shape, key)!);
  }
  return out;
}

function put(target: any, key: PropertyKey, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

export class ZodObject extends ZodType {
  get shape(): Shape { return this.def.shape; }

  base(value: unknown, context: Context): MaybePromise<Out> {
    if (!isRecord(value)) return this.wrongType(value);
    const whole: Out = { value: {}, issues: [] };
    const pending: Promise<unknown>[] = [];
    const shape = this.shape;
    for (const key of Object.keys(shape)) {
      const part = chain(shape[key].run(value[key], context), (out) => this.keep(whole, key, out, value, shape[key]));
      if (isPromise(part)) pending.push(part);
    }
    this.others(value, whole, pending, context);
    return settle(whole, pending);
  }

  private keep(whole: Out, key: string, part: Out, input: Record<string, unknown>, schema: ZodType): void {
    const missing = !(key in input);
    if (part.issues.length) {
      if (!(missing && schema.optionalIn && schema.optionalOut)) addAt(whole, key, part);
      return;
    }
    if (part.value !== undefined) put(whole.value, key, part.value);
    else if (!missing) put(whole.value, key, undefined);
    else if (!schema.optionalOut) addAt(whole, key, schema.wrongType(undefined, "nonoptional"));
  }

  /** others deals with the keys that the shape doesn't name. */
  private others(input: Record<string, unknown>, whole: Out, pending: Promise<unknown>[], context: Context): void {
    const rest = this.def.catchall as ZodType | undefined;
    if (!rest) return;
    const strange: string[] = [];
    for (const key of Object.keys(input)) {
      if (key === "__proto__" || key in this.shape) continue;
      if (rest.def.type === "never") { strange.push(key); continue; }
      const part = chain(rest.run(input[key], context), (out) => {
        addAt(whole, key, out);
        put(whole.value, key, out.value);
      });
      if (isPromise(part)) pending.push(part);
    }
    if (strange.length) whole.issues.push(this.fail(input, { code: "unrecognized_keys", keys: strange }).issues[0]);
  }

  private change(def: object): ZodObject { return new ZodObject({ ...this.def, checks: undefined, ...def }); }

  keyof() { return enumOf(Object.keys(this.shape)); }
  catchall(rest: ZodType) { return this.change({ catchall: rest, checks: this.def.checks }); }
  strict() { return this.catchall(never()); }
  loose() { return this.catchall(new ZodType({ type: "unknown" })); }
  passthrough() { return this.loose(); }
  strip() { return this.change({ catchall: undefined, checks: this.def.checks }); }
  extend(more: Shape) { return this.change({ shape: copyShape(this.shape, more) }); }
  safeExtend(more: Shape) { return this.change({ shape: copyShape(this.shape, more), checks: this.def.checks }); }
  merge(other: ZodObject) { return this.change({ shape: copyShape(this.shape, other.shape), catchall: other.def.catchall }); }
  pick(mask: Record<string, true>) { this.known(mask); return this.change({ shape: selectShape(this.shape, (key) => mask[key]) }); }
  omit(mask: Record<string, true>) { this.known(mask); return this.change({ shape: selectShape(this.shape, (key) => !mask[key]) }); }
  partial(mask?: Record<string, true>) { return this.wrapEach(mask, (schema) => (schema as any).optional()); }
  required(mask?: Record<string, true>) { return this.wrapEach(mask, (schema) => (schema as any).nonoptional()); }

  private known(mask: Record<string, true>): void {
    for (const key of Object.keys(mask)) if (!(key in this.shape)) throw new Error(`Unrecognized key: "${key}"`);
  }

  private wrapEach(mask: Record<string, true> | undefined, wrap: (schema: ZodType) => ZodType): ZodObject {
    if (mask) this.known(mask);
    const shape = copyShape(this.shape);
    for (const key of Object.keys(shape)) if (!mask || mask[key]) shape[key] = wrap(this.shape[key]);
    return this.change({ shape });
  }
}

const never = () => new ZodType({ type: "never" });

export const object = (shape: Shape = {}, params?: any) => new ZodObject({ type: "object", shape: copyShape(shape) }, params);
export const strictObject = (shape: Shape, params?: any) => new ZodObject({ type: "object", shape: copyShape(shape), catchall: never() }, params);
export const looseObject = (shape: Shape, params?: any) =>
  new ZodObject({ type: "object", shape: copyShape(shape), catchall: new ZodType({ type: "unknown" }) }, params);

