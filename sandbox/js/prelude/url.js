// URL and URLSearchParams, as the URL standard has them.
(function (native, shared) {
  "use strict";
  const ports = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "" };
  const special = (protocol) => Object.hasOwn(ports, protocol);
  const fail = (input) => {
    const e = new TypeError(`Invalid URL: ${JSON.stringify(input)}`);
    e.code = "ERR_INVALID_URL";
    throw e;
  };

  // What is percent-encoded where, besides controls and what isn't ASCII.
  const inFragment = " \"<>`";
  const inQuery = " \"#<>";
  const inPath = inQuery + "?^`{}";
  const inUser = inPath + "/:;=@[\\]|";
  const percent = (text, set) => {
    let out = "";
    for (const c of text) {
      const n = c.codePointAt(0);
      if (n > 0x1f && n < 0x7f && !set.includes(c)) out += c;
      else for (const b of shared.encode(c)) out += "%" + (b < 16 ? "0" : "") + b.toString(16).toUpperCase();
    }
    return out;
  };
  const unpercent = (text) => {
    if (!text.includes("%")) return text;
    const from = shared.encode(text);
    const out = [];
    for (let i = 0; i < from.length; i++) {
      const hex = from[i] === 0x25 ? String.fromCharCode(from[i + 1] ?? 0, from[i + 2] ?? 0) : "";
      if (/^[0-9a-f]{2}$/i.test(hex)) {
        out.push(parseInt(hex, 16));
        i += 2;
      } else out.push(from[i]);
    }
    return shared.decode(new Uint8Array(out));
  };

  const number = (part) => {
    if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : parseInt(part, 16);
    if (/^0[0-7]+$/.test(part)) return parseInt(part, 8);
    return /^[0-9]+$/.test(part) ? parseInt(part, 10) : NaN;
  };
  const ipv4 = (host) => {
    const parts = host.split(".");
    if (parts.length > 1 && parts[parts.length - 1] === "") parts.pop();
    const last = parts[parts.length - 1];
    if (!/^[0-9]+$/.test(last) && !/^0x[0-9a-f]*$/i.test(last)) return host; // a name
    const list = parts.map(number);
    if (list.length > 4 || list.some(Number.isNaN) || list.slice(0, -1).some((n) => n > 255)) return undefined;
    const tail = list.pop();
    if (tail >= 256 ** (4 - list.length)) return undefined;
    let value = tail;
    list.forEach((n, i) => { value += n * 256 ** (3 - i); });
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
  };
  const hostOf = (text, isSpecial, input) => {
    if (text.startsWith("[")) {
      const found = text.endsWith("]") ? native.ipv6(text.slice(1, -1)) : undefined;
      return found === undefined ? fail(input) : `[${found}]`;
    }
    if (!isSpecial) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) fail(input);
      return percent(text, "");
    }
    const name = native.domainToASCII(unpercent(text));
    if (!name || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(name)) fail(input);
    return ipv4(name) ?? fail(input);
  };

  const drive = /^[a-zA-Z][:|]$/;
  const segments = (text, path, protocol) => {
    const isSpecial = special(protocol);
    const parts = text.split(isSpecial ? /[/\\]/ : "/");
    parts.forEach((part, i) => {
      const last = i === parts.length - 1;
      const dots = part.replace(/%2e/gi, ".");
      if (dots === "..") {
        if (!(protocol === "file:" && path.length === 1 && /^[a-zA-Z]:$/.test(path[0]))) path.pop();
        if (last) path.push("");
      } else if (dots === ".") {
        if (last) path.push("");
      } else {
        if (protocol === "file:" && path.length === 0 && drive.test(part)) part = part[0] + ":";
        path.push(percent(part, inPath));
      }
    });
    return path;
  };
  const query = (text, protocol) => percent(text, special(protocol) ? inQuery + "'" : inQuery);

  const authority = (u, text, input) => {
    const at = text.lastIndexOf("@");
    if (at >= 0) {
      const [, user, , pass] = /^([^:]*)(:([^]*))?$/.exec(text.slice(0, at));
      u.username = percent(user, inUser);
      u.password = percent(pass ?? "", inUser);
      text = text.slice(at + 1);
      if (!text) fail(input);
    }
    const [, host, , port] = /^(\[[^\]]*\]|[^:]*)(:([^]*))?$/.exec(text) ?? fail(input);
    if (port && (!/^[0-9]+$/.test(port) || Number(port) > 65535)) fail(input);
    if (!host && special(u.protocol)) fail(input);
    u.host = host ? hostOf(host, special(u.protocol), input) : "";
    u.port = port && String(Number(port)) !== ports[u.protocol] ? String(Number(port)) : "";
  };

  const parse = (given, base) => {
    const input = String(given);
    let text = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    const u = { protocol: "", username: "", password: "", host: null, port: "", path: [], opaque: null, query: null, fragment: null };
    const hash = text.indexOf("#");
    if (hash >= 0) {
      u.fragment = percent(text.slice(hash + 1), inFragment);
      text = text.slice(0, hash);
    }
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.\-]*):/.exec(text);
    let relative = !scheme;
    if (scheme) {
      u.protocol = scheme[1].toLowerCase() + ":";
      text = text.slice(scheme[0].length);
      relative = special(u.protocol) && base?.protocol === u.protocol && !/^[/\\]/.test(text);
    } else if (!base) fail(input);
    else u.protocol = base.protocol;
    const copy = (...fields) => { for (const f of fields) u[f] = f === "path" ? [...base.path] : base[f]; };
    if (relative && base.opaque !== null) {
      if (text || hash < 0) fail(input);
      copy("opaque", "query");
      return u;
    }
    const mark = text.indexOf("?");
    if (mark >= 0) {
      u.query = query(text.slice(mark + 1), u.protocol);
      text = text.slice(0, mark);
    }
    const isSpecial = special(u.protocol);
    if (isSpecial) text = text.replaceAll("\\", "/");
    const own = ["username", "password", "host", "port"];
    if (isSpecial && u.protocol !== "file:" && !relative) text = "//" + text.replace(/^\/*/, "");
    if (text.startsWith("//")) {
      const end = text.indexOf("/", 2);
      let where = end < 0 ? text.slice(2) : text.slice(2, end);
      let rest = end < 0 ? "" : text.slice(end);
      if (u.protocol === "file:") {
        if (drive.test(where)) {
          rest = "/" + where + rest;
          where = "";
        }
        u.host = where ? hostOf(where, true, input) : "";
        if (u.host === "localhost") u.host = "";
      } else authority(u, where, input);
      if (rest) segments(rest.slice(1), u.path, u.protocol);
      else if (isSpecial) u.path = [""];
    } else if (!relative && !isSpecial && !text.startsWith("/")) {
      u.opaque = percent(text, "");
    } else if (text.startsWith("/")) {
      if (relative || (u.protocol === "file:" && base?.protocol === "file:")) copy(...own);
      else if (u.protocol === "file:") u.host = "";
      segments(text.slice(1), u.path, u.protocol);
    } else if (relative || base?.protocol === "file:") {
      copy(...own, "path");
      if (text) {
        u.path.pop();
        segments(text, u.path, u.protocol);
      } else if (mark < 0) u.query = base.query;
    } else { // file:name
      u.host = "";
      segments(text, u.path, u.protocol);
    }
    return u;
  };
  const pathOf = (u) => (u.opaque !== null ? u.opaque : u.path.length ? "/" + u.path.join("/") : "");
  const hostText = (u) => (u.host === null ? "" : u.host + (u.port ? ":" + u.port : ""));
  const write = (u) => {
    const user = u.username || u.password ? u.username + (u.password ? ":" + u.password : "") + "@" : "";
    const where = u.host !== null ? "//" + user + hostText(u) : u.opaque === null && u.path.length > 1 && u.path[0] === "" ? "/." : "";
    return u.protocol + where + pathOf(u) + (u.query !== null ? "?" + u.query : "") + (u.fragment !== null ? "#" + u.fragment : "");
  };

  const formEncode = (text) => percent(text.isWellFormed() ? text : text.toWellFormed(), " !\"#$%&'()+,/:;<=>?@[\\]^`{|}~").replaceAll("%20", "+");
  const formDecode = (text) => unpercent(text.replaceAll("+", " "));
  const owners = new WeakMap();
  let read;
  class URLSearchParams {
    #list = [];
    constructor(init = "") {
      if (typeof init === "object" && init !== null) {
        if (typeof init[Symbol.iterator] === "function") {
          for (const pair of init) {
            const [k, v, ...more] = pair;
            if (v === undefined || more.length) throw new TypeError("each entry must be a pair of name and value");
            this.#list.push([String(k), String(v)]);
          }
        } else for (const k of Object.keys(init)) this.#list.push([k, String(init[k])]);
      } else this.#read(String(init).replace(/^\?/, ""));
    }
    static {
      read = (params, text) => params.#read(text);
    }
    #read(text) {
      this.#list = text.split("&").filter(Boolean).map((part) => {
        const at = part.indexOf("=");
        return at < 0 ? [formDecode(part), ""] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))];
      });
    }
    #changed() {
      const u = owners.get(this);
      if (u) u.query = this.#list.length ? this.toString() : null;
    }
    get size() { return this.#list.length; }
    append(name, value) {
      this.#list.push([String(name), String(value)]);
      this.#changed();
    }
    delete(name, value) {
      this.#list = this.#list.filter(([k, v]) => k !== String(name) || (value !== undefined && v !== String(value)));
      this.#changed();
    }
    get(name) { return this.#list.find(([k]) => k === String(name))?.[1] ?? null; }
    getAll(name) { return this.#list.filter(([k]) => k === String(name)).map(([, v]) => v); }
    has(name, value) { return this.#list.some(([k, v]) => k === String(name) && (value === undefined || v === String(value))); }
    set(name, value) {
      const at = this.#list.findIndex(([k]) => k === String(name));
      if (at < 0) this.#list.push([String(name), String(value)]);
      else {
        this.#list[at] = [String(name), String(value)];
        this.#list = this.#list.filter(([k], i) => i <= at || k !== String(name));
      }
      this.#changed();
    }
    sort() {
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#changed();
    }
    *entries() { for (const [k, v] of this.#list) yield [k, v]; }
    *keys() { for (const [k] of this.#list) yield k; }
    *values() { for (const [, v] of this.#list) yield v; }
    forEach(fn, self) { for (const [k, v] of this.#list) fn.call(self, v, k, this); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#list.map(([k, v]) => formEncode(k) + "=" + formEncode(v)).join("&"); }
  }

  class URL {
    #u; #params;
    constructor(input, base) {
      this.#u = parse(input, base === undefined ? undefined : parse(base));
      this.#params = new URLSearchParams();
      this.#refresh();
    }
    #refresh() {
      owners.set(this.#params, this.#u);
      read(this.#params, this.#u.query ?? "");
    }
    static canParse(input, base) { return URL.parse(input, base) !== null; }
    static parse(input, base) {
      try { return new URL(input, base); } catch { return null; }
    }
    get href() { return write(this.#u); }
    set href(value) {
      this.#u = parse(value);
      this.#refresh();
    }
    get origin() {
      const u = this.#u;
      return special(u.protocol) && u.protocol !== "file:" ? u.protocol + "//" + hostText(u) : "null";
    }
    get protocol() { return this.#u.protocol; }
    set protocol(value) {
      const name = /^([a-zA-Z][a-zA-Z0-9+.\-]*):?/.exec(String(value))?.[1].toLowerCase();
      if (!name || special(name + ":") !== special(this.#u.protocol)) return;
      this.#u.protocol = name + ":";
      if (this.#u.port === ports[this.#u.protocol]) this.#u.port = "";
    }
    get username() { return this.#u.username; }
    set username(value) { if (this.#u.host) this.#u.username = percent(String(value), inUser); }
    get password() { return this.#u.password; }
    set password(value) { if (this.#u.host) this.#u.password = percent(String(value), inUser); }
    get host() { return hostText(this.#u); }
    set host(value) { this.#setHost(String(value), true); }
    get hostname() { return this.#u.host ?? ""; }
    set hostname(value) { this.#setHost(String(value), false); }
    #setHost(value, withPort) {
      if (this.#u.opaque !== null) return;
      const part = /^(\[[^\]]*\]|[^:/?#\\]*)(?::([0-9]+))?/.exec(value);
      try {
        if (!part[1] && special(this.#u.protocol)) return;
        this.#u.host = part[1] ? hostOf(part[1], special(this.#u.protocol), value) : "";
        if (withPort && part[2]) this.port = part[2];
      } catch { /* an invalid host changes nothing */ }
    }
    get port() { return this.#u.port; }
    set port(value) {
      const digits = /^[0-9]*/.exec(String(value))[0];
      if (!this.#u.host || this.#u.protocol === "file:" || Number(digits) > 65535 || (digits === "" && String(value) !== "")) return;
      this.#u.port = digits === "" || String(Number(digits)) === ports[this.#u.protocol] ? "" : String(Number(digits));
    }
    get pathname() { return pathOf(this.#u); }
    set pathname(value) {
      if (this.#u.opaque !== null) return;
      this.#u.path = segments(String(value).replace(special(this.#u.protocol) ? /^[/\\]/ : /^\//, ""), [], this.#u.protocol);
    }
    get search() { return this.#u.query ? "?" + this.#u.query : ""; }
    set search(value) {
      const text = String(value).replace(/^\?/, "");
      this.#u.query = String(value) === "" ? null : query(text, this.#u.protocol);
      this.#refresh();
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#u.fragment ? "#" + this.#u.fragment : ""; }
    set hash(value) { this.#u.fragment = String(value) === "" ? null : percent(String(value).replace(/^#/, ""), inFragment); }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }
  for (const type of [URL, URLSearchParams]) {
    shared.tag(type);
    shared.define(type.name, type);
  }
});
