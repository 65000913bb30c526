// The methods that every schema has and that make other schemas. They are added
// here, not in the class, because those schemas extend it.

import { ZodType, globalRegistry } from "sideb:zod/core";
import { inspection, refinement, rewrite, scrutiny } from "sideb:zod/checks";
import { array } from "sideb:zod/collections";
import { toJSONSchema } from "sideb:zod/jsonschema";
import { intersection, union } from "sideb:zod/union";
import * as wrap from "sideb:zod/wrap";

/** describe and meta answer a copy: a schema never changes after it is made. */
function withMeta(schema: ZodType, meta: object): ZodType {
  const copy = schema.clone();
  const { id: _id, ...inherited } = globalRegistry.get(schema) ?? {};
  globalRegistry.add(copy, { ...inherited, ...meta });
  return copy;
}

const methods: Record<string, (this: ZodType, ...args: any[]) => any> = {
  optional() { return wrap.optional(this); },
  exactOptional() { return wrap.optional(this); },
  nullable() { return wrap.nullable(this); },
  nullish() { return wrap.nullish(this); },
  nonoptional(params) { return wrap.nonoptional(this, params); },
  default(value) { return wrap.defaultTo(this, value); },
  _default(value) { return wrap.defaultTo(this, value); },
  prefault(value) { return wrap.prefault(this, value); },
  catch(value) { return wrap.catchTo(this, value); },
  readonly() { return wrap.readonly(this); },
  array() { return array(this); },
  or(other) { return union([this, other]); },
  and(other) { return intersection(this, other); },
  pipe(next) { return wrap.pipe(this, next); },
  transform(change) { return wrap.pipe(this, wrap.transform(change)); },
  overwrite(change) { return this.with(rewrite("overwrite", change)); },
  brand() { return this; },
  refine(test, params) { return this.with(refinement(test, params)); },
  superRefine(look) { return this.with(scrutiny(look)); },
  check(...looks) { return this.with(...looks.map((look) => (typeof look === "function" ? inspection(look) : look))); },
  describe(description) { return withMeta(this, { description }); },
  meta(meta) { return meta === undefined ? globalRegistry.get(this) : withMeta(this, meta); },
  register(registry, meta) { registry.add(this, meta); return this; },
  toJSONSchema(options) { return toJSONSchema(this, options); },
  isOptional() { return this.safeParse(undefined).success; },
  isNullable() { return this.safeParse(null).success; },
};

for (const name of Object.keys(methods)) {
  Object.defineProperty(ZodType.prototype, name, { value: methods[name], writable: true, configurable: true });
}

Object.defineProperty(ZodType.prototype, "description", {
  get(this: ZodType) { return globalRegistry.get(this)?.description; },
  configurable: true,
});
