// Strings and their formats.

import { ZodType, ok, type Check, type Out } from "sideb:zod/core";
import { check, rewrite, size } from "sideb:zod/checks";

/** Formats by pattern; compiled on first use. */
const PATTERNS: Record<string, string> = {
  email: "^[A-Za-z0-9_'+\\-]+(\\.[A-Za-z0-9_'+\\-]+)*@([A-Za-z0-9]([A-Za-z0-9\\-]*[A-Za-z0-9])?\\.)+[A-Za-z]{2,}$",
  uuid: "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$",
  guid: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  nanoid: "^[A-Za-z0-9_-]{21}$",
  cuid: "^[cC][^\\s-]{8,}$",
  cuid2: "^[0-9a-z]+$",
  ulid: "^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$",
  duration: "^P([0-9]+W|([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T([0-9]+H)?([0-9]+M)?([0-9]+([.,][0-9]+)?S)?)?)$",
  ipv4: "^((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.|$)){4}$",
  base64: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  base64url: "^[A-Za-z0-9_-]*$",
  e164: "^\\+[1-9][0-9]{6,14}$",
  jwt: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*$",
  hostname: "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$",
};

const compiled: Record<string, RegExp> = {};
const matches = (name: string) => (value: string) => (compiled[name] ??= new RegExp(PATTERNS[name])).test(value);

/** Formats of JSON schema, where the name isn't the same. */
export const SCHEMA_FORMATS: Record<string, string> = { url: "uri", datetime: "date-time", guid: "uuid", uuidv4: "uuid", uuidv6: "uuid" };

function isUrl(value: string, params: any): boolean {
  try {
    const url = new URL(value.trim());
    if (params?.protocol && !params.protocol.test(url.protocol.replace(/:$/, ""))) return false;
    return !params?.hostname || params.hostname.test(url.hostname);
  } catch {
    return false;
  }
}

function isIPv6(value: string): boolean {
  if (!/^[0-9a-fA-F:.]+$/.test(value)) return false;
  const halves = value.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const half of halves) {
    const parts = half === "" ? [] : half.split(":");
    for (let i = 0; i < parts.length; i++) {
      if (parts[i].includes(".")) {
        if (i !== parts.length - 1 || half !== halves[halves.length - 1] || !matches("ipv4")(parts[i])) return false;
        groups++;
      } else if (!/^[0-9a-fA-F]{1,4}$/.test(parts[i])) return false;
      groups++;
    }
  }
  return halves.length === 2 ? groups <= 7 : groups === 8;
}

/** isDay knows the lengths of the months. */
function isDay(value: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1];
}

function isTime(value: string, params: any): boolean {
  const parts = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.(\d+))?)?$/.exec(value);
  if (!parts) return false;
  const precision = params?.precision;
  if (precision === undefined || precision === null) return true;
  if (precision === -1) return !parts[2];
  return parts[2] !== undefined && (parts[4]?.length ?? 0) === precision;
}

function isDateTime(value: string, params: any): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2})T([\d:.]+)(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/.exec(value);
  if (!parts || !isDay(parts[1]) || !isTime(parts[2], params)) return false;
  if (parts[3] === undefined) return params?.local === true;
  return parts[3] === "Z" || params?.offset === true;
}

function isJson(value: string): boolean {
  try { JSON.parse(value); return true; } catch { return false; }
}

const TESTS: Record<string, (value: string, params: any) => boolean> = {
  url: isUrl,
  ipv6: isIPv6,
  date: isDay,
  time: isTime,
  datetime: isDateTime,
  uuidv4: (v) => matches("uuid")(v) && v[14] === "4",
  uuidv6: (v) => matches("uuid")(v) && v[14] === "6",
  emoji: (v) => v !== "" && !/[\x00-\x7f]/.test(v.replace(/[#*0-9]\ufe0f?\u20e3/g, "")),
  json_string: isJson,
  duration: (v) => matches("duration")(v) && !/[PT]$/.test(v),
};

/** format is the check of a named format. */
export function format(name: string, params?: any): Check {
  const own = typeof params === "object" && params !== null ? params : {};
  const pattern: RegExp | undefined = own.pattern;
  const test = pattern ? (v: string) => search(pattern, v) : TESTS[name] ? (v: string) => TESTS[name](v, own) : matches(name);
  return check("format", test, { origin: "string", code: "invalid_format", format: name }, params, { format: name });
}

/** search tests without the state that a global or sticky pattern keeps. */
function search(pattern: RegExp, value: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(value);
}

function pattern(regex: RegExp, params?: any): Check {
  const issue = { origin: "string", code: "invalid_format", format: "regex", pattern: regex.toString() };
  return check("regex", (v) => search(regex, v), issue, params, { pattern: regex.source });
}

function affix(name: string, detail: object, test: (v: string) => boolean, source: string, params?: any): Check {
  return check(name, test, { origin: "string", code: "invalid_format", format: name, ...detail }, params, { pattern: source });
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export class ZodString extends ZodType {
  base(value: unknown): Out {
    if (this.def.coerce) value = String(value);
    return typeof value === "string" ? ok(value) : this.wrongType(value, "string");
  }

  min(n: number, params?: any) { return this.with(size("minSize", n, params)); }
  max(n: number, params?: any) { return this.with(size("maxSize", n, params)); }
  length(n: number, params?: any) { return this.with(size("exactSize", n, params)); }
  nonempty(params?: any) { return this.min(1, params); }
  regex(regex: RegExp, params?: any) { return this.with(pattern(regex, params)); }
  startsWith(text: string, params?: any) {
    return this.with(affix("starts_with", { prefix: text }, (v) => v.startsWith(text), `^${escape(text)}.*`, params));
  }
  endsWith(text: string, params?: any) {
    return this.with(affix("ends_with", { suffix: text }, (v) => v.endsWith(text), `.*${escape(text)}$`, params));
  }
  includes(text: string, params?: any) {
    return this.with(affix("includes", { includes: text }, (v) => v.includes(text, params?.position), escape(text), params));
  }
  lowercase(params?: any) {
    return this.with(check("lowercase", (v) => v === v.toLowerCase(), { origin: "string", code: "invalid_format", format: "lowercase" }, params, { pattern: "^[^A-Z]*$" }));
  }
  uppercase(params?: any) {
    return this.with(check("uppercase", (v) => v === v.toUpperCase(), { origin: "string", code: "invalid_format", format: "uppercase" }, params, { pattern: "^[^a-z]*$" }));
  }
  trim() { return this.with(rewrite("trim", (v) => v.trim())); }
  normalize(form?: string) { return this.with(rewrite("normalize", (v) => v.normalize(form))); }
  toLowerCase() { return this.with(rewrite("toLowerCase", (v) => v.toLowerCase())); }
  toUpperCase() { return this.with(rewrite("toUpperCase", (v) => v.toUpperCase())); }
  slugify() {
    const slug = (v: string) => v.toLowerCase().trim().replace(/[^\w\s-]/g, "").replace(/[\s_-]+/g, "-").replace(/^-+|-+$/g, "");
    return this.with(rewrite("slugify", slug));
  }

  email(params?: any) { return this.with(format("email", params)); }
  url(params?: any) { return this.with(format("url", params)); }
  uuid(params?: any) { return this.with(format("uuid", params)); }
  uuidv4(params?: any) { return this.with(format("uuidv4", params)); }
  uuidv6(params?: any) { return this.with(format("uuidv6", params)); }
  guid(params?: any) { return this.with(format("guid", params)); }
  emoji(params?: any) { return this.with(format("emoji", params)); }
  nanoid(params?: any) { return this.with(format("nanoid", params)); }
  cuid(params?: any) { return this.with(format("cuid", params)); }
  cuid2(params?: any) { return this.with(format("cuid2", params)); }
  ulid(params?: any) { return this.with(format("ulid", params)); }
  ipv4(params?: any) { return this.with(format("ipv4", params)); }
  ipv6(params?: any) { return this.with(format("ipv6", params)); }
  base64(params?: any) { return this.with(format("base64", params)); }
  base64url(params?: any) { return this.with(format("base64url", params)); }
  jwt(params?: any) { return this.with(format("jwt", params)); }
  e164(params?: any) { return this.with(format("e164", params)); }
  datetime(params?: any) { return this.with(format("datetime", params)); }
  date(params?: any) { return this.with(format("date", params)); }
  time(params?: any) { return this.with(format("time", params)); }
  duration(params?: any) { return this.with(format("duration", params)); }
}

export const string = (params?: any) => new ZodString({ type: "string" }, params);

/** formatted makes the short forms z.email(), z.uuid(), z.iso.date(), … */
export const formatted = (name: string) => (params?: any) =>
  new ZodString({ type: "string", checks: [{ ...format(name, params) }] }, params);

