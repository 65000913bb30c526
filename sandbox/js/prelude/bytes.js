// Text and bytes: TextEncoder, TextDecoder, atob, btoa, base64, Blob and File.
(function (native, shared) {
  "use strict";
  const bytes = (source) => {
    if (source instanceof ArrayBuffer) return new Uint8Array(source);
    if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    throw new TypeError("an ArrayBuffer or a view of one was expected");
  };
  const encode = (text) => new Uint8Array(native.utf8Encode(String(text)));
  const decode = (source) => {
    const b = bytes(source);
    return native.utf8Decode(b.buffer, b.byteOffset, b.byteLength, false);
  };
  shared.bytes = bytes;
  shared.encode = encode;
  shared.decode = decode;
  shared.copy = (source) => bytes(source).slice();

  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return encode(text); }
    encodeInto(text, target) {
      let read = 0, written = 0;
      for (const c of String(text)) {
        const b = encode(c);
        if (written + b.length > target.length) break;
        target.set(b, written);
        written += b.length;
        read += c.length;
      }
      return { read, written };
    }
  }
  const single = { ascii: 1, "us-ascii": 1, latin1: 1, "iso-8859-1": 1, "windows-1252": 1 };
  class TextDecoder {
    #encoding; #fatal; #keepBOM; #rest = new Uint8Array(0); #started = false;
    constructor(label = "utf-8", options = {}) {
      const name = String(label).trim().toLowerCase();
      if (name === "utf-8" || name === "utf8" || name === "unicode-1-1-utf-8") this.#encoding = "utf-8";
      else if (name === "utf-16le" || name === "utf-16") this.#encoding = "utf-16le";
      else if (single[name]) this.#encoding = "windows-1252";
      else throw new RangeError(`the encoding ${JSON.stringify(label)} is not supported`);
      this.#fatal = !!options.fatal;
      this.#keepBOM = !!options.ignoreBOM;
    }
    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBOM; }
    decode(source, options = {}) {
      let b = source === undefined ? new Uint8Array(0) : bytes(source);
      if (this.#rest.length) {
        const both = new Uint8Array(this.#rest.length + b.length);
        both.set(this.#rest);
        both.set(b, this.#rest.length);
        b = both;
        this.#rest = new Uint8Array(0);
      }
      if (options.stream) {
        const whole = b.length - this.#incomplete(b);
        this.#rest = b.slice(whole);
        b = b.subarray(0, whole);
      }
      let text = this.#text(b);
      if (!this.#started && text) {
        this.#started = true;
        if (!this.#keepBOM && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
      }
      if (!options.stream) this.#started = false;
      return text;
    }
    // How many bytes at the end begin a character that isn't whole yet.
    #incomplete(b) {
      if (this.#encoding === "utf-16le") return b.length % 2;
      if (this.#encoding !== "utf-8") return 0;
      for (let back = 1; back <= 3 && back <= b.length; back++) {
        const c = b[b.length - back];
        if ((c & 0xc0) === 0x80) continue;
        const need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        return need > back ? back : 0;
      }
      return 0;
    }
    #text(b) {
      if (this.#encoding === "utf-8") {
        const text = native.utf8Decode(b.buffer, b.byteOffset, b.byteLength, this.#fatal);
        if (text === undefined) throw new TypeError("the data is not valid utf-8");
        return text;
      }
      let out = "";
      if (this.#encoding === "utf-16le") {
        for (let i = 0; i + 1 < b.length; i += 2) out += String.fromCharCode(b[i] | (b[i + 1] << 8));
        return out;
      }
      for (const c of b) out += String.fromCharCode(c);
      return out;
    }
  }

  shared.toBase64 = (source) => {
    const b = bytes(source);
    return native.toBase64(b.buffer, b.byteOffset, b.byteLength);
  };
  shared.fromBase64 = (text) => {
    const buffer = native.fromBase64(String(text));
    if (buffer === undefined) throw new DOMException("the text is not valid base64", "InvalidCharacterError");
    return new Uint8Array(buffer);
  };
  shared.define("btoa", (text) => {
    text = String(text);
    const b = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c > 255) throw new DOMException("the text has characters beyond Latin-1", "InvalidCharacterError");
      b[i] = c;
    }
    return shared.toBase64(b);
  });
  shared.define("atob", (text) => {
    const b = shared.fromBase64(String(text).replace(/[\t\n\f\r ]+/g, ""));
    let out = "";
    for (let i = 0; i < b.length; i += 4096) out += String.fromCharCode(...b.subarray(i, i + 4096));
    return out;
  });

  const concat = (parts) => {
    const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
    let at = 0;
    for (const p of parts) {
      out.set(p, at);
      at += p.length;
    }
    return out;
  };
  shared.concat = concat;
  class Blob {
    #data; #type;
    constructor(parts = [], options = {}) {
      this.#data = concat([...parts].map((p) => (p instanceof Blob ? p.#data : p instanceof ArrayBuffer || ArrayBuffer.isView(p) ? bytes(p) : encode(p))));
      this.#type = String(options.type ?? "").toLowerCase();
    }
    get size() { return this.#data.length; }
    get type() { return this.#type; }
    async bytes() { return this.#data.slice(); }
    async arrayBuffer() { return this.#data.slice().buffer; }
    async text() { return decode(this.#data); }
    slice(start, end, type) { return new Blob([this.#data.slice(start, end)], { type }); }
    stream() { return new ReadableStream({ start: (c) => { if (this.#data.length) c.enqueue(this.#data.slice()); c.close(); } }); }
  }
  class File extends Blob {
    #name; #modified;
    constructor(parts, name, options = {}) {
      super(parts, options);
      this.#name = String(name);
      this.#modified = options.lastModified ?? Date.now();
    }
    get name() { return this.#name; }
    get lastModified() { return this.#modified; }
  }
  for (const type of [TextEncoder, TextDecoder, Blob, File]) {
    shared.tag(type);
    shared.define(type.name, type);
  }
});
