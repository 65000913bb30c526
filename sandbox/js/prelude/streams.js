// Streams of values: ReadableStream, WritableStream, TransformStream and the
// text ones. No byte readers and no queueing strategies but a count.
(function (native, shared) {
  "use strict";
  const noop = () => {};
  const quiet = (promise) => (promise.catch(noop), promise);

  class ReadableStreamDefaultReader {
    #stream; #closed;
    constructor(stream) {
      if (stream.locked) throw new TypeError("the stream is locked to a reader");
      this.#stream = stream;
      this.#closed = internals.get(stream).closed.promise;
      internals.get(stream).reader = this;
    }
    get closed() { return this.#closed; }
    read() {
      if (!this.#stream) return Promise.reject(new TypeError("the reader was released"));
      return internals.get(this.#stream).read();
    }
    cancel(reason) {
      if (!this.#stream) return Promise.reject(new TypeError("the reader was released"));
      return internals.get(this.#stream).cancel(reason);
    }
    releaseLock() {
      if (this.#stream) internals.get(this.#stream).reader = undefined;
      this.#stream = undefined;
    }
  }

  const internals = new WeakMap();
  class Source {
    queue = []; waiting = []; state = "readable"; error = undefined; reader = undefined; closing = false; pulling = false; again = false; started = null; ready = false;
    closed = Promise.withResolvers();
    disturbed = false;
    constructor(source, size) {
      this.source = source;
      this.size = size;
      quiet(this.closed.promise);
      this.controller = {
        enqueue: (value) => this.enqueue(value),
        close: () => this.close(),
        error: (e) => this.fail(e),
      };
      Object.defineProperty(this.controller, "desiredSize", { get: () => (this.state === "errored" ? null : this.state === "closed" ? 0 : this.size - this.queue.length) });
      this.started = Promise.resolve(source.start?.(this.controller)).then(() => {
        this.ready = true;
        this.pull();
      }, (e) => this.fail(e));
    }
    enqueue(value) {
      if (this.closing || this.state !== "readable") throw new TypeError("the stream is closed");
      if (this.waiting.length) this.waiting.shift().resolve({ value, done: false });
      else this.queue.push(value);
      this.pull();
    }
    close() {
      if (this.closing || this.state !== "readable") throw new TypeError("the stream is closed");
      this.closing = true;
      if (!this.queue.length) this.end();
    }
    end() {
      this.state = "closed";
      for (const w of this.waiting.splice(0)) w.resolve({ value: undefined, done: true });
      this.closed.resolve();
    }
    fail(e) {
      if (this.state !== "readable") return;
      this.state = "errored";
      this.error = e;
      this.queue = [];
      for (const w of this.waiting.splice(0)) w.reject(e);
      this.closed.reject(e);
    }
    pull() {
      if (!this.ready || this.closing || this.state !== "readable" || !this.source.pull) return;
      if (!this.waiting.length && this.queue.length >= this.size) return;
      if (this.pulling) {
        this.again = true;
        return;
      }
      this.pulling = true;
      this.again = false;
      let p;
      try { p = Promise.resolve(this.source.pull(this.controller)); } catch (e) { p = Promise.reject(e); }
      p.then(() => {
        this.pulling = false;
        if (this.again) this.pull();
      }, (e) => {
        this.pulling = false;
        this.fail(e);
      });
    }
    read() {
      this.disturbed = true;
      if (this.queue.length) {
        const value = this.queue.shift();
        if (this.closing && !this.queue.length) this.end();
        else this.pull();
        return Promise.resolve({ value, done: false });
      }
      if (this.state === "closed") return Promise.resolve({ value: undefined, done: true });
      if (this.state === "errored") return Promise.reject(this.error);
      const w = Promise.withResolvers();
      this.waiting.push(w);
      this.pull();
      return w.promise;
    }
    async cancel(reason) {
      this.disturbed = true;
      if (this.state === "closed") return;
      if (this.state === "errored") throw this.error;
      this.queue = [];
      this.closing = true;
      this.end();
      await this.source.cancel?.(reason);
    }
  }

  class ReadableStream {
    constructor(source = {}, strategy = {}) {
      internals.set(this, new Source(source ?? {}, strategy?.highWaterMark ?? 1));
    }
    get locked() { return internals.get(this).reader !== undefined; }
    getReader() { return new ReadableStreamDefaultReader(this); }
    cancel(reason) {
      if (this.locked) return Promise.reject(new TypeError("the stream is locked to a reader"));
      return internals.get(this).cancel(reason);
    }
    values({ preventCancel = false } = {}) {
      const reader = this.getReader();
      return {
        async next() {
          const step = await reader.read();
          if (step.done) reader.releaseLock();
          return step;
        },
        async return(value) {
          if (!preventCancel) await reader.cancel(value);
          reader.releaseLock();
          return { value, done: true };
        },
        [Symbol.asyncIterator]() { return this; },
      };
    }
    [Symbol.asyncIterator](options) { return this.values(options); }
    tee() {
      const reader = this.getReader();
      const controllers = [];
      let reading = false;
      const pull = async () => {
        if (reading) return;
        reading = true;
        try {
          const { value, done } = await reader.read();
          for (const c of controllers) {
            try { if (done) c.close(); else c.enqueue(value); } catch { /* that branch was cancelled */ }
          }
        } catch (e) {
          for (const c of controllers) c.error(e);
        }
        reading = false;
      };
      const branch = () => new ReadableStream({ start: (c) => { controllers.push(c); }, pull });
      return [branch(), branch()];
    }
    async pipeTo(target, { preventClose, preventAbort, preventCancel, signal } = {}) {
      const reader = this.getReader();
      const writer = target.getWriter();
      try {
        for (;;) {
          signal?.throwIfAborted();
          const { value, done } = await reader.read();
          if (done) break;
          await writer.write(value);
        }
        if (!preventClose) await writer.close();
      } catch (e) {
        if (!preventAbort) await writer.abort(e).catch(noop);
        if (!preventCancel) await reader.cancel(e).catch(noop);
        throw e;
      } finally {
        reader.releaseLock();
        writer.releaseLock();
      }
    }
    pipeThrough({ readable, writable }, options) {
      quiet(this.pipeTo(writable, options));
      return readable;
    }
    static from(source) {
      const it = (source[Symbol.asyncIterator] ?? source[Symbol.iterator]).call(source);
      return new ReadableStream({
        async pull(c) {
          const { value, done } = await it.next();
          if (done) c.close();
          else c.enqueue(await value);
        },
        async cancel(reason) { await it.return?.(reason); },
      }, { highWaterMark: 0 });
    }
  }
  shared.disturbed = (stream) => internals.get(stream)?.disturbed ?? false;

  const sinks = new WeakMap();
  class Sink {
    state = "writable"; error; last; writer; closed = Promise.withResolvers();
    constructor(sink) {
      this.sink = sink;
      quiet(this.closed.promise);
      this.abort = new AbortController();
      this.controller = { error: (e) => this.fail(e), signal: this.abort.signal };
      this.last = quiet(Promise.resolve(sink.start?.(this.controller)));
      this.last.catch((e) => this.fail(e));
    }
    fail(e) {
      if (this.state === "errored" || this.state === "closed") return;
      this.state = "errored";
      this.error = e;
      this.closed.reject(e);
    }
    then(run) {
      const p = this.last.then(() => {
        if (this.state === "errored") throw this.error;
        return run();
      });
      this.last = quiet(p);
      p.catch((e) => this.fail(e));
      return p;
    }
    write(chunk) {
      if (this.state === "errored") return Promise.reject(this.error);
      if (this.state !== "writable") return Promise.reject(new TypeError("the stream is closed"));
      return this.then(async () => { await this.sink.write?.(chunk, this.controller); });
    }
    close() {
      if (this.state !== "writable") return Promise.reject(this.error ?? new TypeError("the stream is closed"));
      this.state = "closing";
      return this.then(async () => {
        await this.sink.close?.();
        this.state = "closed";
        this.closed.resolve();
      });
    }
    async stop(reason) {
      if (this.state === "closed") return;
      this.abort.abort(reason);
      this.fail(reason);
      await this.sink.abort?.(reason);
    }
  }
  class WritableStreamDefaultWriter {
    #stream;
    constructor(stream) {
      if (stream.locked) throw new TypeError("the stream is locked to a writer");
      this.#stream = stream;
      sinks.get(stream).writer = this;
    }
    #sink() {
      if (!this.#stream) throw new TypeError("the writer was released");
      return sinks.get(this.#stream);
    }
    get closed() { return this.#sink().closed.promise; }
    get ready() { return this.#sink().last; }
    get desiredSize() { return 1; }
    async write(chunk) { return this.#sink().write(chunk); }
    async close() { return this.#sink().close(); }
    async abort(reason) { return this.#sink().stop(reason); }
    releaseLock() {
      if (this.#stream) sinks.get(this.#stream).writer = undefined;
      this.#stream = undefined;
    }
  }
  class WritableStream {
    constructor(sink = {}) { sinks.set(this, new Sink(sink ?? {})); }
    get locked() { return sinks.get(this).writer !== undefined; }
    getWriter() { return new WritableStreamDefaultWriter(this); }
    async close() { return sinks.get(this).close(); }
    async abort(reason) { return sinks.get(this).stop(reason); }
  }

  class TransformStream {
    #readable; #writable;
    constructor(transformer = {}) {
      let out, demand = Promise.withResolvers();
      this.#readable = new ReadableStream({
        start: (c) => { out = c; },
        pull: () => { demand.resolve(); demand = Promise.withResolvers(); },
        cancel: (reason) => sinks.get(this.#writable).stop(reason),
      }, { highWaterMark: 1 });
      const controller = {
        enqueue: (value) => out.enqueue(value),
        error: (e) => { out.error(e); sinks.get(this.#writable).fail(e); },
        terminate: () => { out.close(); sinks.get(this.#writable).fail(new TypeError("the stream was terminated")); },
        get desiredSize() { return out.desiredSize; },
      };
      this.#writable = new WritableStream({
        start: () => transformer.start?.(controller),
        write: async (chunk) => {
          while (out.desiredSize <= 0 && out.desiredSize !== null && !internals.get(this.#readable).waiting.length) await demand.promise;
          try {
            if (transformer.transform) await transformer.transform(chunk, controller);
            else out.enqueue(chunk);
          } catch (e) {
            out.error(e);
            throw e;
          }
        },
        close: async () => {
          await transformer.flush?.(controller);
          if (internals.get(this.#readable).state === "readable" && !internals.get(this.#readable).closing) out.close();
        },
        abort: (reason) => out.error(reason),
      });
    }
    get readable() { return this.#readable; }
    get writable() { return this.#writable; }
  }
  class TextDecoderStream extends TransformStream {
    constructor(label, options) {
      const decoder = new TextDecoder(label, options);
      super({
        transform: (chunk, c) => { const text = decoder.decode(chunk, { stream: true }); if (text) c.enqueue(text); },
        flush: (c) => { const text = decoder.decode(); if (text) c.enqueue(text); },
      });
    }
  }
  class TextEncoderStream extends TransformStream {
    constructor() {
      super({ transform: (chunk, c) => c.enqueue(shared.encode(chunk)) });
    }
  }
  for (const type of [ReadableStream, ReadableStreamDefaultReader, WritableStream, WritableStreamDefaultWriter, TransformStream, TextDecoderStream, TextEncoderStream]) {
    shared.tag(type);
    shared.define(type.name, type);
  }
});
