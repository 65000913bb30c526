// DOMException, Event, EventTarget, AbortController and AbortSignal.
(function (native, shared) {
  "use strict";
  const codes = { AbortError: 20, TimeoutError: 23, DataCloneError: 25, InvalidStateError: 11, SyntaxError: 12, NotSupportedError: 9, InvalidCharacterError: 5, QuotaExceededError: 22 };
  class DOMException extends Error {
    #name;
    constructor(message = "", name = "Error") {
      super(message);
      this.#name = typeof name === "object" && name ? name.name ?? "Error" : String(name);
    }
    get name() { return this.#name; }
    get code() { return codes[this.#name] ?? 0; }
  }

  class Event {
    #type; #cancelable; #stopped = false; #prevented = false;
    constructor(type, init = {}) {
      this.#type = String(type);
      this.#cancelable = !!init?.cancelable;
      this.bubbles = !!init?.bubbles;
      this.target = null;
      this.currentTarget = null;
      this.timeStamp = native.now();
    }
    get type() { return this.#type; }
    get cancelable() { return this.#cancelable; }
    get defaultPrevented() { return this.#prevented; }
    preventDefault() { if (this.#cancelable) this.#prevented = true; }
    stopPropagation() {}
    stopImmediatePropagation() { this.#stopped = true; }
    static stopped(event) { return event.#stopped; }
  }
  const stopped = Event.stopped;
  delete Event.stopped;
  class CustomEvent extends Event {
    constructor(type, init = {}) {
      super(type, init);
      this.detail = init?.detail ?? null;
    }
  }

  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options) {
      if (!listener) return;
      const once = typeof options === "object" && !!options?.once;
      const signal = typeof options === "object" ? options?.signal : undefined;
      if (signal?.aborted) return;
      const list = this.#listeners.get(type) ?? [];
      if (list.some((l) => l.listener === listener)) return;
      this.#listeners.set(type, [...list, { listener, once }]);
      signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
    }
    removeEventListener(type, listener) {
      const list = this.#listeners.get(type);
      if (list) this.#listeners.set(type, list.filter((l) => l.listener !== listener));
    }
    dispatchEvent(event) {
      event.target = event.currentTarget = this;
      const own = this["on" + event.type];
      const list = [...(typeof own === "function" ? [{ listener: own }] : []), ...(this.#listeners.get(event.type) ?? [])];
      for (const { listener, once } of list) {
        if (once) this.removeEventListener(event.type, listener);
        try {
          if (typeof listener === "function") listener.call(this, event);
          else listener.handleEvent(event);
        } catch (error) {
          native.print("error", "Uncaught " + shared.inspect(error));
        }
        if (stopped(event)) break;
      }
      return !event.defaultPrevented;
    }
  }

  const secret = Symbol();
  let fire;
  class AbortSignal extends EventTarget {
    #aborted = false; #reason; #dependents = [];
    onabort = null;
    constructor(key) {
      if (key !== secret) throw new TypeError("Illegal constructor");
      super();
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static {
      fire = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        signal.dispatchEvent(new Event("abort"));
        for (const other of signal.#dependents) fire(other, signal.#reason);
        signal.#dependents = [];
      };
    }
    static abort(reason) {
      const signal = new AbortSignal(secret);
      fire(signal, reason);
      return signal;
    }
    static timeout(ms) {
      const signal = new AbortSignal(secret);
      native.startTimer(() => fire(signal, new DOMException("The operation timed out", "TimeoutError")), ms, false);
      return signal;
    }
    static any(signals) {
      const made = new AbortSignal(secret);
      for (const s of signals) {
        if (s.aborted) {
          fire(made, s.reason);
          return made;
        }
      }
      for (const s of signals) s.#dependents.push(made);
      return made;
    }
  }
  class AbortController {
    #signal = new AbortSignal(secret);
    get signal() { return this.#signal; }
    abort(reason) { fire(this.#signal, reason); }
  }
  const tag = (type) => Object.defineProperty(type.prototype, Symbol.toStringTag, { value: type.name, configurable: true });
  for (const type of [DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController]) {
    tag(type);
    shared.define(type.name, type);
  }
  shared.tag = tag;
});
