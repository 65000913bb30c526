// What untrusted code gets besides the intrinsics, and what it loses. Everything
// that is used later is taken before that code runs.
(function (native, shared) {
  "use strict";
  const { apply, ownKeys, construct } = Reflect;
  const { defineProperty, getPrototypeOf, setPrototypeOf, preventExtensions, freeze, create } = Object;
  const hasOwn = Object.hasOwn;
  const then = Function.prototype.call.bind(Promise.prototype.then);
  const NativePromise = Promise;
  const text = String;

  // No code from text: every kind of function reaches a constructor that refuses.
  const refusing = (name, kind) => {
    const refuse = { [name]: function () { throw new EvalError("code can't be made from text in the sandbox"); } }[name];
    defineProperty(refuse, "prototype", { value: kind, writable: false, enumerable: false, configurable: false });
    defineProperty(refuse, "length", { value: 1 });
    defineProperty(kind, "constructor", { value: refuse, writable: false, enumerable: false, configurable: false });
    return refuse;
  };
  const refused = refusing("Function", Function.prototype);
  setPrototypeOf(refusing("AsyncFunction", getPrototypeOf(async () => {})), refused);
  setPrototypeOf(refusing("GeneratorFunction", getPrototypeOf(function* () {})), refused);
  defineProperty(globalThis, "Function", { value: refused, writable: true, enumerable: false, configurable: true });
  delete globalThis.eval;
  delete globalThis.GoError;
  delete globalThis[Symbol.toStringTag];

  // The engine reads \p{…} as plain characters, which would be silently wrong.
  const Pattern = RegExp;
  const property = /\\[pP]\{/, flagged = /[uv]/, unknown = /[dv]/;
  const test = Function.prototype.call.bind(Pattern.prototype.exec);
  const check = (args) => {
    const source = args[0] instanceof Pattern ? args[0].source : args[0] === undefined ? "" : text(args[0]);
    const flags = args[1] === undefined ? (args[0] instanceof Pattern ? args[0].flags : "") : text(args[1]);
    if (test(unknown, flags)) throw new SyntaxError(`the flags "${flags}" of a regular expression are not available in this engine`);
    if (test(flagged, flags) && test(property, source)) throw new SyntaxError("Unicode property escapes are not available in this engine");
  };
  const checked = { RegExp: function (...args) {
    if (!new.target && args[1] === undefined && args[0] instanceof Pattern && args[0].constructor === checked) return args[0];
    check(args);
    return construct(Pattern, args, new.target && new.target !== checked ? new.target : Pattern);
  } }.RegExp;
  for (const key of ownKeys(Pattern)) defineProperty(checked, key, Object.getOwnPropertyDescriptor(Pattern, key));
  defineProperty(Pattern.prototype, "constructor", { value: checked, writable: true, enumerable: false, configurable: true });
  defineProperty(globalThis, "RegExp", { value: checked, writable: true, enumerable: false, configurable: true });
  delete Pattern.prototype.compile;

  // Modules.
  shared.seal = (ns) => {
    setPrototypeOf(ns, null);
    defineProperty(ns, Symbol.toStringTag, { value: "Module" });
    preventExtensions(ns);
  };
  shared.imports = (specifiers, values) => {
    const all = create(null);
    for (let i = 0; i < specifiers.length; i++) all[specifiers[i]] = freeze(values[i]);
    return freeze(all);
  };
  // importer answers import(expression). What it returns has a then of its own,
  // since the linker copies the properties of what it takes for a CommonJS module.
  shared.importer = () => {
    let table = create(null);
    const importer = (specifier) => {
      const found = new NativePromise((resolve) => {
        const name = text(specifier);
        const open = hasOwn(table, name) ? table[name] : hasOwn(table, "./" + name) && name[0] === "." ? table["./" + name] : undefined;
        if (!open) throw new TypeError(`there is no module "${name}": relative specifiers resolve in options.modules, bare ones in options.imports`);
        resolve(open());
      });
      defineProperty(found, "then", { value: (a, b) => then(found, a, b) });
      return found;
    };
    return { importer, fill: (t) => { table = t; } };
  };

  // Functions of the host. An arrow has no prototype and can't be constructed.
  shared.bridge = (id, name) => {
    const call = (...args) => native.call(id, args);
    defineProperty(call, "name", { value: name });
    defineProperty(call, "length", { value: 0 });
    return call;
  };
  shared.console = () => {
    const out = {};
    for (const level of ["log", "info", "warn", "error", "debug"]) out[level] = (...args) => native.log(level, args);
    out.trace = out.dir = out.table = out.group = out.groupCollapsed = out.log;
    out.groupEnd = () => {};
    out.assert = (ok, ...args) => { if (!ok) native.log("error", ["Assertion failed", ...args]); };
    const counts = new Map();
    out.count = (label = "default") => { counts.set(label, (counts.get(label) ?? 0) + 1); out.log(`${label}: ${counts.get(label)}`); };
    return out;
  };
  shared.report = (value) => { native.report(value); };

  // start evaluates the program, resolves the export and settles: (true, value),
  // (false, thrown) or ("missing").
  shared.start = (main, wiring, fn, args, settle) => {
    const fail = (error) => settle(false, error);
    const end = () => {
      const ns = wiring.exports();
      if (!ns || !hasOwn(ns, fn)) return settle("missing");
      let value;
      try {
        value = ns[fn];
        if (typeof value === "function") value = apply(value, undefined, args);
        else if (args.length) return fail(new TypeError(`the export "${fn}" is not a function, but it was given arguments`));
      } catch (error) {
        return fail(error);
      }
      wait(value, (v) => settle(true, v), fail);
    };
    try {
      then(main(wiring.register, wiring.imports, wiring.importer, wiring.fill, wiring.seal, wiring.globals), end, fail);
    } catch (error) {
      fail(error);
    }
  };
  // wait awaits a thenable; anything else is there at once.
  const wait = (value, ok, fail) => {
    then(new NativePromise((resolve) => resolve(value)), ok, fail);
  };
  shared.invoke = (fn, args, ok, fail) => {
    let value;
    try { value = apply(fn, undefined, args); } catch (error) { return fail(error); }
    wait(value, ok, fail);
  };

  const cut = (s, n) => (s.length > n ? s.slice(0, n) + "…" : s);
  shared.describe = (e) => {
    const d = { name: "Error", message: "", stack: undefined };
    try {
      if (e !== null && (typeof e === "object" || typeof e === "function") && (e instanceof Error || typeof e.message === "string")) {
        d.name = cut(text(e.name ?? "Error"), 200);
        d.message = cut(text(e.message ?? ""), 65536);
        if (typeof e.stack === "string") d.stack = cut(e.stack, 65536);
      } else {
        d.message = cut(typeof e === "symbol" ? text(e) : typeof e === "object" && e !== null ? JSON.stringify(e) ?? "an object was thrown" : text(e), 65536);
      }
    } catch {
      d.message ||= "a value was thrown that can't be described";
    }
    return [d.name, d.message, d.stack];
  };
});
