// Tagged JSON: what crosses to and from the sandbox of runCode. JSON is plain
// where it can say a value, else an object whose first property is $type.

export interface Functions {
  /** out gives a function's place: ours by number, or the sandbox's that came before. */
  out(fn: Function): { id: number; yours: boolean };
  /** into makes a function: of the sandbox's, or our own that came back. */
  into(id: number, yours: boolean, name: string): unknown;
}

export class SerializationError extends Error {
  constructor(what: string, path: string) {
    super(`${what} at ${path} can't leave or enter the sandbox`);
    this.name = "SerializationError";
  }
}

const maxDepth = 1000;
const typed = Object.getPrototypeOf(Uint8Array);
const step = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? "." + key : `[${JSON.stringify(key)}]`);
const base64 = (bytes: Uint8Array): string => (globalThis as any).__bytesToBase64(bytes);
const bytesOf = (text: string): Uint8Array => new Uint8Array((globalThis as any).__base64ToBytes(text));

function text(s: string): any {
  if ((s as any).isWellFormed()) return s;
  const units: number[] = [];
  for (const c of s) {
    const code = c.codePointAt(0)!;
    if (code >= 0xd800 && code <= 0xdfff) units.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else units.push(...new TextEncoder().encode(c));
  }
  return { $type: "string", wtf8: base64(Uint8Array.from(units)) };
}

class Writer {
  private ids = new Map<object, number>();
  private made = new Map<object, any>();
  constructor(private functions: Functions) {}

  value(v: any, path: string, depth = 0): any {
    if (depth > maxDepth) throw new SerializationError("a value nested too deeply", path);
    switch (typeof v) {
      case "undefined": return { $type: "undefined" };
      case "boolean": return v;
      case "string": return text(v);
      case "number":
        return Number.isFinite(v) && !Object.is(v, -0) ? v : { $type: "number", value: Object.is(v, -0) ? "-0" : String(v) };
      case "bigint": return { $type: "bigint", value: String(v) };
      case "symbol": throw new SerializationError("a symbol", path);
      case "function": return { $type: "function", ...this.functions.out(v), name: String(v.name) };
    }
    if (v === null) return null;
    return this.again(v) ?? this.object(v, path, depth + 1);
  }

  // again refers to what was written before, and makes that shared.
  private again(v: object): any {
    const first = this.made.get(v);
    if (first === undefined) return undefined;
    let id = this.ids.get(v);
    if (id === undefined) {
      id = this.ids.size + 1;
      this.ids.set(v, id);
      first.id = id;
    }
    return { $type: "ref", id };
  }

  // object writes into a cell that finish unwraps where nothing refers to it.
  private object(v: any, path: string, depth: number): any {
    const cell: any = { $cell: true, id: 0, value: undefined };
    this.made.set(v, cell);
    cell.value = this.content(v, path, depth);
    return cell;
  }

  private content(v: any, path: string, depth: number): any {
    const sub = (x: any, at: string) => this.value(x, path + at, depth);
    if (Array.isArray(v)) {
      const items: any[] = [];
      for (let i = 0; i < v.length; i++) items.push(i in v ? sub(v[i], `[${i}]`) : { $type: "hole" });
      return items;
    }
    if (v instanceof Map) return { $type: "Map", entries: [...v].flatMap(([k, x], i) => [sub(k, `.key(${i})`), sub(x, `.value(${i})`)]) };
    if (v instanceof Set) return { $type: "Set", values: [...v].map((x, i) => sub(x, `.item(${i})`)) };
    if (v instanceof Date) return { $type: "Date", value: isNaN(+v) ? { $type: "number", value: "NaN" } : +v };
    if (v instanceof RegExp) return { $type: "RegExp", source: v.source, flags: v.flags };
    if (v instanceof ArrayBuffer) return { $type: "ArrayBuffer", base64: base64(new Uint8Array(v)) };
    if (v instanceof DataView) return { $type: "DataView", offset: v.byteOffset, length: v.byteLength, buffer: sub(v.buffer, ".buffer") };
    if (v instanceof typed) return { $type: (v as any)[Symbol.toStringTag], offset: v.byteOffset, length: v.length, buffer: sub(v.buffer, ".buffer") };
    if (v instanceof Error) {
      return { $type: "Error", name: text(String(v.name)), message: text(String(v.message)), stack: text(String(v.stack ?? "")), cause: sub((v as any).cause, ".cause") };
    }
    const proto = Object.getPrototypeOf(v);
    if (proto !== null && proto !== Object.prototype) throw new SerializationError(`an instance of ${v.constructor?.name || "a class"}`, path);
    const keys = Object.keys(v);
    if (keys.includes("$type") || keys.includes("$cell")) return { $type: "object", entries: keys.flatMap((k) => [k, sub(v[k], step(k))]) };
    const out: any = {};
    for (const k of keys) Object.defineProperty(out, k, { value: sub(v[k], step(k)), enumerable: true, configurable: true, writable: true });
    return out;
  }

  finish(w: any): any {
    if (w === null || typeof w !== "object") return w;
    if (w.$cell === true) return w.id ? { $type: "shared", id: w.id, value: this.finish(w.value) } : this.finish(w.value);
    if (Array.isArray(w)) return w.map((x) => this.finish(x));
    const out: any = {};
    for (const k of Object.keys(w)) Object.defineProperty(out, k, { value: this.finish(w[k]), enumerable: true, configurable: true, writable: true });
    return out;
  }
}

/** encode makes tagged JSON of a value; path names it in errors. */
export function encode(v: unknown, path: string, functions: Functions): any {
  const w = new Writer(functions);
  return w.finish(w.value(v, path));
}

class Reader {
  private shared = new Map<number, any>();
  constructor(private functions: Functions) {}

  value(w: any, id = 0): any {
    if (w === null || typeof w !== "object") return w;
    if (Array.isArray(w)) return this.fill(this.keep(id, []), w);
    if (typeof w.$type === "string") return this.tagged(w, id);
    const out = this.keep(id, {});
    for (const k of Object.keys(w)) this.set(out, k, this.value(w[k]));
    return out;
  }

  private keep(id: number, v: any): any {
    if (id) this.shared.set(id, v);
    return v;
  }

  private set(o: any, key: string, value: any): void {
    Object.defineProperty(o, key, { value, enumerable: true, configurable: true, writable: true });
  }

  private fill(out: any[], items: any[]): any[] {
    items.forEach((x, i) => { if (x?.$type !== "hole") out[i] = this.value(x); });
    out.length = Math.max(out.length, items.length);
    return out;
  }

  private tagged(w: any, id: number): any {
    switch (w.$type) {
      case "undefined": return undefined;
      case "number": return Number(w.value);
      case "bigint": return BigInt(w.value);
      case "string": return wtf8(bytesOf(w.wtf8));
      case "function": return this.functions.into(w.id, w.yours, this.value(w.name));
      case "shared": return this.value(w.value, w.id);
      case "ref": return this.shared.get(w.id);
      case "array": {
        const out = this.fill(this.keep(id, []), w.items);
        out.length = w.length;
        return out;
      }
      case "object": {
        const out = this.keep(id, {});
        for (let i = 0; i < w.entries.length; i += 2) this.set(out, this.value(w.entries[i]), this.value(w.entries[i + 1]));
        return out;
      }
      case "Map": {
        const out = this.keep(id, new Map());
        for (let i = 0; i < w.entries.length; i += 2) out.set(this.value(w.entries[i]), this.value(w.entries[i + 1]));
        return out;
      }
      case "Set": {
        const out = this.keep(id, new Set());
        for (const x of w.values) out.add(this.value(x));
        return out;
      }
      case "Error": return this.error(w, id);
      case "Date": return this.keep(id, new Date(this.value(w.value)));
      case "RegExp": return this.keep(id, new RegExp(this.value(w.source), w.flags));
      case "ArrayBuffer": return this.keep(id, bytesOf(w.base64).buffer);
    }
    return this.keep(id, new (globalThis as any)[w.$type](this.value(w.buffer), w.offset, w.length));
  }

  private error(w: any, id: number): any {
    const kinds: any = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
    const name = this.value(w.name);
    const e: any = this.keep(id, new (kinds[name] ?? Error)(this.value(w.message)));
    const define = (key: string, value: any) => Object.defineProperty(e, key, { value, writable: true, configurable: true });
    if (e.name !== name) define("name", name);
    define("stack", this.value(w.stack));
    const cause = this.value(w.cause);
    if (cause !== undefined) define("cause", cause);
    return e;
  }
}

function wtf8(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; ) {
    const b = bytes[i];
    const n = b < 0x80 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
    if (n === 3) out += String.fromCharCode(((b & 15) << 12) | ((bytes[i + 1] & 63) << 6) | (bytes[i + 2] & 63));
    else out += new TextDecoder().decode(bytes.subarray(i, i + n));
    i += n;
  }
  return out;
}

export const decode = (w: any, functions: Functions): any => new Reader(functions).value(w);
