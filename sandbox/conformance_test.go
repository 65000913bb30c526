package sandbox

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// evaluate runs source in a warm worker and gives its result's tagged JSON, or
// the status and the error.
func evaluate(t testing.TB, p *Pool, source string, o Options) string {
	t.Helper()
	o.Affinity = "test"
	r := run(t, p, source, o)
	if r.Err != nil {
		return string(r.Status) + " " + r.Err.Name + ": " + r.Err.Message
	}
	raw, err := value.AppendJSON(nil, r.Value, "result", anyFunctions{})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// anyFunctions shows functions without handles.
type anyFunctions struct{}

func (anyFunctions) Handle(*value.Func) (uint64, bool)        { return 0, false }
func (anyFunctions) Remote(_ uint64, name string) *value.Func { return &value.Func{Name: name} }
func (anyFunctions) Own(uint64) *value.Func                   { return nil }

// function is a function of the host.
func function(name string, f func(args []any) (any, error)) *value.Func {
	return &value.Func{Name: name, Call: func(_ context.Context, args []any) (any, error) { return f(args) }}
}

type sample struct{ source, want string }

func evaluateAll(t *testing.T, o Options, list map[string]sample) {
	t.Helper()
	p := newPool(t)
	for name, c := range list {
		t.Run(name, func(t *testing.T) {
			if got := evaluate(t, p, c.source, o); !strings.HasPrefix(got, c.want) {
				t.Fatalf("%s\ngot  %s\nwant %s", c.source, got, c.want)
			}
		})
	}
}

// §13.9 1: a handle that settles, for any source and options.
func TestMust1RunGivesAHandle(t *testing.T) {
	e := Run(context.Background(), "export default 1", Options{})
	defer e.Close()
	r := wait(t, e)
	if e.Running() || e.Result() != r || r.Status != Success || r.Value != 1.0 || r.Duration <= 0 {
		t.Fatalf("%+v", r)
	}
}

// §13.9 2: TypeScript by default, as an ES module.
func TestMust2TypeScriptIsEvaluatedAsAModule(t *testing.T) {
	evaluateAll(t, Options{}, map[string]sample{
		"types":           {"interface A<T> { a: T }\nconst f = <T,>(x: T): A<T> => ({ a: x! });\nexport default f<number>(1 as any satisfies number)", `{"a":1}`},
		"enum":            {"enum E { A = 1, B, C = 'c' as any }\nexport default [E.A, E[2], E.C]", `[1,"B","c"]`},
		"const enum":      {"const enum E { A = 4 }\nexport default E.A", "4"},
		"namespace":       {"namespace N { export const x = 1; export namespace M { export const y = x + 1 } }\nexport default N.M.y", "2"},
		"parameter props": {"class A { constructor(public a: number, private readonly b = 2) {} sum() { return this.a + this.b } }\nexport default new A(1).sum()", "3"},
		"abstract":        {"abstract class A { abstract f(): number; g() { return this.f() } }\nclass B extends A { f() { return 1 } }\nexport default new B().g()", "1"},
		"overloads":       {"function f(a: string): string; function f(a: number): number; function f(a: any) { return a }\nexport default f(1)", "1"},
		"decorators":      {"const double = (f: any, _: any) => function (this: any, n: number) { return 2 * f.call(this, n) };\nclass A { @double f(n: number) { return n } }\nexport default new A().f(4)", "8"},
		"using":           {"const log: string[] = [];\n{ using a = { [Symbol.dispose]() { log.push('a') } }; log.push('in') }\nexport default log", `["in","a"]`},
		"async generator": {"async function* g() { yield 1; yield 2 }\nconst out: number[] = []; for await (const x of g()) out.push(x);\nexport default out", "[1,2]"},
		"top-level await": {"const x = await Promise.resolve(3);\nexport default x", "3"},
		"strict":          {"export default (function (this: any) { return this === undefined })()", "true"},
		"import.meta":     {"export default import.meta.url", `"sandbox:<runCode>"`},
		"hashbang":        {"#!/usr/bin/env node\nexport default import.meta.url === undefined", "true"},
		"no exports used": {"export default 1; // trailing comment", "1"},
		"named functions": {"export default (() => { const v = () => {}; return v.name })()", `"v"`},
	})
	evaluateAll(t, Options{Language: JavaScript}, map[string]sample{
		"types are syntax errors in JavaScript": {"const a: number = 1; export default a", "link_error SyntaxError"},
		"JavaScript":                            {"export default (class { static f = 1 }).f", "1"},
	})
}

// §13.9 3: what may be imported; see modules_test.go too.
func TestMust3OnlyGivenModulesResolve(t *testing.T) {
	evaluateAll(t, Options{Imports: map[string]map[string]any{"tools": {"x": 1}}, Modules: map[string]string{"./a": "export default 2"}}, map[string]sample{
		"bare":             {"import { x } from 'tools'; export default x", "1"},
		"relative":         {"import a from './a'; export default a", "2"},
		"unknown bare":     {"import fs from 'fs'; export default fs", "link_error LinkError: Could not resolve \"fs\""},
		"node":             {"import fs from 'node:fs'; export default fs", "link_error LinkError"},
		"unknown relative": {"import b from './b'; export default b", "link_error LinkError"},
		"absolute":         {"import b from '/etc/passwd'; export default b", "link_error LinkError"},
		"url":              {"import b from 'https://example.com/x.js'; export default b", "link_error LinkError"},
		"data":             {"import b from 'data:text/javascript,export default 1'; export default b", "link_error LinkError"},
		"file":             {"import b from 'file:///etc/passwd'; export default b", "link_error LinkError"},
		"prototype's name": {"import b from 'constructor'; export default b", "link_error LinkError"},
		"require":          {"export default typeof require", `"undefined"`},
	})
}

// §13.9 4: globals are at module scope and nowhere else.
func TestMust4GlobalsAreAtModuleScope(t *testing.T) {
	o := Options{Globals: map[string]any{"token": "t", "fetch": 2, "ünï": 3}, Modules: map[string]string{"./m": "export default typeof token"}}
	evaluateAll(t, o, map[string]sample{
		"seen":              {"export default [token, fetch, ünï]", `["t",2,3]`},
		"seen in modules":   {"import m from './m'; export default m", `"string"`},
		"not on globalThis": {"export default ['token' in globalThis, Object.keys(globalThis).length, globalThis.fetch]", `[false,0,{"$type":"undefined"}]`},
		"may be shadowed":   {"const token = 5; export default token", "5"},
		"console too":       {"export default 'console' in globalThis", "false"},
	})
	for _, name := range []string{"eval", "arguments", "class", "a b", "1a", "", "a-b", "await"} {
		r := run(t, nil, "export default 1", Options{Globals: map[string]any{name: 1}})
		if r.Status != LinkError || !strings.Contains(r.Err.Message, "globals") {
			t.Errorf("%q: %+v", name, r)
		}
	}
}

// intrinsicNames are what ECMAScript defines on the global object and the engine has.
const intrinsicNames = " Object Function Array String Number BigInt RegExp Date Boolean Proxy Reflect Error AggregateError TypeError ReferenceError " +
	"SyntaxError RangeError EvalError URIError Math JSON ArrayBuffer DataView Uint8Array Uint8ClampedArray Int8Array Uint16Array Int16Array Uint32Array " +
	"Int32Array Float32Array Float64Array BigInt64Array BigUint64Array Symbol WeakSet WeakMap Map Set Promise globalThis NaN undefined Infinity isNaN " +
	"parseInt parseFloat isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape Iterator SuppressedError DisposableStack " +
	"AsyncDisposableStack WeakRef FinalizationRegistry "

// §13.9 5: globalThis has the intrinsics only.
func TestMust5OnlyIntrinsicsAreGlobal(t *testing.T) {
	r := run(t, nil, "export default Reflect.ownKeys(globalThis).map(String)", Options{})
	for _, name := range r.Value.(*value.Array).Items {
		if !strings.Contains(intrinsicNames, " "+name.(string)+" ") {
			t.Errorf("globalThis has %v", name)
		}
	}
}

// §13.9 6: no code from text, no shared memory, no URL imports.
func TestMust6DynamicCodeIsRejected(t *testing.T) {
	evaluateAll(t, Options{Language: JavaScript}, map[string]sample{
		"eval":              {"export default eval('1')", "error ReferenceError"},
		"typeof eval":       {"export default typeof eval", `"undefined"`},
		"indirect eval":     {"export default (0, globalThis.eval)('1')", "error TypeError"},
		"new Function":      {"export default new Function('return 1')()", "error EvalError"},
		"Function":          {"export default Function('return 1')()", "error EvalError"},
		"SharedArrayBuffer": {"export default typeof SharedArrayBuffer", `"undefined"`},
		"Atomics":           {"export default typeof Atomics", `"undefined"`},
		"URL import":        {"export default import('https://example.com/a.js')", "link_error LinkError"},
		"computed URL":      {"const u = 'https://example.com/' + 1; export default import(u)", "error TypeError"},
		"setTimeout":        {"export default typeof setTimeout", `"undefined"`},
		"WebAssembly":       {"export default typeof WebAssembly", `"undefined"`},
	})
}

// §13.9 7: memory_test.go has the cases.
func TestMust7MemoryLimitIsEnforced(t *testing.T) {
	r := run(t, nil, "const all = []; for (;;) all.push({})", Options{MemoryLimitBytes: 8 << 20})
	if r.Status != Memory || !strings.Contains(r.Err.Message, "8 MiB") {
		t.Fatalf("%+v %v", r, r.Err)
	}
}

// §13.9 8: terminate_test.go has the cases; the benchmark has the time.
func TestMust8TerminateSettles(t *testing.T) {
	p := newPool(t)
	e := Run(context.Background(), "report(1); for (;;);", Options{Pool: p, Report: func(any) {}})
	e.Terminate("because")
	e.Terminate("again")
	if r := wait(t, e); r.Status != Terminated || r.Err.Message != "because" || r.Err.Name != "Terminated" {
		t.Fatalf("%+v %v", r, r.Err)
	}
}

// §13.9 9: values are copies, functions proxies; values_test.go has the kinds.
func TestMust9ValuesCrossByCopy(t *testing.T) {
	given := object("a", &value.Array{Items: []any{1.0}})
	p := newPool(t)
	var seen []any
	o := Options{Execute: Execute{Args: []any{given}}, Globals: map[string]any{"given": given, "host": function("host", func(args []any) (any, error) {
		seen = args
		return given, nil
	})}}
	got := evaluate(t, p, `export default async (arg) => {
  const back = await host(arg, given);
  arg.a.push(2); given.a = null; back.b = 1;
  return [arg, given, back];
}`, o)
	if want := `[{"a":[1,2]},{"a":null},{"a":[1],"b":1}]`; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if len(given.Keys) != 1 || len(given.Get("a").(*value.Array).Items) != 1 || seen[0] == any(given) || seen[0] == seen[1] {
		t.Fatal("a value is shared")
	}
}

// §13.9 10: the export is read, called, awaited and marshaled.
func TestMust10TheExportIsResolved(t *testing.T) {
	evaluateAll(t, Options{}, map[string]sample{
		"value":             {"export default 1", "1"},
		"function":          {"export default () => 2", "2"},
		"async":             {"export default async () => 3", "3"},
		"promise":           {"export default Promise.resolve(4)", "4"},
		"thenable":          {"export default { then(ok) { ok({ then(ok) { ok(5) } }) } }", "5"},
		"undefined":         {"export default undefined", `{"$type":"undefined"}`},
		"returned function": {"export default () => () => 1", `{"$type":"function"`},
		"missing":           {"export const x = 1", `link_error LinkError: the source has no export named "default"`},
		"throw":             {"export default () => { throw new RangeError('r') }", "error RangeError: r"},
		"rejection":         {"export default Promise.reject(new TypeError('t'))", "error TypeError: t"},
		"thrown value":      {"export default () => { throw { a: 1 } }", `error Error: {"a":1}`},
		"module throws":     {"throw new Error('m')", "error Error: m"},
		"getter of then":    {"export default { get then() { throw new Error('g') } }", "error Error: g"},
		"class":             {"export default class {}", "error TypeError"},
	})
	named := Options{Execute: Execute{Fn: "f", Args: []any{1.0, 2.0}}}
	evaluateAll(t, named, map[string]sample{
		"arguments":            {"export const f = (a, b) => a - b", "-1"},
		"no this":              {"export function f() { return this === undefined && arguments.length }", "2"},
		"not a function":       {"export const f = 1", "error TypeError"},
		"string name":          {"const g = () => 7; export { g as 'f' }", "7"},
		"own properties only":  {"export default 1", "link_error"},
		"a re-exported export": {"export { f } from './m'", "link_error LinkError"},
	})
	for _, name := range []string{"toString", "constructor", "__proto__", "hasOwnProperty"} {
		r := run(t, nil, "export default 1", Options{Execute: Execute{Fn: name}})
		if r.Status != LinkError {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// §13.9 11: the statuses, word for word.
func TestMust11StatusCodes(t *testing.T) {
	p := newPool(t)
	for source, want := range map[string]string{
		"export default 1": "success", "throw 1": "error", "import 'x'": "link_error", "export default 'x'.repeat(2 ** 29 - 100).length": "memory",
	} {
		if r := run(t, p, source, Options{}); string(r.Status) != want {
			t.Errorf("%s: %s %v, want %s", source, r.Status, r.Err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	e := Run(ctx, "await new Promise(() => {})", Options{Pool: p})
	cancel(context.DeadlineExceeded)
	if r := wait(t, e); r.Status != "terminated" || r.Err.Message != context.DeadlineExceeded.Error() {
		t.Errorf("%+v", r)
	}
}

// §13.9 12: nothing of one call is there in the next, on the same worker too.
func TestMust12EveryCallIsFresh(t *testing.T) {
	p := newPool(t)
	evaluate(t, p, `globalThis.leak = 1; Object.prototype.leak = 1; Array.prototype.map = null; Promise.prototype.then = null;
JSON.parse = null; Map.prototype.get = null; Object.freeze(Function.prototype); String.prototype.leak = 1; export default 1`, Options{})
	got := evaluate(t, p, `export default [typeof leak, 'leak' in {}, typeof [].map, typeof Promise.prototype.then, typeof JSON.parse, 'x'.leak, Object.isFrozen(Function.prototype)]`, Options{})
	if want := `["undefined",false,"function","function","function",{"$type":"undefined"},false]`; got != want {
		t.Fatal(got)
	}
	source := "let n = 0; export default ++n"
	for range 3 {
		if got := evaluate(t, p, source, Options{}); got != "1" {
			t.Fatal(got)
		}
	}
}

func TestShouldCaptureConsole(t *testing.T) {
	p := newPool(t)
	r := run(t, p, `console.log("a", 1, { b: [true] }); console.info(1); console.warn(2); console.error(new Error("e")); console.debug(() => 1, class A {}, Symbol("s"), Promise.resolve());
for (const f of [console.log]) f("bound"); throw 1`, Options{})
	var levels []string
	for _, l := range r.Logs {
		levels = append(levels, l.Level)
		if l.Timestamp < 1e12 {
			t.Error("a timestamp isn't in milliseconds")
		}
	}
	if got := strings.Join(levels, " "); got != "log info warn error debug log" {
		t.Fatal(got)
	}
	if first, _ := value.AppendJSON(nil, r.Logs[0].Args, "", nil); string(first) != `["a",1,{"b":[true]}]` {
		t.Errorf("%s", first)
	}
	if odd, _ := value.AppendJSON(nil, r.Logs[4].Args, "", nil); !strings.Contains(string(odd), "[Function]") && !strings.Contains(string(odd), "[a symbol]") {
		t.Errorf("%s", odd)
	}
	r = run(t, p, "console.log(1)", Options{Globals: map[string]any{"console": object("log", function("log", func([]any) (any, error) { return nil, nil }))}})
	if len(r.Logs) != 0 {
		t.Error("a console of the caller was captured")
	}
	r = run(t, p, "for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100)); export default 1", Options{})
	last := r.Logs[len(r.Logs)-1]
	if len(r.Logs) > 10_002 || last.Level != "warn" || !strings.Contains(last.Args[0].(string), "cut") {
		t.Errorf("%d entries, the last %+v", len(r.Logs), last)
	}
}

func TestShouldGiveLineAndColumn(t *testing.T) {
	p := newPool(t)
	for name, c := range map[string]struct {
		source       string
		status       Status
		line, column int
		file         string
	}{
		"syntax":             {"const a = 1;\nexport default a +* 2", LinkError, 2, 19, "x.ts"},
		"unexpected end":     {"const a = 1;\nfunction f() {", LinkError, 2, 15, "x.ts"},
		"first line":         {"export default = 1", LinkError, 1, 16, "x.ts"},
		"with import.meta":   {"import.meta.url; export default = 1", LinkError, 1, 33, "x.ts"},
		"specifier":          {"\n  import { a } from 'nope'; a()", LinkError, 2, 21, "x.ts"},
		"missing export":     {"\nimport { nope } from './m'; nope()", LinkError, 2, 10, "x.ts"},
		"missing host":       {"import { nope } from 'tools'; nope()", LinkError, 1, 10, "x.ts"},
		"assignment":         {"import { ok } from './m';\nok = 2", LinkError, 2, 1, "x.ts"},
		"in a module":        {"import x from './bad'; x", LinkError, 2, 1, "./bad"},
		"regular expression": {"\nexport default /\\p{L}/u", LinkError, 2, 17, "x.ts"},
		"flag v":             {"export default /a/v", LinkError, 1, 19, "x.ts"},
		"return":             {"\n\nreturn 1", LinkError, 3, 1, "x.ts"},
		"utf-16 columns":     {"const s = '😀é'; import 'nope'; s", LinkError, 1, 25, "x.ts"},
		"throw":              {"interface A { a: 1 }\n\nexport default function () {\n  throw new Error('x');\n}", Failed, 4, 9, "x.ts"},
		"throw in a module":  {"import { boom } from './m'; export default () => boom()", Failed, 2, 39, "./m"},
		"type error":         {"const a: any = null;\nexport default a.b", Failed, 2, 18, "x.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, p, c.source, Options{Filename: "x.ts", Affinity: "test", Modules: map[string]string{
				"./m": "export const ok: number = 1;\nexport function boom(): never { throw new Error('m') }", "./bad": "const a = 1;\n}"},
				Imports: map[string]map[string]any{"tools": {"x": 1}}})
			if r.Err == nil {
				t.Fatalf("%+v", r)
			}
			if r.Status != c.status || r.Err.Line != c.line || r.Err.Column != c.column || r.Err.Filename != c.file {
				t.Errorf("%s %+v, want %d:%d in %s", r.Status, *r.Err, c.line, c.column, c.file)
			}
		})
	}
}

// The abort signal is the context that the caller gives.
func TestShouldTerminateWhenTheContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	began := make(chan struct{})
	e := Run(ctx, "await began(); for (;;);", Options{Globals: map[string]any{"began": function("began", func([]any) (any, error) { close(began); return nil, nil })}})
	<-began
	cancel(context.Canceled)
	if r := wait(t, e); r.Status != Terminated || r.Err.Message != "context canceled" {
		t.Fatalf("%+v", r)
	}
	<-e.Released()
}

func TestReport(t *testing.T) {
	var heard []any
	r := run(t, nil, "report(1); report({ a: [2] }); await null; report(undefined); export default typeof report", Options{Report: func(v any) { heard = append(heard, v) }})
	if len(heard) != 3 || len(r.Reports) != 3 || heard[0] != 1.0 || r.Value != "function" {
		t.Fatalf("%v %+v", heard, r)
	}
	if got := evaluate(t, nil, "export default typeof report", Options{}); got != `"undefined"` {
		t.Error(got)
	}
	if r := run(t, nil, "for (;;) report('x'.repeat(1e6))", Options{Report: func(any) {}}); r.Status != Failed || r.Err.Name != "RangeError" {
		t.Errorf("%s %v", r.Status, r.Err)
	}
}

func TestNumbersKeepTheirKinds(t *testing.T) {
	r := run(t, nil, "export default [-0, NaN, Infinity, 2n ** 65n, 2 ** 53]", Options{})
	list := r.Value.(*value.Array).Items
	if f := list[0].(float64); f != 0 || !math.Signbit(f) {
		t.Error("-0 is lost")
	}
	if !math.IsNaN(list[1].(float64)) || list[3].(*big.Int).BitLen() != 66 || list[4] != math.Pow(2, 53) {
		t.Errorf("%v", list)
	}
}
