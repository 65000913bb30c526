// Issues, their English wording, and ZodError with its views.

/** One thing that is wrong with a value. path leads to it from the root. */
export interface Issue {
  code: string;
  path: PropertyKey[];
  message: string;
  [detail: string]: any;
}

/** What a user may give in place of a message: a text, or a function of the issue. */
export type ErrorOption = string | { message: string } | undefined | null;
export type ErrorMap = (issue: any) => ErrorOption;

/**
 * An issue on its way up. halt: later checks of the same value make no sense.
 * error: the message that the schema's author chose, if any.
 */
export interface RawIssue {
  code: string;
  path: PropertyKey[];
  message?: string;
  input?: unknown;
  halt?: boolean;
  error?: ErrorMap;
  [detail: string]: any;
}

const settings: { customError?: ErrorMap; localeError?: ErrorMap } = {};

/** config changes the wording for every schema of the program. */
export function config(changes?: { customError?: ErrorMap; localeError?: ErrorMap }) {
  return Object.assign(settings, changes);
}

/** errorMap reads the last parameter of a schema or check: "text", {error}, {message} or nothing. */
export function errorMap(params: any): ErrorMap | undefined {
  const given = typeof params === "object" && params !== null ? params.error ?? params.message : params;
  if (given === undefined || given === null) return undefined;
  return typeof given === "function" ? given : () => given;
}

/** finish turns raw issues into the public shape, wording each. */
export function finish(raws: RawIssue[], parse?: { error?: ErrorMap; reportInput?: boolean }): Issue[] {
  return raws.map((raw) => {
    const { error, halt, message, input, ...issue } = raw;
    const shown = { ...issue, input };
    const word = (map?: ErrorMap) => {
      const said = map && map(shown);
      return typeof said === "object" && said !== null ? said.message : said;
    };
    issue.message =
      message ?? word(error) ?? word(parse?.error) ?? word(settings.customError) ?? word(settings.localeError) ?? defaultMessage(raw);
    if (parse?.reportInput) issue.input = input;
    return issue as Issue;
  });
}

/** received names the type of a value the way messages do. */
export function received(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isFinite(value) ? "number" : Number.isNaN(value) ? "NaN" : "Infinity";
  if (typeof value !== "object") return typeof value;
  const proto = Object.getPrototypeOf(value);
  if (proto && proto !== Object.prototype && proto.constructor?.name) return proto.constructor.name;
  return "object";
}

const UNITS: Record<string, string> = { string: "characters", array: "items", set: "items", map: "entries", file: "bytes" };

const FORMATS: Record<string, string> = {
  regex: "input", email: "email address", url: "URL", emoji: "emoji", uuid: "UUID", uuidv4: "UUIDv4", uuidv6: "UUIDv6",
  guid: "GUID", nanoid: "nanoid", cuid: "cuid", cuid2: "cuid2", ulid: "ULID", datetime: "ISO datetime", date: "ISO date",
  time: "ISO time", duration: "ISO duration", ipv4: "IPv4 address", ipv6: "IPv6 address", base64: "base64-encoded string",
  base64url: "base64url-encoded string", json_string: "JSON string", e164: "E.164 number", jwt: "JWT",
};

function literal(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : typeof value === "bigint" ? `${value}n` : String(value);
}

function sizeMessage(word: string, sign: string, bound: unknown, raw: RawIssue): string {
  const unit = UNITS[raw.origin];
  const origin = raw.origin ?? "value";
  return unit
    ? `${word}: expected ${origin} to have ${sign}${String(bound)} ${unit}`
    : `${word}: expected ${origin} to be ${sign}${String(bound)}`;
}

function formatMessage(raw: RawIssue): string {
  switch (raw.format) {
    case "starts_with": return `Invalid string: must start with "${raw.prefix}"`;
    case "ends_with": return `Invalid string: must end with "${raw.suffix}"`;
    case "includes": return `Invalid string: must include "${raw.includes}"`;
    case "regex": return `Invalid string: must match pattern ${raw.pattern}`;
    default: return `Invalid ${FORMATS[raw.format] ?? raw.format}`;
  }
}

function defaultMessage(raw: RawIssue): string {
  switch (raw.code) {
    case "invalid_type":
      return `Invalid input: expected ${raw.expected === "nan" ? "NaN" : raw.expected}, received ${received(raw.input)}`;
    case "invalid_value":
      return raw.values.length === 1
        ? `Invalid input: expected ${literal(raw.values[0])}`
        : `Invalid option: expected one of ${raw.values.map(literal).join("|")}`;
    case "too_big": return sizeMessage("Too big", raw.exact ? "exactly " : raw.inclusive ? "<=" : "<", raw.maximum, raw);
    case "too_small": return sizeMessage("Too small", raw.exact ? "exactly " : raw.inclusive ? ">=" : ">", raw.minimum, raw);
    case "invalid_format": return formatMessage(raw);
    case "not_multiple_of": return `Invalid number: must be a multiple of ${raw.divisor}`;
    case "unrecognized_keys": return `Unrecognized key${raw.keys.length > 1 ? "s" : ""}: ${raw.keys.map(literal).join(", ")}`;
    case "invalid_key": return `Invalid key in ${raw.origin}`;
    case "invalid_element": return `Invalid value in ${raw.origin}`;
    default: return "Invalid input";
  }
}

/** What parse throws: every issue, its message being their JSON text. */
export class ZodError extends Error {
  issues: Issue[];

  constructor(issues: Issue[]) {
    super(JSON.stringify(issues, (_key, value) => (typeof value === "bigint" ? value.toString() : value), 2));
    this.name = "ZodError";
    this.issues = issues;
  }

  flatten(map?: (issue: Issue) => any) { return flattenError(this, map); }
  format(map?: (issue: Issue) => any) { return formatError(this, map); }
  toString() { return this.message; }
}

const messageOf = (issue: Issue): any => issue.message;

/** flattenError groups messages by the first key of their path. */
export function flattenError(error: ZodError, map: (issue: Issue) => any = messageOf) {
  const fieldErrors: Record<PropertyKey, any[]> = {};
  const formErrors: any[] = [];
  for (const issue of error.issues) {
    if (issue.path.length === 0) formErrors.push(map(issue));
    else (fieldErrors[issue.path[0]] ??= []).push(map(issue));
  }
  return { formErrors, fieldErrors };
}

/** formatError nests messages in `_errors` lists along their paths. */
export function formatError(error: ZodError, map: (issue: Issue) => any = messageOf) {
  const root: any = { _errors: [] };
  for (const issue of error.issues) {
    let node = root;
    for (const key of issue.path) node = node[key] ??= { _errors: [] };
    node._errors.push(map(issue));
  }
  return root;
}

/** treeifyError nests messages in {errors, properties, items}. */
export function treeifyError(error: ZodError, map: (issue: Issue) => any = messageOf) {
  const root: any = { errors: [] };
  for (const issue of error.issues) {
    let node = root;
    for (const key of issue.path) {
      if (typeof key === "number") node = (node.items ??= [])[key] ??= { errors: [] };
      else node = (node.properties ??= {})[key] ??= { errors: [] };
    }
    node.errors.push(map(issue));
  }
  return root;
}

/** toDotPath writes a path as a.b[0]["c d"]. */
export function toDotPath(path: PropertyKey[]): string {
  return path
    .map((key, i) => {
      if (typeof key === "number") return `[${key}]`;
      if (typeof key === "symbol" || !/^[A-Za-z_$][\w$]*$/.test(key)) return `[${JSON.stringify(String(key))}]`;
      return i > 0 ? `.${key}` : key;
    })
    .join("");
}

/** prettifyError lists the issues for a person to read, the shortest path first. */
export function prettifyError(error: ZodError): string {
  const sorted = [...error.issues].sort((a, b) => a.path.length - b.path.length);
  return sorted
    .map((issue) => `✖ ${issue.message}` + (issue.path.length ? `\n  → at ${toDotPath(issue.path)}` : ""))
    .join("\n");
}
