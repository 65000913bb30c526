// Schemas without parts: numbers, booleans, dates, literals and the like.

import { ZodType, ok, type Check, type Out } from "sideb:zod/core";
import { bound, check } from "sideb:zod/checks";

/** Ordered adds the comparisons that numbers, bigints and dates share. */
class Ordered extends ZodType {
  gt(n: any, params?: any) { return this.with(bound("min", n, false, this.def.type, params)); }
  gte(n: any, params?: any) { return this.with(bound("min", n, true, this.def.type, params)); }
  lt(n: any, params?: any) { return this.with(bound("max", n, false, this.def.type, params)); }
  lte(n: any, params?: any) { return this.with(bound("max", n, true, this.def.type, params)); }
  min(n: any, params?: any) { return this.gte(n, params); }
  max(n: any, params?: any) { return this.lte(n, params); }
  positive(params?: any) { return this.gt(this.zero, params); }
  negative(params?: any) { return this.lt(this.zero, params); }
  nonnegative(params?: any) { return this.gte(this.zero, params); }
  nonpositive(params?: any) { return this.lte(this.zero, params); }
  multipleOf(n: any, params?: any) {
    const issue = { origin: this.def.type, code: "not_multiple_of", divisor: n };
    return this.with(check("multipleOf", (v) => isMultiple(v, n), issue, params, { divisor: n }));
  }
  step(n: any, params?: any) { return this.multipleOf(n, params); }
  get zero(): any { return this.def.type === "bigint" ? BigInt(0) : 0; }
}

/** isMultiple counts in whole units of the last decimal place, because 0.3 % 0.1 isn't 0. */
function isMultiple(value: any, divisor: any): boolean {
  if (typeof value === "bigint") return value % divisor === BigInt(0);
  const places = (n: number) => {
    const [digits, exponent] = String(n).split("e");
    return Math.max(0, (digits.split(".")[1]?.length ?? 0) - Number(exponent ?? 0));
  };
  const unit = 10 ** Math.max(places(value), places(divisor));
  return Math.round(value * unit) % Math.round(divisor * unit) === 0;
}

/** integer is the check of .int(): whole, and exactly representable. */
function integer(params?: any): Check {
  const kind = check("int", Number.isInteger, { code: "invalid_type", expected: "int", format: "safeint" }, { ...asObject(params), abort: true });
  const note = "Integers must be within the safe integer range.";
  const limit = Number.MAX_SAFE_INTEGER;
  const high = check("int", (v) => v <= limit, { code: "too_big", maximum: limit, note, origin: "int", inclusive: true }, params);
  const low = check("int", (v) => v >= -limit, { code: "too_small", minimum: -limit, note, origin: "int", inclusive: true }, params);
  return {
    kind: "int",
    run(out) {
      const before = out.issues.length;
      kind.run(out, undefined as any);
      if (out.issues.length > before) return;
      high.run(out, undefined as any);
      low.run(out, undefined as any);
    },
  };
}

const asObject = (params: any) => (typeof params === "object" && params !== null ? params : params === undefined ? {} : { error: params });

/** attempt converts; what can't be converted stays, to be told as a wrong type. */
function attempt(convert: (value: any) => unknown, value: unknown): unknown {
  try { return convert(value); } catch { return value; }
}

export class ZodNumber extends Ordered {
  base(value: unknown): Out {
    if (this.def.coerce) value = attempt(Number, value);
    if (typeof value === "number" && Number.isFinite(value)) return ok(value);
    const odd = typeof value === "number" ? { received: Number.isNaN(value) ? "NaN" : "Infinity" } : undefined;
    return this.wrongType(value, "number", odd);
  }
  int(params?: any) { return this.with(integer(params)); }
  safe(params?: any) { return this.int(params); }
  finite(_params?: any) { return this; }
}

export class ZodBigInt extends Ordered {
  base(value: unknown): Out {
    if (this.def.coerce) value = attempt(BigInt, value);
    return typeof value === "bigint" ? ok(value) : this.wrongType(value);
  }
}

export class ZodDate extends Ordered {
  base(value: unknown): Out {
    if (this.def.coerce) value = attempt((v) => new Date(v), value);
    if (!(value instanceof Date)) return this.wrongType(value);
    return Number.isNaN(value.getTime()) ? this.wrongType(value, "date", { received: "Invalid Date" }) : ok(value);
  }
}

export class ZodBoolean extends ZodType {
  base(value: unknown): Out {
    if (this.def.coerce) value = Boolean(value);
    return typeof value === "boolean" ? ok(value) : this.wrongType(value);
  }
}

/** ZodExactly accepts the values that a test knows: null, undefined, symbols, NaN. */
export class ZodExactly extends ZodType {
  base(value: unknown): Out { return this.def.test(value) ? ok(value) : this.wrongType(value); }
  get optionalIn() { return this.def.test(undefined); }
  get optionalOut() { return this.def.type === "void"; }
  get values() { return this.def.type === "null" ? new Set([null]) : this.def.type === "undefined" ? new Set([undefined]) : undefined; }
}

export class ZodUnknown extends ZodType {}
export class ZodAny extends ZodType {}

/** Listed is a schema of given values: literals and enums. */
class Listed extends ZodType {
  base(value: unknown): Out {
    return this.values.has(value) ? ok(value) : this.fail(value, { code: "invalid_value", values: [...this.values] });
  }
  get values(): Set<unknown> { return (this.def.set ??= new Set(this.def.values)); }
}

export class ZodLiteral extends Listed {
  get value() { return this.def.values[0]; }
}

export class ZodEnum extends Listed {
  get enum() { return this.def.entries; }
  get options() { return this.def.values; }
  exclude(names: string[], params?: any) { return enumOf(pickEntries(this.def.entries, (n) => !names.includes(n)), params); }
  extract(names: string[], params?: any) { return enumOf(pickEntries(this.def.entries, (n) => names.includes(n)), params); }
}

function pickEntries(entries: Record<string, any>, keep: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => keep(name)));
}

/** enumOf takes names or an object; the reverse keys of a numeric TypeScript enum aren't values. */
export function enumOf(given: readonly string[] | Record<string, any>, params?: any): ZodEnum {
  const entries = Array.isArray(given) ? Object.fromEntries(given.map((name) => [name, name])) : (given as Record<string, any>);
  const numbers = Object.values(entries).filter((v) => typeof v === "number");
  const names = Object.keys(entries).filter((name) => !numbers.includes(Number(name)));
  return new ZodEnum({ type: "enum", entries, values: [...new Set(names.map((name) => entries[name]))] }, params);
}

const exactly = (type: string, test: (value: unknown) => boolean) => (params?: any) => new ZodExactly({ type, test }, params);

export const number = (params?: any) => new ZodNumber({ type: "number" }, params);
export const int = (params?: any) => number(params).int(params);
export const int32 = (params?: any) => int(params).min(-2147483648).max(2147483647);
export const uint32 = (params?: any) => int(params).min(0).max(4294967295);
export const bigint = (params?: any) => new ZodBigInt({ type: "bigint" }, params);
export const boolean = (params?: any) => new ZodBoolean({ type: "boolean" }, params);
export const date = (params?: any) => new ZodDate({ type: "date" }, params);
export const nullType = exactly("null", (v) => v === null);
export const undefinedType = exactly("undefined", (v) => v === undefined);
export const voidType = exactly("void", (v) => v === undefined);
export const never = exactly("never", () => false);
export const symbol = exactly("symbol", (v) => typeof v === "symbol");
export const nan = exactly("nan", (v) => typeof v === "number" && Number.isNaN(v));
export const any = (params?: any) => new ZodAny({ type: "any" }, params);
export const unknown = (params?: any) => new ZodUnknown({ type: "unknown" }, params);
export const literal = (value: any, params?: any) => new ZodLiteral({ type: "literal", values: Array.isArray(value) ? value : [value] }, params);
