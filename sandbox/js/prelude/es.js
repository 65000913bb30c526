// What ECMAScript has and goja lacks. Nothing here is enumerable.
(function (native, shared) {
  "use strict";
  const define = (target, name, value) => {
    if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  };
  const methods = (target, source) => {
    for (const name of Reflect.ownKeys(source)) define(target, name, source[name]);
  };
  shared.define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  shared.methods = methods;

  for (const name of ["asyncIterator", "dispose", "asyncDispose"]) {
    if (!Symbol[name]) Object.defineProperty(Symbol, name, { value: Symbol("Symbol." + name) });
  }

  methods(Object, {
    groupBy(items, key) {
      const out = Object.create(null);
      let i = 0;
      for (const item of items) (out[key(item, i++)] ??= []).push(item);
      return out;
    },
  });
  methods(Map, {
    groupBy(items, key) {
      const out = new Map();
      let i = 0;
      for (const item of items) {
        const k = key(item, i++);
        if (out.has(k)) out.get(k).push(item);
        else out.set(k, [item]);
      }
      return out;
    },
  });
  methods(Promise, {
    withResolvers() {
      let resolve, reject;
      const promise = new this((a, b) => { resolve = a; reject = b; });
      return { promise, resolve, reject };
    },
    try(fn, ...args) {
      return new this((resolve) => resolve(fn(...args)));
    },
  });
  methods(Array, {
    async fromAsync(source, map) {
      const out = [];
      const open = source[Symbol.asyncIterator] ?? source[Symbol.iterator];
      const add = async (value) => out.push(map ? await map(value, out.length) : value);
      if (open) {
        const it = open.call(source);
        for (let step = await it.next(); !step.done; step = await it.next()) await add(await step.value);
      } else {
        for (let i = 0; i < source.length; i++) await add(await source[i]);
      }
      return out;
    },
  });
  // The index of the first surrogate without its partner, from at on; -1 for none.
  const lone = (text, at) => {
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit < 0xd800 || unit > 0xdfff) continue;
      const next = text.charCodeAt(at + 1);
      if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return at;
      at++;
    }
    return -1;
  };
  methods(String.prototype, {
    isWellFormed() { return lone(String(this), 0) < 0; },
    toWellFormed() {
      const text = String(this);
      let out = "", from = 0;
      for (let at = lone(text, 0); at >= 0; at = lone(text, from)) {
        out += text.slice(from, at) + "\uFFFD";
        from = at + 1;
      }
      return out + text.slice(from);
    },
  });
  methods(RegExp, {
    escape(text) {
      return text.replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&")
        .replace(/^[0-9a-zA-Z]|[,\-=<>#&!%:;@~'`"\s]/g, (c) => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"));
    },
  });
  methods(Error, {
    captureStackTrace(target) {
      Object.defineProperty(target, "stack", { value: new Error().stack, writable: true, configurable: true, enumerable: false });
    },
  });

  const iteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const callable = (fn) => {
    if (typeof fn !== "function") throw new TypeError(String(fn) + " is not a function");
  };
  const lazy = (make) => function (arg) {
    return make(this, arg);
  };
  const withFn = (make) => lazy((source, fn) => (callable(fn), make(source, fn)));
  const count = (n) => {
    n = Number(n);
    if (!(n >= 0)) throw new RangeError(n + " must be positive");
    return Math.trunc(n);
  };
  const iterable = (it) => ({ [Symbol.iterator]: () => ({ next: () => it.next(), return: (v) => (it.return ? it.return(v) : { done: true, value: v }) }) });
  methods(iteratorPrototype, {
    map: withFn(function* (it, fn) { let i = 0; for (const v of iterable(it)) yield fn(v, i++); }),
    filter: withFn(function* (it, fn) { let i = 0; for (const v of iterable(it)) if (fn(v, i++)) yield v; }),
    flatMap: withFn(function* (it, fn) { let i = 0; for (const v of iterable(it)) yield* fn(v, i++); }),
    take: lazy((it, n) => (function* (left) { if (left > 0) for (const v of iterable(it)) { yield v; if (--left <= 0) return; } })(count(n))),
    drop: lazy((it, n) => (function* (left) { for (const v of iterable(it)) if (left-- <= 0) yield v; })(count(n))),
    toArray() { return [...iterable(this)]; },
    forEach(fn) { callable(fn); let i = 0; for (const v of iterable(this)) fn(v, i++); },
    some(fn) { callable(fn); let i = 0; for (const v of iterable(this)) if (fn(v, i++)) return true; return false; },
    every(fn) { callable(fn); let i = 0; for (const v of iterable(this)) if (!fn(v, i++)) return false; return true; },
    find(fn) { callable(fn); let i = 0; for (const v of iterable(this)) if (fn(v, i++)) return v; },
    reduce(fn, ...init) {
      callable(fn);
      let acc = init[0], first = init.length === 0, i = 0;
      for (const v of iterable(this)) {
        if (first) { acc = v; first = false; } else acc = fn(acc, v, i);
        i++;
      }
      if (first) throw new TypeError("Reduce of empty iterator with no initial value");
      return acc;
    },
    [Symbol.dispose]() { this.return?.(); },
  });
  if (!globalThis.Iterator) {
    const Iterator = function () {
      if (new.target === undefined || new.target === Iterator) throw new TypeError("Iterator can't be constructed");
    };
    Iterator.prototype = iteratorPrototype;
    define(iteratorPrototype, "constructor", Iterator);
    define(Iterator, "from", (source) => {
      const it = source[Symbol.iterator]?.() ?? source;
      return it instanceof Iterator ? it : (function* () { yield* iterable(it); })();
    });
    shared.define("Iterator", Iterator);
  }

  if (!globalThis.SuppressedError) {
    shared.define("SuppressedError", class SuppressedError extends Error {
      constructor(error, suppressed, message) {
        super(message);
        this.name = "SuppressedError";
        this.error = error;
        this.suppressed = suppressed;
      }
    });
  }
  const stack = (symbol, name, isAsync) => {
    const Stack = class {
      #list = [];
      #disposed = false;
      get disposed() { return this.#disposed; }
      #add(run) {
        if (this.#disposed) throw new ReferenceError(name + " is already disposed");
        this.#list.push(run);
      }
      use(value) {
        if (value === null || value === undefined) return value;
        const method = (isAsync && value[Symbol.asyncDispose]) || value[Symbol.dispose];
        if (typeof method !== "function") throw new TypeError("the value is not disposable");
        this.#add(() => method.call(value));
        return value;
      }
      adopt(value, fn) { this.#add(() => fn(value)); return value; }
      defer(fn) { this.#add(fn); }
      move() {
        const next = new Stack();
        next.#list = this.#list;
        this.#list = [];
        this.#disposed = true;
        return next;
      }
      #start() {
        const list = this.#list;
        this.#list = [];
        this.#disposed = true;
        return list.reverse();
      }
      disposeSync() {
        let failed = false, error;
        for (const run of this.#start()) {
          try { run(); } catch (e) { error = failed ? new SuppressedError(e, error) : e; failed = true; }
        }
        if (failed) throw error;
      }
      async disposeAsync() {
        let failed = false, error;
        for (const run of this.#start()) {
          try { await run(); } catch (e) { error = failed ? new SuppressedError(e, error) : e; failed = true; }
        }
        if (failed) throw error;
      }
    };
    const run = isAsync ? Stack.prototype.disposeAsync : Stack.prototype.disposeSync;
    delete Stack.prototype.disposeAsync;
    delete Stack.prototype.disposeSync;
    define(Stack.prototype, isAsync ? "disposeAsync" : "dispose", run);
    define(Stack.prototype, symbol, run);
    define(Stack.prototype, Symbol.toStringTag, name);
    Object.defineProperty(Stack, "name", { value: name });
    if (!globalThis[name]) shared.define(name, Stack);
  };
  stack(Symbol.dispose, "DisposableStack", false);
  stack(Symbol.asyncDispose, "AsyncDisposableStack", true);
});
