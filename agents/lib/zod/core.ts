// The base of every schema: running, checking, and the parse family.
//
// A schema's run takes a value and answers an Out: the value it became and
// what is wrong with it. Only where a user's function answered a promise is the
// answer a promise too; the sync parse family refuses that.

import { ZodError, errorMap, finish, type ErrorMap, type Issue, type RawIssue } from "sideb:zod/error";

export interface Out {
  value: any;
  issues: RawIssue[];
}

export type MaybePromise<T> = T | Promise<T>;

/** The state of one parse. */
export interface Context {
  async: boolean;
  error?: ErrorMap;
  reportInput?: boolean;
}

/** A check looks at a value that already has the right type, adds issues or replaces the value. */
export interface Check {
  kind: string;
  /** when: overrides the rule that a halted value isn't checked any further */
  when?: (out: Out) => boolean;
  run: (out: Out, context: Context) => void | Promise<void>;
  [detail: string]: any;
}

export const ok = (value: unknown): Out => ({ value, issues: [] });

export const isPromise = (value: any): value is Promise<any> => value instanceof Promise;

export const halted = (out: Out): boolean => out.issues.some((issue) => issue.halt);

/** chain goes on with a result that may still be on its way. */
export function chain<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** addAt moves the issues of a part, found at key, to the whole. */
export function addAt(whole: Out, key: PropertyKey, part: Out): void {
  for (const issue of part.issues) {
    issue.path.unshift(key);
    whole.issues.push(issue);
  }
}

/** settle waits for the parts that are promises, then answers the whole. */
export function settle(whole: Out, pending: Promise<unknown>[]): MaybePromise<Out> {
  return pending.length ? Promise.all(pending).then(() => whole) : whole;
}

/** promised lets promises through where the parse is asynchronous. */
export function promised<T>(value: MaybePromise<T>, context: Context): MaybePromise<T> {
  if (isPromise(value) && !context.async) {
    throw new Error("Encountered Promise during synchronous parse. Use .parseAsync() instead.");
  }
  return value;
}

function runChecks(out: Out, checks: Check[], context: Context, from = 0): MaybePromise<Out> {
  for (let i = from; i < checks.length; i++) {
    const check = checks[i];
    if (check.when ? !check.when(out) : halted(out)) continue;
    const wait = promised(check.run(out, context), context);
    if (isPromise(wait)) return wait.then(() => runChecks(out, checks, context, i + 1));
  }
  return out;
}

/** Descriptions and other metadata, by schema. */
export class ZodRegistry {
  private map = new WeakMap<object, any>();
  add(schema: ZodType, meta?: any): this { this.map.set(schema, meta ?? {}); return this; }
  get(schema: ZodType): any { return this.map.get(schema); }
  has(schema: ZodType): boolean { return this.map.has(schema); }
  remove(schema: ZodType): this { this.map.delete(schema); return this; }
}

export const globalRegistry = new ZodRegistry();

export class ZodType {
  /** def describes the schema: def.type is its node type. */
  def: any;

  constructor(def: any, params?: any) {
    this.def = def;
    const error = errorMap(params);
    if (error) def.error = error;
  }

  get type(): string { return this.def.type; }
  get _def(): any { return this.def; }
  get _zod() { return { def: this.def }; }
  get "~standard"() {
    const validate = (value: unknown) => {
      const answer = (r: any) => (r.success ? { value: r.data } : { issues: r.error.issues });
      return this.safeParseAsync(value).then(answer);
    };
    return { version: 1, vendor: "zod", validate };
  }

  /** optionalIn: a missing key is fine as input. optionalOut: the output may lack the key. */
  get optionalIn(): boolean { return false; }
  get optionalOut(): boolean { return false; }
  /** values: the only values that the schema accepts, where they can be listed. */
  get values(): Set<unknown> | undefined { return undefined; }

  /** base is what the node type itself accepts; each subclass has its own. */
  base(value: unknown, _context: Context): MaybePromise<Out> { return ok(value); }

  run(value: unknown, context: Context): MaybePromise<Out> {
    const out = this.base(value, context);
    const checks = this.def.checks as Check[] | undefined;
    return checks ? chain(out, (o) => runChecks(o, checks, context)) : out;
  }

  /** wrongType answers the issue that the value isn't of the expected type. */
  wrongType(value: unknown, expected = this.def.type, more?: object): Out {
    return this.fail(value, { code: "invalid_type", expected, ...more });
  }

  fail(value: unknown, issue: object): Out {
    return { value, issues: [{ ...issue, path: [], input: value, halt: true, error: this.def.error } as unknown as RawIssue] };
  }

  clone(def: any = this.def): this {
    const copy = Object.create(Object.getPrototypeOf(this));
    copy.def = { ...def };
    return copy;
  }

  /** with answers a copy that has the checks as well. */
  with(...checks: Check[]): this {
    const copy = this.clone({ ...this.def, checks: [...(this.def.checks ?? []), ...checks] });
    const meta = globalRegistry.get(this);
    if (meta) globalRegistry.add(copy, meta);
    return copy;
  }

  safeParse(value: unknown, params?: any): any {
    const out = this.run(value, { async: false, ...params }) as Out;
    return outcome(out, params);
  }

  parse(value: unknown, params?: any): any {
    const result = this.safeParse(value, params);
    if (!result.success) throw result.error;
    return result.data;
  }

  async safeParseAsync(value: unknown, params?: any): Promise<any> {
    return outcome(await this.run(value, { async: true, ...params }), params);
  }

  async parseAsync(value: unknown, params?: any): Promise<any> {
    const result = await this.safeParseAsync(value, params);
    if (!result.success) throw result.error;
    return result.data;
  }

  /** spa is the short name of safeParseAsync. */
  spa(value: unknown, params?: any): Promise<any> { return this.safeParseAsync(value, params); }
}

function outcome(out: Out, params: any): { success: boolean; data?: any; error?: ZodError } {
  if (!out.issues.length) return { success: true, data: out.value };
  const issues: Issue[] = finish(out.issues, params);
  return { success: false, error: new ZodError(issues) };
}
