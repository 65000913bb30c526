// fetch, Headers, Request, Response and FormData.
(function (native, shared) {
  "use strict";
  const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  class Headers {
    #map = new Map(); // lower-case name -> values
    constructor(init) {
      if (init === undefined || init === null) return;
      const pairs = init instanceof Headers || typeof init[Symbol.iterator] === "function" ? init : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }
    #key(name) {
      name = String(name);
      if (!token.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a header name`);
      return name.toLowerCase();
    }
    #value(value) {
      value = String(value).trim();
      if (/[\0\r\n]/.test(value)) throw new TypeError("a header value has a line break");
      return value;
    }
    append(name, value) {
      const key = this.#key(name);
      this.#map.set(key, [...(this.#map.get(key) ?? []), this.#value(value)]);
    }
    set(name, value) { this.#map.set(this.#key(name), [this.#value(value)]); }
    delete(name) { this.#map.delete(this.#key(name)); }
    has(name) { return this.#map.has(this.#key(name)); }
    get(name) { return this.#map.get(this.#key(name))?.join(", ") ?? null; }
    getSetCookie() { return [...(this.#map.get("set-cookie") ?? [])]; }
    *entries() {
      for (const key of [...this.#map.keys()].sort()) {
        if (key === "set-cookie") for (const v of this.#map.get(key)) yield [key, v];
        else yield [key, this.#map.get(key).join(", ")];
      }
    }
    *keys() { for (const [k] of this.entries()) yield k; }
    *values() { for (const [, v] of this.entries()) yield v; }
    forEach(fn, self) { for (const [k, v] of this.entries()) fn.call(self, v, k, this); }
    [Symbol.iterator]() { return this.entries(); }
  }

  class FormData {
    #list = [];
    #entry(name, value, file) {
      if (value instanceof Blob && (!(value instanceof File) || file !== undefined)) value = new File([value], file ?? value.name ?? "blob", { type: value.type });
      return [String(name), value instanceof Blob ? value : String(value)];
    }
    append(name, value, file) { this.#list.push(this.#entry(name, value, file)); }
    set(name, value, file) {
      const entry = this.#entry(name, value, file);
      const at = this.#list.findIndex(([n]) => n === entry[0]);
      this.delete(name);
      this.#list.splice(at < 0 ? this.#list.length : at, 0, entry);
    }
    delete(name) { this.#list = this.#list.filter(([n]) => n !== String(name)); }
    get(name) { return this.#list.find(([n]) => n === String(name))?.[1] ?? null; }
    getAll(name) { return this.#list.filter(([n]) => n === String(name)).map(([, v]) => v); }
    has(name) { return this.#list.some(([n]) => n === String(name)); }
    *entries() { for (const [n, v] of this.#list) yield [n, v]; }
    *keys() { for (const [n] of this.#list) yield n; }
    *values() { for (const [, v] of this.#list) yield v; }
    forEach(fn, self) { for (const [n, v] of this.#list) fn.call(self, v, n, this); }
    [Symbol.iterator]() { return this.entries(); }
  }
  const escapeName = (s) => s.replace(/\r\n|\r|\n/g, "%0D%0A").replace(/"/g, "%22");
  const multipart = async (form) => {
    const boundary = "----sideb" + crypto.randomUUID().replaceAll("-", "");
    const parts = [];
    for (const [name, value] of form) {
      const file = value instanceof Blob ? `; filename="${escapeName(value.name)}"\r\nContent-Type: ${value.type || "application/octet-stream"}` : "";
      parts.push(shared.encode(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${file}\r\n\r\n`));
      parts.push(value instanceof Blob ? await value.bytes() : shared.encode(value), shared.encode("\r\n"));
    }
    parts.push(shared.encode(`--${boundary}--\r\n`));
    return { type: "multipart/form-data; boundary=" + boundary, bytes: shared.concat(parts) };
  };
  const parseMultipart = (data, boundary) => {
    const form = new FormData();
    const latin = (b) => new TextDecoder("latin1").decode(b);
    const whole = latin(data);
    let at = whole.indexOf("--" + boundary);
    while (at >= 0) {
      const start = at + boundary.length + 2;
      const next = whole.indexOf("\r\n--" + boundary, start);
      if (next < 0 || whole.startsWith("--", start)) break;
      const head = whole.indexOf("\r\n\r\n", start);
      const headers = shared.decode(data.slice(start, head));
      const body = data.slice(head + 4, next);
      const name = /name="([^"]*)"/.exec(headers)?.[1] ?? "";
      const file = /filename="([^"]*)"/.exec(headers)?.[1];
      const type = /content-type:\s*([^\r\n]+)/i.exec(headers)?.[1] ?? "";
      form.append(name, file === undefined ? shared.decode(body) : new File([body], file, { type }));
      at = next + 2;
    }
    return form;
  };

  // A body is {type, bytes} once it is known; a stream is read when it is needed.
  const extract = (body) => {
    if (body === undefined || body === null) return null;
    if (typeof body === "string") return { type: "text/plain;charset=UTF-8", data: () => shared.encode(body) };
    if (body instanceof URLSearchParams) return { type: "application/x-www-form-urlencoded;charset=UTF-8", data: () => shared.encode(body.toString()) };
    if (body instanceof FormData) {
      const made = multipart(body);
      return { type: made.then((m) => m.type), data: async () => (await made).bytes };
    }
    if (body instanceof Blob) return { type: body.type, data: () => body.bytes() };
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
      const copy = shared.copy(body);
      return { type: "", data: () => copy };
    }
    if (body instanceof ReadableStream) return { type: "", stream: body, data: () => readAll(body) };
    if (typeof body[Symbol.asyncIterator] === "function") {
      const stream = ReadableStream.from(body);
      return { type: "", stream, data: () => readAll(stream) };
    }
    return { type: "text/plain;charset=UTF-8", data: () => shared.encode(String(body)) };
  };
  const readAll = async (stream) => {
    const reader = stream.getReader();
    const parts = [];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      parts.push(typeof value === "string" ? shared.encode(value) : shared.bytes(value));
    }
    return shared.concat(parts);
  };

  class Body {
    #source; #stream = null; #used = false; #headers;
    _init(source, headers) {
      this.#source = source;
      this.#headers = headers;
      if (source && typeof source.type === "string" && source.type && !headers.has("content-type")) headers.set("content-type", source.type);
    }
    get body() {
      if (!this.#source) return null;
      if (!this.#stream) {
        this.#stream = this.#source.stream ?? new ReadableStream({
          start: async (c) => {
            const b = await this.#source.data();
            if (b.length) c.enqueue(b);
            c.close();
          },
        });
      }
      return this.#stream;
    }
    get bodyUsed() { return this.#used || (this.#stream !== null && shared.disturbed(this.#stream)); }
    _source() { return this.#source; }
    async _take() {
      if (this.bodyUsed || this.#stream?.locked) throw new TypeError("the body was already read");
      this.#used = true;
      if (!this.#source) return new Uint8Array(0);
      if (this.#stream) return readAll(this.#stream);
      return this.#source.data();
    }
    _split() {
      if (this.bodyUsed) throw new TypeError("the body was already read");
      if (!this.#source) return null;
      if (!this.#stream && !this.#source.stream) return this.#source;
      const [a, b] = this.body.tee();
      this.#stream = a;
      return { type: this.#source.type, stream: b, data: () => readAll(b) };
    }
    async bytes() { return this._take(); }
    async arrayBuffer() {
      const b = await this._take();
      return b.byteLength === b.buffer.byteLength ? b.buffer : b.slice().buffer;
    }
    async text() {
      const text = shared.decode(await this._take());
      return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    }
    async json() { return JSON.parse(await this.text()); }
    async blob() { return new Blob([await this._take()], { type: this.#headers.get("content-type") ?? "" }); }
    async formData() {
      const type = (this.#source && (await this.#source.type)) || this.#headers.get("content-type") || "";
      const data = await this._take();
      const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
      if (boundary) return parseMultipart(data, boundary);
      const form = new FormData();
      for (const [k, v] of new URLSearchParams(shared.decode(data))) form.append(k, v);
      return form;
    }
  }

  class Request extends Body {
    #url; #method; #headers; #signal; #redirect;
    constructor(input, init = {}) {
      super();
      const from = input instanceof Request ? input : null;
      this.#url = from ? from.url : new URL(String(input)).href;
      this.#method = String(init.method ?? from?.method ?? "GET");
      if (/^(get|head|post|put|delete|options|patch)$/i.test(this.#method)) this.#method = this.#method.toUpperCase();
      this.#headers = new Headers(init.headers ?? from?.headers);
      this.#signal = init.signal ?? from?.signal ?? new AbortController().signal;
      this.#redirect = init.redirect ?? from?.redirect ?? "follow";
      const body = init.body !== undefined ? extract(init.body) : from ? from._split() : null;
      if (body && (this.#method === "GET" || this.#method === "HEAD")) throw new TypeError(`a ${this.#method} request can't have a body`);
      this._init(body, this.#headers);
    }
    get url() { return this.#url; }
    get method() { return this.#method; }
    get headers() { return this.#headers; }
    get signal() { return this.#signal; }
    get redirect() { return this.#redirect; }
    clone() { return new Request(this); }
  }

  class Response extends Body {
    #status; #statusText; #headers; #url = ""; #redirected = false; #type = "default";
    constructor(body, init = {}) {
      super();
      this.#status = init.status ?? 200;
      if (!(this.#status >= 200 && this.#status <= 599) && init.status !== 101) throw new RangeError(`${init.status} is not a response status`);
      this.#statusText = String(init.statusText ?? "");
      this.#headers = new Headers(init.headers);
      this._init(extract(body), this.#headers);
    }
    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get ok() { return this.#status >= 200 && this.#status < 300; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#type; }
    clone() {
      const made = new Response(null, { status: this.#status, statusText: this.#statusText, headers: this.#headers });
      made._init(this._split(), made.#headers);
      made.#url = this.#url;
      return made;
    }
    static json(data, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(JSON.stringify(data), { ...init, headers });
    }
    static error() { const r = new Response(); r.#status = 0; r.#type = "error"; return r; }
    static redirect(url, status = 302) { return new Response(null, { status, headers: { location: new URL(String(url)).href } }); }
    static _of(got, source) {
      const r = new Response(null, { status: Math.max(got.status, 200), statusText: got.statusText, headers: got.headers });
      r.#status = got.status;
      r._init(source, r.#headers);
      r.#url = got.url;
      r.#redirected = got.redirected;
      r.#type = "basic";
      return r;
    }
  }
  const responseOf = Response._of;
  delete Response._of;

  const receive = (id, signal) => {
    const part = async (all) => {
      try {
        const buffer = await native.fetchRead(id, all);
        return buffer === undefined ? undefined : new Uint8Array(buffer);
      } catch (e) {
        signal.throwIfAborted();
        throw new TypeError("reading the response failed: " + e.message);
      }
    };
    let stream;
    return {
      type: "",
      get stream() {
        return (stream ??= new ReadableStream({
          async pull(c) {
            const b = await part(false);
            if (b === undefined) c.close();
            else c.enqueue(b);
          },
          cancel() { native.fetchCancel(id); },
        }, { highWaterMark: 0 }));
      },
      data: async () => (stream ? readAll(stream) : (await part(true)) ?? new Uint8Array(0)),
    };
  };
  shared.define("fetch", async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const source = request._source();
    const body = source ? await request._take() : undefined;
    if (source && !request.headers.has("content-type")) {
      const type = await source.type;
      if (type) request.headers.set("content-type", type);
    }
    const id = native.fetchId();
    const stop = () => native.fetchCancel(id);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const got = await native.fetch(id, request.method, request.url, JSON.stringify([...request.headers]), request.redirect,
        body?.buffer, body?.byteOffset, body?.byteLength);
      return responseOf(JSON.parse(got), receive(id, signal));
    } catch (e) {
      signal.removeEventListener("abort", stop);
      signal.throwIfAborted();
      throw new TypeError(`fetch failed: ${e.message}`, { cause: e });
    }
  });
  for (const type of [Headers, FormData, Request, Response]) {
    shared.tag(type);
    shared.define(type.name, type);
  }
});
