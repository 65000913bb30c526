package agents

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// runCodeTable are bodies of tools; each returns "" when what it saw was right.
var runCodeTable = map[string]string{
	"result has its shape": `
  const run = state.runCode("console.log('hi', 1); report({ at: 1 }); export default (a: number) => a + 1", { execute: { args: [41] }, report: () => {}, filename: "x.ts" });
  if (!run.running || typeof run.then !== "function") return "not a handle";
  const r = await run;
  if (run.running) return "still running";
  if (r.status !== "success" || r.result !== 42 || "error" in r || !(r.durationMs > 0)) return JSON.stringify(r);
  if (r.logs.length !== 1 || r.logs[0].level !== "log" || r.logs[0].args[1] !== 1 || !(r.logs[0].timestamp > 1e12)) return JSON.stringify(r.logs);
  return r.reports[0].at === 1 && run.reports[0].at === 1 ? "" : JSON.stringify(r.reports);`,
	"functions run in the project": `
  let secret = 0;
  const r = await state.runCode("import { add } from 'tools'; import log from 'log'; export default async () => [await add(1, 2), await log('x'), await twice(4)]", {
    imports: { tools: { add: (a: number, b: number) => { secret = a + b; return a + b; } }, log: { default: async (t: string) => t + "!" } },
    globals: { twice: (n: number) => n * 2 },
  });
  return JSON.stringify(r.result) === '[3,"x!",8]' && secret === 3 ? "" : JSON.stringify(r);`,
	"a function of the sandbox can be called": `
  const r = await state.runCode("let n = 0; export default () => ({ next: (by) => (n += by), self: given, shout })", {
    globals: { given: String, shout: async (f: any) => f(2) } });
  const a = await r.result.next(2), b = await r.result.next(3);
  if (r.result.self !== String) return "identity is lost";
  return a === 2 && b === 5 ? "" : JSON.stringify([a, b, r]);`,
	"a callback crosses both ways": `
  const r = await state.runCode("export default () => each([1, 2, 3], (n) => n * 10)", {
    globals: { each: async (list: number[], f: any) => { const out = []; for (const n of list) out.push(await f(n)); return out; } } });
  return JSON.stringify(r.result) === "[10,20,30]" ? "" : JSON.stringify(r);`,
	"errors of a function reject in the sandbox": `
  const r = await state.runCode("export default async () => { try { await bad() } catch (e) { return [e.name, e.message, e instanceof TypeError] } }", {
    globals: { bad: () => { throw new TypeError("no"); } } });
  return JSON.stringify(r.result) === '["TypeError","no",true]' ? "" : JSON.stringify(r);`,
	"values keep their kinds": `
  const cycle: any = { list: [1, , 3] }; cycle.self = cycle;
  const given = { u: undefined, z: -0, nan: NaN, big: 2n ** 70n, date: new Date(5), map: new Map<any, any>([[cycle, 1]]), set: new Set(["a"]), re: /a/gi,
    bytes: new Uint8Array([1, 2, 3]), floats: new Float64Array([0.5]), err: new RangeError("r"), cycle, lone: "\ud800", type: { $type: "mine" } };
  const r = await state.runCode("export default (v) => v", { execute: { args: [given] } });
  const v = r.result;
  if (r.status !== "success") return JSON.stringify(r.error);
  const [key] = [...v.map.keys()];
  const ok = "u" in v && v.u === undefined && Object.is(v.z, -0) && Number.isNaN(v.nan) && v.big === 2n ** 70n && +v.date === 5 && key === v.cycle &&
    v.set.has("a") && String(v.re) === "/a/gi" && v.bytes instanceof Uint8Array && v.bytes[2] === 3 && v.floats[0] === 0.5 && v.err instanceof RangeError &&
    v.err.message === "r" && v.cycle.self === v.cycle && !(1 in v.cycle.list) && v.cycle.list.length === 3 && v.lone === "\ud800" && v.type.$type === "mine" && v !== given;
  return ok ? "" : "a kind was lost";`,
	"bad options settle as link_error": `
  for (const [source, options] of [["1", { nope: 1 }], ["1", { language: "java" }], ["1", { execute: { args: 1 } }], ["1", { memoryLimitBytes: 0 }], ["1", { modules: { a: 1 } }],
    ["1", { globals: { eval: 1 } }], ["1", { modules: { a: "1" } }], [5, {}], ["1", { globals: { a: new (class A {})() } }], ["1", 3]] as any) {
    const r = await state.runCode(source, options);
    if (r.status !== "link_error" || !r.error.message) return JSON.stringify([source, options, r]);
  }
  return "";`,
	"terminate gives its reason": `
  const run = state.runCode("for (;;);");
  run.terminate("enough"); run.terminate("again");
  const r = await run;
  const never = state.runCode("await new Promise(() => {})");
  setTimeout(() => never.terminate("late"), 20);
  const n = await never;
  return r.status === "terminated" && r.error.message === "enough" && r.error.name === "Terminated" && n.error.message === "late" ? "" : JSON.stringify([r, n]);`,
	"reports are live": `
  let heard: any[] = [];
  const run = state.runCode("report(1); await go(); report(2)", { report: (v: any) => { heard.push(v); }, globals: { go: () => { if (run.reports[0] !== 1) throw new Error("not yet"); } }, execute: { fn: "x" } });
  const r = await run;
  return r.status === "link_error" && JSON.stringify([heard, r.reports]) === "[[1,2],[1,2]]" ? "" : JSON.stringify([heard, r]);`,
	"a secret crosses only as an import": `
  const r = await state.runCode("export default [typeof state, typeof process, typeof fetch, typeof console]");
  return JSON.stringify(r.result) === '["undefined","undefined","undefined","object"]' ? "" : JSON.stringify(r);`,
}

func TestRunCode(t *testing.T) {
	tools := files{}
	for name, statements := range runCodeTable {
		tools["agents/tools/"+strings.ReplaceAll(name, " ", "_")+".ts"] = body(statements)
	}
	p := openFiles(t, tools, nil)
	noProblems(t, p)
	for name := range runCodeTable {
		t.Run(name, func(t *testing.T) {
			if r := callNamed(t, p, strings.ReplaceAll(name, " ", "_"), `{}`, newFake()); r.Result != "" || r.Error != "" {
				t.Fatalf("%s %s", r.Result, r.Error)
			}
		})
	}
}

// The code ends when the call is cancelled, which is when the abort signal fires.
func TestRunCodeEndsWithTheAbortSignal(t *testing.T) {
	p := openFiles(t, files{"agents/tools/spin.ts": body(`
  const run = state.runCode("await begun(); for (;;);", { globals: { begun: () => state.setValue("begun", 1) } });
  state.execution.abortSignal.addEventListener("abort", async () => { const r = await run; await state.setValue("end", r.status); });
  return (await run).status;`)}, nil)
	h := newFake()
	begun := make(chan struct{})
	h.answers["setValue"] = func(raw json.RawMessage) (any, error) {
		if strings.Contains(string(raw), "begun") {
			close(begun)
		}
		return nil, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := p.callTool(ctx, p.Definitions().Tools["spin"], nil, h)
		ended <- err
	}()
	<-begun
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the call wasn't cancelled")
	}
	deadline := time.After(time.Minute)
	for p.sandboxes.Running() > 0 {
		select {
		case <-deadline:
			t.Fatal("the code still runs")
		case <-p.sandboxes.Changed():
		}
	}
}

// Code that nobody awaits ends with the call that started it.
func TestRunCodeEndsWithItsCall(t *testing.T) {
	p := openFiles(t, files{"agents/tools/leave.ts": body(`state.runCode("for (;;);"); await state.runCode("1", { execute: { fn: "x" } }); return "left";`)}, nil)
	if r := callNamed(t, p, "leave", `{}`, newFake()); r.Result != "left" {
		t.Fatalf("%+v", r)
	}
	deadline := time.After(time.Minute)
	for p.sandboxes.Running() > 0 {
		select {
		case <-deadline:
			t.Fatal("the code still runs")
		case <-p.sandboxes.Changed():
		}
	}
}
