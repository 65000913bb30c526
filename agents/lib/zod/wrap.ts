// Schemas around another schema.

import { ZodType, chain, ok, promised, type Context, type MaybePromise, type Out } from "sideb:zod/core";
import { check, reporter } from "sideb:zod/checks";
import { errorMap, finish } from "sideb:zod/error";
import { boolean } from "sideb:zod/primitives";
import { string } from "sideb:zod/string";

/** Wrapper passes on what its inner schema says of itself. */
class Wrapper extends ZodType {
  get inner(): ZodType { return this.def.innerType; }
  get optionalIn() { return this.inner.optionalIn; }
  get optionalOut() { return this.inner.optionalOut; }
  get values() { return this.inner.values; }
  unwrap() { return this.inner; }
  base(value: unknown, context: Context): MaybePromise<Out> { return this.inner.run(value, context); }
}

export class ZodOptional extends Wrapper {
  get optionalIn() { return true; }
  get optionalOut() { return true; }
  get values() { return this.inner.values && new Set([...this.inner.values, undefined]); }
  base(value: unknown, context: Context): MaybePromise<Out> {
    return value === undefined && !this.inner.optionalIn ? ok(undefined) : this.inner.run(value, context);
  }
}

export class ZodNullable extends Wrapper {
  get values() { return this.inner.values && new Set([...this.inner.values, null]); }
  base(value: unknown, context: Context): MaybePromise<Out> { return value === null ? ok(null) : this.inner.run(value, context); }
}

/** given calls a function or copies a plain default, so that two parses never share one. */
function given(value: any): any {
  if (typeof value === "function") return value();
  if (Array.isArray(value)) return [...value];
  return value && Object.getPrototypeOf(value) === Object.prototype ? { ...value } : value;
}

export class ZodDefault extends Wrapper {
  get optionalIn() { return true; }
  get optionalOut() { return false; }
  get defaultValue() { return given(this.def.defaultValue); }
  removeDefault() { return this.inner; }
  base(value: unknown, context: Context): MaybePromise<Out> {
    if (value === undefined) return ok(this.defaultValue);
    return chain(this.inner.run(value, context), (out) => (out.value === undefined && !out.issues.length ? ok(this.defaultValue) : out));
  }
}

/** ZodPrefault replaces undefined before the inner schema sees it. */
export class ZodPrefault extends Wrapper {
  get optionalIn() { return true; }
  get defaultValue() { return given(this.def.defaultValue); }
  base(value: unknown, context: Context): MaybePromise<Out> {
    return this.inner.run(value === undefined ? this.defaultValue : value, context);
  }
}

export class ZodCatch extends Wrapper {
  removeCatch() { return this.inner; }
  base(value: unknown, context: Context): MaybePromise<Out> {
    return chain(this.inner.run(value, context), (out) => {
      if (!out.issues.length) return out;
      const use = this.def.catchValue;
      const issues = finish(out.issues, context);
      return ok(typeof use === "function" ? use({ value, input: value, issues, error: { issues } }) : use);
    });
  }
}

export class ZodNonOptional extends Wrapper {
  get optionalIn() { return false; }
  get optionalOut() { return false; }
  base(value: unknown, context: Context): MaybePromise<Out> {
    return chain(this.inner.run(value, context), (out) =>
      out.issues.length || out.value !== undefined ? out : this.wrongType(value, "nonoptional"));
  }
}

export class ZodReadonly extends Wrapper {
  base(value: unknown, context: Context): MaybePromise<Out> {
    return chain(this.inner.run(value, context), (out) => ({ ...out, value: Object.freeze(out.value) }));
  }
}

/** ZodLazy asks for its schema when it is first needed, so schemas can be recursive. */
export class ZodLazy extends Wrapper {
  get inner(): ZodType { return (this.def.found ??= this.def.getter()); }
}

export class ZodPromise extends Wrapper {
  base(value: unknown, context: Context): MaybePromise<Out> {
    return promised(Promise.resolve(value).then((v) => this.inner.run(v, context)), context);
  }
}

/** ZodPipe runs two schemas in turn; the second only when the first found nothing. */
export class ZodPipe extends ZodType {
  get in(): ZodType { return this.def.in; }
  get out(): ZodType { return this.def.out; }
  get optionalIn() { return this.def.in.type === "transform" ? this.def.out.optionalIn : this.def.in.optionalIn; }
  get optionalOut() { return this.def.out.optionalOut; }
  get values() { return this.def.in.values; }
  base(value: unknown, context: Context): MaybePromise<Out> {
    return chain(this.in.run(value, context), (first) => {
      if (!first.issues.length) return this.out.run(first.value, context);
      for (const issue of first.issues) issue.halt = true;
      return first;
    });
  }
}

/** NEVER is what a transform returns after it has reported an issue. */
export const NEVER = Object.freeze({ status: "aborted" });

export class ZodTransform extends ZodType {
  base(value: unknown, context: Context): MaybePromise<Out> {
    const out = ok(value);
    const result = promised(this.def.change(value, reporter(out)), context);
    return chain(result, (changed) => {
      for (const issue of out.issues) issue.halt = true;
      out.value = changed;
      return out;
    });
  }
  get optionalIn() { return true; }
  get optionalOut() { return true; }
}

export const optional = (inner: ZodType) => new ZodOptional({ type: "optional", innerType: inner });
export const nullable = (inner: ZodType) => new ZodNullable({ type: "nullable", innerType: inner });
export const nullish = (inner: ZodType) => optional(nullable(inner));
export const defaultTo = (inner: ZodType, value: any) => new ZodDefault({ type: "default", innerType: inner, defaultValue: value });
export const prefault = (inner: ZodType, value: any) => new ZodPrefault({ type: "prefault", innerType: inner, defaultValue: value });
export const catchTo = (inner: ZodType, value: any) => new ZodCatch({ type: "catch", innerType: inner, catchValue: value });
export const nonoptional = (inner: ZodType, params?: any) => new ZodNonOptional({ type: "nonoptional", innerType: inner }, params);
export const readonly = (inner: ZodType) => new ZodReadonly({ type: "readonly", innerType: inner });
export const lazy = (getter: () => ZodType) => new ZodLazy({ type: "lazy", getter });
export const promise = (inner: ZodType) => new ZodPromise({ type: "promise", innerType: inner });
export const pipe = (first: ZodType, second: ZodType) => new ZodPipe({ type: "pipe", in: first, out: second });
export const transform = (change: (value: any, report: any) => any) => new ZodTransform({ type: "transform", change });
export const preprocess = (change: (value: any, report: any) => any, schema: ZodType) => pipe(transform(change), schema);

/** custom accepts what a predicate accepts. */
export function custom(test: (value: any) => unknown = () => true, params?: any): ZodType {
  return new ZodType({ type: "custom" }).with(check("custom", test as any, { code: "custom" }, asParams(params)));
}

const asParams = (params: any) => (typeof params === "function" || typeof params === "string" ? { error: params } : params);

export function instanceOf(constructor: any, params?: any): ZodType {
  const issue = { code: "invalid_type", expected: constructor.name };
  return new ZodType({ type: "custom" }).with(check("custom", (v) => v instanceof constructor, issue, { abort: true, ...asParams(params) }));
}

/** stringbool reads yes and no the way env values and forms write them. */
export function stringbool(params: any = {}): ZodType {
  const truthy: string[] = params.truthy ?? ["true", "1", "yes", "on", "y", "enabled"];
  const falsy: string[] = params.falsy ?? ["false", "0", "no", "off", "n", "disabled"];
  const issue = { code: "invalid_value", expected: "stringbool", values: [...truthy, ...falsy] };
  const read = transform((text, report) => {
    const said = params.case === "sensitive" ? text : text.toLowerCase();
    if (truthy.includes(said) || falsy.includes(said)) return truthy.includes(said);
    report.addIssue({ ...issue, error: errorMap(params) });
    return NEVER;
  });
  return pipe(pipe(string(params), read), boolean());
}
