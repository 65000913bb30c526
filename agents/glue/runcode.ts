// state.runCode (authoring surface §16): the host runs the source in a sandbox;
// this is the handle. What the sandbox wants of us (a function called, a report
// taken) the host gives as answers to "runCode.next".

import { decode, encode, SerializationError, type Functions } from "sideb:glue/tagged";

interface Host {
  ask(method: string, args: unknown): Promise<any>;
  tell(method: string, args: unknown): void;
}

const isObject = (v: any) => typeof v === "object" && v !== null && !Array.isArray(v);
const shapes: Record<string, [string, (v: any) => boolean]> = {
  language: ["'typescript' or 'javascript'", (v) => v === "typescript" || v === "javascript"],
  execute: ["{fn?: string, args?: array}", (v) => isObject(v) && (v.fn === undefined || typeof v.fn === "string") && (v.args === undefined || Array.isArray(v.args)) && Object.keys(v).every((k) => k === "fn" || k === "args")],
  imports: ["an object of objects", (v) => isObject(v) && Object.values(v).every(isObject)],
  globals: ["an object", isObject],
  modules: ["an object of strings", (v) => isObject(v) && Object.values(v).every((s) => typeof s === "string")],
  memoryLimitBytes: ["a number above 0", (v) => typeof v === "number" && v > 0 && Number.isFinite(v)],
  filename: ["a string", (v) => typeof v === "string"],
  report: ["a function", (v) => typeof v === "function"],
};

function refusal(source: unknown, options: any): string {
  if (typeof source !== "string") return "the source must be a string";
  if (!isObject(options)) return "options must be an object";
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(shapes, key)) return `options.${key} is unknown; there are ${Object.keys(shapes).join(", ")}`;
    const [what, fits] = shapes[key];
    if (options[key] !== undefined && !fits(options[key])) return `options.${key} must be ${what}`;
  }
  return "";
}

const failed = (name: string, message: string, reports: unknown[] = []) =>
  ({ status: "link_error", error: { name, message }, logs: [], reports, durationMs: 0 });

class Code implements Functions {
  running = true;
  reports: unknown[] = [];
  readonly settled: Promise<any>;
  private run = 0;
  private reason: string | undefined; // of a termination before there was a run
  private ours: Function[] = [];
  private numbers = new Map<Function, number>();
  private theirs = new Map<number, Function>();
  private known = new WeakMap<Function, number>();

  constructor(private host: Host, source: unknown, private options: any) {
    this.settled = this.begin(source, options).then((result) => {
      this.running = false;
      return result;
    });
  }

  out(fn: Function) {
    const theirs = this.known.get(fn);
    if (theirs !== undefined) return { id: theirs, yours: true };
    let id = this.numbers.get(fn);
    if (id === undefined) {
      id = this.ours.push(fn);
      this.numbers.set(fn, id);
    }
    return { id, yours: false };
  }

  into(id: number, yours: boolean, name: string): unknown {
    if (yours) return this.ours[id - 1];
    let fn = this.theirs.get(id);
    if (!fn) {
      fn = async (...args: unknown[]) => {
        const answer = await this.host.ask("runCode.invoke", { run: this.run, fn: id, value: encode(args, "arguments", this) });
        return decode(answer, this);
      };
      Object.defineProperty(fn, "name", { value: name });
      this.theirs.set(id, fn);
      this.known.set(fn, id);
    }
    return fn;
  }

  terminate(reason?: unknown) {
    if (!this.running || this.reason !== undefined) return;
    this.reason = reason === undefined ? "" : String(reason);
    if (this.run) this.host.tell("runCode.terminate", { run: this.run, reason: this.reason });
  }

  private async begin(source: unknown, options: any): Promise<any> {
    const refused = refusal(source, options);
    if (refused) return failed("LinkError", refused);
    let body: any;
    try {
      body = this.request(source as string, options);
    } catch (e: any) {
      return failed(e instanceof SerializationError ? e.name : "LinkError", String(e?.message ?? e));
    }
    this.run = await this.host.ask("runCode", body);
    if (this.reason !== undefined) this.host.tell("runCode.terminate", { run: this.run, reason: this.reason });
    for (;;) {
      for (const event of await this.host.ask("runCode.next", { run: this.run })) {
        if (event.type === "settled") return this.result(event.result);
        if (event.type === "report") this.report(decode(event.value, this));
        else void this.answer(event);
      }
    }
  }

  private request(source: string, options: any) {
    const { language, execute, imports, globals, modules, memoryLimitBytes, filename, report } = options;
    return {
      source, language: language ?? "", fn: execute?.fn ?? "", modules: modules ?? {}, filename: filename ?? "",
      memoryLimitBytes: Math.ceil(memoryLimitBytes ?? 0), report: report !== undefined,
      values: encode({ args: execute?.args ?? [], imports: copies(imports ?? {}), globals: { ...(globals ?? {}) } }, "options", this),
    };
  }

  private report(value: unknown) {
    this.reports.push(value);
    try {
      const answer: any = this.options.report(value);
      if (typeof answer?.then === "function") answer.then(undefined, (e: unknown) => console.error("report failed:", e));
    } catch (e) {
      console.error("report failed:", e);
    }
  }

  // answer calls one of our functions for the sandbox.
  private async answer(event: any) {
    const reply: any = { run: this.run, call: event.call };
    try {
      const fn = this.ours[event.fn - 1];
      reply.value = encode(await fn.apply(undefined, decode(event.value, this)), "result", this);
    } catch (e: any) {
      reply.error = { name: String(e?.name ?? "Error"), message: String(e?.message ?? e) };
    }
    this.host.tell("runCode.reply", reply);
  }

  private result(r: any) {
    const out: any = { status: r.status };
    if (r.error) out.error = r.error;
    else out.result = decode(r.value, this);
    out.logs = r.logs.map((l: any) => ({ level: l.level, args: decode(l.args, this), timestamp: l.timestamp }));
    out.reports = this.reports;
    out.durationMs = r.durationMs;
    return out;
  }
}

// copies are the own enumerable properties of each module, a namespace's too.
const copies = (imports: any) => Object.fromEntries(Object.entries(imports).map(([key, exports]) => [key, { ...(exports as any) }]));

/** runCode answers the handle: thenable, with terminate, running and reports. */
export function runCode(host: Host, source: unknown, options: any = {}) {
  const code = new Code(host, source, options);
  return {
    then: (ok?: any, fail?: any) => code.settled.then(ok, fail),
    catch: (fail?: any) => code.settled.catch(fail),
    finally: (f?: any) => code.settled.finally(f),
    terminate: (reason?: string) => code.terminate(reason),
    get running() { return code.running; },
    get reports() { return [...code.reports]; },
  };
}
