// structuredClone: a copy that keeps cycles and shared references.
(function (native, shared) {
  "use strict";
  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const refuse = (v) => {
    throw new DOMException(`${typeof v === "function" ? "a function" : typeof v === "symbol" ? "a symbol" : "the value"} could not be cloned`, "DataCloneError");
  };
  const clone = (v, seen) => {
    if (typeof v === "function" || typeof v === "symbol") refuse(v);
    if (typeof v !== "object" || v === null) return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (made) => (seen.set(v, made), made);
    if (v instanceof Date) return keep(new Date(v.getTime()));
    if (v instanceof RegExp) return keep(new RegExp(v.source, v.flags));
    if (v instanceof ArrayBuffer) return keep(v.slice(0));
    if (ArrayBuffer.isView(v)) {
      const buffer = clone(v.buffer, seen);
      return keep(v instanceof DataView ? new DataView(buffer, v.byteOffset, v.byteLength) : new v.constructor(buffer, v.byteOffset, v.length));
    }
    if (v instanceof Number || v instanceof String || v instanceof Boolean) return keep(Object(v.valueOf()));
    if (v instanceof Blob) return v;
    if (v instanceof Promise || v instanceof WeakMap || v instanceof WeakSet) refuse(v);
    if (v instanceof Map) {
      const out = keep(new Map());
      for (const [k, x] of [...v]) out.set(clone(k, seen), clone(x, seen));
      return out;
    }
    if (v instanceof Set) {
      const out = keep(new Set());
      for (const x of [...v]) out.add(clone(x, seen));
      return out;
    }
    if (v instanceof Error) {
      const fresh = keep(new (errors[v.name] ?? Error)(v.message));
      Object.defineProperty(fresh, "stack", { value: v.stack, writable: true, configurable: true });
      if ("cause" in v) Object.defineProperty(fresh, "cause", { value: clone(v.cause, seen), writable: true, configurable: true });
      return fresh;
    }
    const out = keep(Array.isArray(v) ? new Array(v.length) : {});
    for (const k of Object.keys(v)) out[k] = clone(v[k], seen);
    return out;
  };
  shared.define("structuredClone", (value) => {
    return clone(value, new Map());
  });
});
