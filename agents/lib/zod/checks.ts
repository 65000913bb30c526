// Checks that several schemas share: sizes, refinements, rewriting.

import { errorMap, type RawIssue } from "sideb:zod/error";
import { chain, type Check, type Context, type Out } from "sideb:zod/core";

/** check makes a check from a test of the value; issue says what is wrong. */
export function check(kind: string, test: (value: any) => boolean, issue: object, params?: any, detail?: object): Check {
  const error = errorMap(params);
  return {
    kind,
    ...detail,
    run(out) {
      if (!test(out.value)) {
        out.issues.push({ ...issue, path: [], input: out.value, halt: params?.abort === true, error } as unknown as RawIssue);
      }
    },
  };
}

/** bound compares a value with a limit: a number, a bigint or a date. */
export function bound(kind: "min" | "max", limit: any, inclusive: boolean, origin: string, params?: any): Check {
  const shown = limit instanceof Date ? limit.getTime() : limit;
  const test = kind === "min"
    ? (v: any) => (inclusive ? v >= limit : v > limit)
    : (v: any) => (inclusive ? v <= limit : v < limit);
  const issue = kind === "min"
    ? { origin, code: "too_small", minimum: shown, inclusive }
    : { origin, code: "too_big", maximum: shown, inclusive };
  return check(kind, test, issue, params, { limit, inclusive });
}

const originOf = (value: unknown) => (Array.isArray(value) ? "array" : typeof value === "string" ? "string" : "unknown");

/**
 * size limits how many characters, items or entries a value has. It looks at
 * values that have wrong items too, so that all problems are told at once.
 */
export function size(kind: "minSize" | "maxSize" | "exactSize", limit: number, params?: any, measure: "length" | "size" = "length"): Check {
  const error = errorMap(params);
  return {
    kind,
    limit,
    when: (out) => out.value?.[measure] !== undefined,
    run(out) {
      const n: number = out.value[measure];
      const origin = measure === "size" ? "set" : originOf(out.value);
      const exact = kind === "exactSize" ? { exact: true } : undefined;
      const common = { inclusive: true, ...exact, path: [], input: out.value, halt: params?.abort === true, error };
      if (n < limit && kind !== "maxSize") out.issues.push({ origin, code: "too_small", minimum: limit, ...common });
      if (n > limit && kind !== "minSize") out.issues.push({ origin, code: "too_big", maximum: limit, ...common });
    },
  };
}

/** rewrite replaces the value by a function of it, keeping its type. */
export function rewrite(kind: string, change: (value: any) => any): Check {
  return { kind, run: (out) => { out.value = change(out.value); } };
}

/** refinement asks a predicate of the user's, which may be async. */
export function refinement(test: (value: any) => unknown, params?: any): Check {
  const options = typeof params === "object" && params !== null ? params : {};
  const error = errorMap(typeof params === "function" ? undefined : params);
  const judge = (out: Out) => (verdict: unknown) => {
    if (verdict) return;
    const issue: RawIssue = { code: "custom", path: [...(options.path ?? [])], input: out.value, halt: options.abort === true, error };
    if (options.params) issue.params = options.params;
    out.issues.push(issue);
  };
  return { kind: "custom", when: options.when, run: (out) => chain(test(out.value), judge(out)) as void };
}

/** rawIssue completes an issue that user code reported; a string is its message. */
export function rawIssue(issue: any, input: unknown): RawIssue {
  if (typeof issue === "string") return { code: "custom", message: issue, path: [], input };
  const { fatal, continue: goOn, ...rest } = issue;
  return { input, halt: fatal === true || goOn === false, ...rest, code: rest.code ?? "custom", path: [...(rest.path ?? [])] };
}

/** reporter is the second argument of superRefine and transform functions. */
export function reporter(out: Out) {
  return {
    value: out.value,
    issues: out.issues,
    path: [] as PropertyKey[],
    addIssue: (issue: any) => { out.issues.push(rawIssue(issue, out.value)); },
  };
}

/** scrutiny runs a function of the user's that reports issues itself. */
export function scrutiny(look: (value: any, report: any) => any): Check {
  return { kind: "custom", run: (out, _context: Context) => look(out.value, reporter(out)) };
}

/** inspection runs a function that gets {value, issues} and may push issues in. */
export function inspection(look: (payload: any) => any): Check {
  return {
    kind: "custom",
    run(out) {
      const payload = { value: out.value, issues: [] as any[] };
      return chain(look(payload), () => {
        out.value = payload.value;
        for (const issue of payload.issues) out.issues.push(rawIssue(issue, out.value));
      }) as void;
    },
  };
}
