// What Go calls, and the globals that reach the host: calls, errors, console and timers.
(function (native, shared) {
  "use strict";
  const { parse, stringify } = JSON;
  const define = shared.define;
  const resolved = Promise.resolve.bind(Promise);
  const then = Function.prototype.call.bind(Promise.prototype.then);

  shared.parse = parse;
  shared.load = (main, register, settle) => {
    then(main(register), () => settle(true), (error) => settle(false, error));
  };

  const text = (args) => stringify(args) ?? "null";
  const states = new WeakMap(); // env -> {id, controller, reason}
  shared.begin = (id) => {
    const state = { id, controller: undefined, reason: undefined };
    const env = {
      get signal() {
        if (!state.controller) {
          state.controller = new AbortController();
          if (state.reason) state.controller.abort(state.reason);
        }
        return state.controller.signal;
      },
      host: (method, args) => native.host(id, String(method), text(args)),
      hostSend: (method, args) => native.send(id, String(method), text(args)),
    };
    states.set(env, state);
    return env;
  };
  shared.abort = (env, why) => {
    const state = states.get(env);
    state.reason = new DOMException(why || "This operation was aborted", "AbortError");
    state.controller?.abort(state.reason);
  };
  shared.call = (exports, name, args, env) => {
    const { id } = states.get(env);
    const fail = (error) => native.settle(id, false, undefined, error);
    const end = (value) => {
      let out;
      try { out = stringify(value); } catch (error) { return fail(error); }
      native.settle(id, true, out);
    };
    let value;
    try {
      const fn = exports?.[name];
      if (typeof fn !== "function") throw new TypeError(`the entry exports no function ${stringify(name)}`);
      value = fn(...parse(args), env);
    } catch (error) {
      return fail(error);
    }
    if (value !== null && typeof value === "object" && typeof value.then === "function") then(resolved(value), end, fail);
    else end(value);
  };

  define("__host", (method, args) => {
    const env = native.current();
    return env ? env.host(method, args) : native.host(0, String(method), text(args));
  });
  define("__hostSend", (method, args) => {
    const env = native.current();
    return env ? env.hostSend(method, args) : native.send(0, String(method), text(args));
  });
  define("__signal", () => native.current()?.signal);

  const kinds = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  shared.error = (description) => {
    const d = parse(description);
    let e;
    if (d.name === "AbortError" || d.name === "TimeoutError") {
      e = new DOMException(d.message, d.name);
    } else {
      e = new (kinds[d.name] ?? Error)(d.message);
      if (d.name && d.name !== e.name) Object.defineProperty(e, "name", { value: d.name, writable: true, configurable: true });
      if (d.code) e.code = d.code;
    }
    if (d.data && typeof d.data === "object") for (const k of Object.keys(d.data)) if (!(k in e)) e[k] = d.data[k];
    return e;
  };

  const describe = (e, depth) => {
    const d = { name: "", message: "" };
    if (e === null || typeof e !== "object" || !(e instanceof Error || typeof e.message === "string")) {
      d.message = typeof e === "object" || typeof e === "function" ? shared.inspect(e) : String(e);
      d.data = e;
      return d;
    }
    d.name = String(e.name ?? e.constructor?.name ?? "Error");
    d.message = String(e.message ?? "");
    if (typeof e.stack === "string") d.stack = e.stack;
    if (typeof e.code === "string" || typeof e.code === "number") d.code = String(e.code);
    const data = {};
    for (const k of Object.keys(e)) {
      if (k === "name" || k === "message" || k === "stack" || k === "code") continue;
      data[k] = e[k];
    }
    if (depth > 0 && e.cause !== undefined) data.cause = describe(e.cause, depth - 1);
    if (depth > 0 && Array.isArray(e.errors)) data.errors = e.errors.map((x) => describe(x, depth - 1));
    if (Object.keys(data).length) d.data = data;
    return d;
  };
  shared.describe = (e) => {
    const d = describe(e, 3);
    try { return stringify(d); } catch { delete d.data; }
    return stringify(d);
  };

  const quote = (s) => (s.length > 10000 ? stringify(s.slice(0, 10000)) + "…" : stringify(s));
  const inspect = (v, depth, seen) => {
    switch (typeof v) {
      case "string": return quote(v);
      case "bigint": return v + "n";
      case "symbol": return v.toString();
      case "function": return `[${/^class\b/.test(Function.prototype.toString.call(v)) ? "class" : "Function"} ${v.name || "(anonymous)"}]`;
      case "object": break;
      default: return Object.is(v, -0) ? "-0" : String(v);
    }
    if (v === null) return "null";
    if (v instanceof Error) {
      const cause = v.cause === undefined ? "" : "\n  [cause]: " + (depth > 3 ? "…" : inspect(v.cause, depth + 1, seen));
      return (v.stack ? String(v.stack).trimEnd() : `${v.name}: ${v.message}`) + cause;
    }
    if (seen.includes(v)) return "[Circular]";
    if (depth > 4) return Array.isArray(v) ? "[Array]" : "[Object]";
    const next = [...seen, v];
    const sub = (x) => inspect(x, depth + 1, next);
    const some = (list, f) => (list.length > 100 ? [...list.slice(0, 100).map(f), `… ${list.length - 100} more`] : list.map(f));
    if (Array.isArray(v)) return "[" + some(v, sub).join(", ") + "]";
    if (v instanceof Date) return isNaN(v) ? "Invalid Date" : v.toISOString();
    if (v instanceof RegExp) return String(v);
    if (v instanceof Promise) return "Promise {}";
    const name = v.constructor?.name;
    if (v instanceof Map) return `Map(${v.size}) {` + some([...v], ([k, x]) => sub(k) + " => " + sub(x)).join(", ") + "}";
    if (v instanceof Set) return `Set(${v.size}) {` + some([...v], sub).join(", ") + "}";
    if (ArrayBuffer.isView(v) && !(v instanceof DataView)) return `${name}(${v.length}) [` + some([...v.subarray(0, 101)], String).join(", ") + "]";
    const keys = some(Object.keys(v), (k) => (k.startsWith("… ") ? k : (/^[\w$]+$/.test(k) ? k : quote(k)) + ": " + sub(v[k])));
    return (name && name !== "Object" ? name + " " : "") + (keys.length ? "{ " + keys.join(", ") + " }" : "{}");
  };
  shared.inspect = (v) => {
    try { return inspect(v, 0, []); } catch { return "[value that can't be shown]"; }
  };
  const format = (args) => {
    let list = args;
    let head = "";
    if (typeof args[0] === "string" && args.length > 1 && args[0].includes("%")) {
      list = args.slice(1);
      head = args[0].replace(/%([sdifjoOc%])/g, (all, kind) => {
        if (kind === "%") return "%";
        if (!list.length) return all;
        const v = list.shift();
        switch (kind) {
          case "s": return typeof v === "string" ? v : shared.inspect(v);
          case "d": case "f": return String(Number(v));
          case "i": return String(Math.trunc(Number(v)));
          case "j": return stringify(v);
          case "c": return "";
          default: return shared.inspect(v);
        }
      });
      return [head, ...list.map((v) => (typeof v === "string" ? v : shared.inspect(v)))].join(" ");
    }
    return list.map((v) => (typeof v === "string" ? v : shared.inspect(v))).join(" ");
  };
  let indent = "";
  const print = (level) => (...args) => native.print(level, indent + format(args).replaceAll("\n", "\n" + indent));
  const counts = new Map();
  const times = new Map();
  const log = print("log");
  define("console", {
    log, info: print("info"), warn: print("warn"), error: print("error"), debug: print("debug"),
    trace: (...args) => print("debug")(new Error(format(args)).stack.replace(/^Error/, "Trace")),
    dir: (v) => log(v), dirxml: (...args) => log(...args), table: (v) => log(v),
    assert: (ok, ...args) => { if (!ok) print("error")("Assertion failed" + (args.length ? ": " + format(args) : "")); },
    group: (...args) => { if (args.length) log(...args); indent += "  "; },
    groupCollapsed: (...args) => { if (args.length) log(...args); indent += "  "; },
    groupEnd: () => { indent = indent.slice(2); },
    count: (label = "default") => { counts.set(label, (counts.get(label) ?? 0) + 1); log(`${label}: ${counts.get(label)}`); },
    countReset: (label = "default") => { counts.delete(label); },
    time: (label = "default") => { times.set(label, native.now()); },
    timeLog: (label = "default", ...args) => { if (times.has(label)) log(`${label}: ${(native.now() - times.get(label)).toFixed(3)}ms`, ...args); },
    timeEnd: (label = "default") => { console.timeLog(label); times.delete(label); },
  });

  class Timer {
    #id;
    constructor(id) { this.#id = id; }
    ref() { return this; }
    unref() { return this; }
    hasRef() { return true; }
    [Symbol.toPrimitive]() { return this.#id; }
    [Symbol.dispose]() { native.stopTimer(this.#id); }
  }
  const timer = (repeat) => (fn, ms, ...args) => {
    if (typeof fn !== "function") throw new TypeError("the callback of a timer must be a function");
    ms = Number(ms);
    return new Timer(native.startTimer(args.length ? () => fn(...args) : () => fn(), ms > 0 ? ms : 0, repeat));
  };
  const clear = (t) => { if (t !== undefined && t !== null) native.stopTimer(Number(t)); };
  define("setTimeout", timer(false));
  define("setInterval", timer(true));
  define("clearTimeout", clear);
  define("clearInterval", clear);
  let immediates = 0;
  const live = new Set();
  define("setImmediate", (fn, ...args) => {
    const id = ++immediates;
    live.add(id);
    native.later(() => { if (live.delete(id)) fn(...args); });
    return id;
  });
  define("clearImmediate", (id) => { live.delete(id); });
  define("queueMicrotask", (fn) => {
    if (typeof fn !== "function") throw new TypeError("queueMicrotask needs a function");
    then(resolved(), () => { try { fn(); } catch (e) { native.print("error", "Uncaught " + shared.inspect(e)); } });
  });
  define("performance", { now: () => native.now(), timeOrigin: Date.now() - native.now(), mark() {}, measure() {}, toJSON: () => ({}) });
  define("self", globalThis);
  define("__bytesToBase64", shared.toBase64);
  define("__base64ToBytes", shared.fromBase64);
});
