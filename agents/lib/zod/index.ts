// The built-in zod: the part of the zod v4 interface that definitions of agents
// use. A project that has zod in its node_modules gets that one instead.
//
//   import { z } from "zod";      import z from "zod";      import * as z from "zod";

import "sideb:zod/methods";
import { ZodRegistry, ZodType } from "sideb:zod/core";
import { boolean, enumOf, nullType, number, undefinedType, voidType } from "sideb:zod/primitives";
import { ZodBigInt, ZodBoolean, ZodDate, ZodNumber } from "sideb:zod/primitives";
import { ZodString, formatted, string } from "sideb:zod/string";
import { array, recordOf } from "sideb:zod/collections";
import { union } from "sideb:zod/union";
import { catchTo, defaultTo, instanceOf, lazy } from "sideb:zod/wrap";

export { ZodType, ZodType as ZodSchema, ZodType as Schema, ZodRegistry, globalRegistry } from "sideb:zod/core";
export {
  ZodError, ZodError as ZodRealError, config, flattenError, formatError, prettifyError, toDotPath, treeifyError,
} from "sideb:zod/error";
export { ZodString, string } from "sideb:zod/string";
export {
  ZodAny, ZodBigInt, ZodBoolean, ZodDate, ZodEnum, ZodLiteral, ZodNumber, ZodUnknown,
  any, bigint, boolean, date, int, int32, literal, nan, never, number, symbol, uint32, unknown,
} from "sideb:zod/primitives";
export { ZodObject, looseObject, object, strictObject } from "sideb:zod/object";
export { ZodArray, ZodMap, ZodRecord, ZodSet, ZodTuple, array, map, set, tuple } from "sideb:zod/collections";
export { ZodDiscriminatedUnion, ZodIntersection, ZodUnion, discriminatedUnion, intersection, union } from "sideb:zod/union";
export {
  NEVER, ZodCatch, ZodDefault, ZodLazy, ZodNonOptional, ZodNullable, ZodOptional, ZodPipe, ZodPrefault, ZodPromise, ZodReadonly, ZodTransform,
  custom, lazy, nonoptional, nullable, nullish, optional, pipe, prefault, preprocess, promise, readonly, stringbool, transform,
} from "sideb:zod/wrap";
export { toJSONSchema } from "sideb:zod/jsonschema";
export { enumOf as enum, enumOf as nativeEnum, nullType as null, undefinedType as undefined, voidType as void };
export { catchTo as catch, defaultTo as _default, instanceOf as instanceof };

export const email = formatted("email");
export const url = formatted("url");
export const httpUrl = (params?: any) => url({ protocol: /^https?$/, ...params });
export const uuid = formatted("uuid");
export const uuidv4 = formatted("uuidv4");
export const uuidv6 = formatted("uuidv6");
export const guid = formatted("guid");
export const emoji = formatted("emoji");
export const nanoid = formatted("nanoid");
export const cuid = formatted("cuid");
export const cuid2 = formatted("cuid2");
export const ulid = formatted("ulid");
export const ipv4 = formatted("ipv4");
export const ipv6 = formatted("ipv6");
export const base64 = formatted("base64");
export const base64url = formatted("base64url");
export const jwt = formatted("jwt");
export const e164 = formatted("e164");
export const hostname = formatted("hostname");
export const iso = {
  date: formatted("date"),
  time: formatted("time"),
  datetime: formatted("datetime"),
  duration: formatted("duration"),
};

export const record = recordOf(string);
export const partialRecord = recordOf(string, { partial: true });
export const looseRecord = partialRecord;
export const keyof = (schema: any) => schema.keyof();
export const registry = () => new ZodRegistry();

/** json accepts any JSON value. */
export function json(): ZodType {
  const value: ZodType = lazy(() => union([string(), number(), boolean(), nullType(), array(value), record(string(), value)]));
  return value;
}

/** coerce converts the input first, with the constructor of the type. */
export const coerce = {
  string: (params?: any) => new ZodString({ type: "string", coerce: true }, params),
  number: (params?: any) => new ZodNumber({ type: "number", coerce: true }, params),
  bigint: (params?: any) => new ZodBigInt({ type: "bigint", coerce: true }, params),
  boolean: (params?: any) => new ZodBoolean({ type: "boolean", coerce: true }, params),
  date: (params?: any) => new ZodDate({ type: "date", coerce: true }, params),
};

export const ZodIssueCode = Object.freeze({
  invalid_type: "invalid_type", too_big: "too_big", too_small: "too_small", invalid_format: "invalid_format",
  not_multiple_of: "not_multiple_of", unrecognized_keys: "unrecognized_keys", invalid_union: "invalid_union",
  invalid_key: "invalid_key", invalid_element: "invalid_element", invalid_value: "invalid_value", custom: "custom",
});

export const parse = (schema: ZodType, value: unknown, params?: any) => schema.parse(value, params);
export const safeParse = (schema: ZodType, value: unknown, params?: any) => schema.safeParse(value, params);
export const parseAsync = (schema: ZodType, value: unknown, params?: any) => schema.parseAsync(value, params);
export const safeParseAsync = (schema: ZodType, value: unknown, params?: any) => schema.safeParseAsync(value, params);

import * as z from "sideb:zod/index";
export { z, z as default };

/** The types are wide on purpose: definitions are evaluated here, and checked by an editor's own zod. */
export type infer<_T> = any;
export type output<_T> = any;
export type input<_T> = any;
export type TypeOf<_T> = any;
export type ZodTypeAny = ZodType;
export type ZodRawShape = Record<string, ZodType>;
