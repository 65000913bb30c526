package sandbox

import (
	"context"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// escapes are attempts to run text as code or to reach the host. Each exports
// "held" where it failed, or what it got.
var escapes = map[string]string{
	"constructor of an arrow":         "(() => {}).constructor('return 1')()",
	"of a function":                   "(function () {}).constructor('return 1')()",
	"of an async function":            "await (async () => {}).constructor('return 1')()",
	"of a generator":                  "(function* () {}).constructor('yield 1')().next().value",
	"of an async generator":           "(async function* () {}).constructor('yield 1')().next()",
	"of a method":                     "({ m() {} }).m.constructor('return 1')()",
	"of a getter":                     "Object.getOwnPropertyDescriptor({ get a() { return 1 } }, 'a').get.constructor('return 1')()",
	"of a class":                      "(class {}).constructor('return 1')()",
	"of a class's method":             "(class { static m() {} }).m.constructor('return 1')()",
	"of a built-in":                   "Array.constructor('return 1')()",
	"of a built-in method":            "[].map.constructor('return 1')()",
	"of a bound function":             "(() => {}).bind().constructor('return 1')()",
	"of console":                      "console.log.constructor('return 1')()",
	"of a host function":              "host.constructor('return 1')()",
	"of a host function's promise":    "host().constructor.constructor('return 1')()",
	"of an import's function":         "tools.add.constructor('return 1')()",
	"of an error":                     "(() => { try { null.x } catch (e) { return e.constructor.constructor('return 1')() } })()",
	"of Proxy":                        "new Proxy(function () {}, {}).constructor('return 1')()",
	"of Reflect":                      "Reflect.apply.constructor('return 1')()",
	"of Symbol":                       "Symbol.constructor.constructor('return 1')()",
	"of the checked RegExp":           "RegExp.constructor('return 1')()",
	"through prototypes":              "Object.getPrototypeOf(async () => {}).constructor('return 1')()",
	"Reflect.construct":               "Reflect.construct(Object.getPrototypeOf(() => {}).constructor, ['return 1'])()",
	"Reflect.construct with a target": "Reflect.construct(Function, ['return 1'], class {})()",
	"extending Function":              "new (class extends Function { constructor() { super('return 1') } })()()",
	"extending the constructor":       "new (class extends (() => {}).constructor { constructor() { super('return 1') } })()()",
	"bind":                            "Function.bind(null, 'return 1')()()",
	"call":                            "Function.call(null, 'return 1')()",
	"apply":                           "Reflect.apply(Function, null, ['return 1'])()",
	"a Proxy of Function":             "new (new Proxy(Function, {}))('return 1')()",
	"map with Function":               "['return 1'].map(Function)[0]()",
	"Array.from":                      "Array.from.call(Function, ['return 1'])()",
	"redefining constructor":          "(() => { delete Function.prototype.constructor; return (() => {}).constructor('return 1')() })()",
	"setting constructor":             "(() => { Object.defineProperty(Function.prototype, 'constructor', { value: 1 }); return 'changed' })()",
	"direct eval":                     "eval('1')",
	"indirect eval":                   "(0, eval)('1')",
	"eval of a JSON reviver":          "JSON.parse('1', function () { return this.constructor.constructor('return 1')() })",
	"callee":                          "(function () { return arguments.callee })()",
	"caller":                          "(function f() { return f.caller })()",
	"this at the top":                 "this.process",
	"this of a function":              "(function () { return this.process })()",
	"undeclared assignment":           "(undeclared = 1)",
	"assignment through globalThis":   "(globalThis.token = 2, token === 1 ? fail() : token)",
	"process":                         "process.exit(1)",
	"require":                         "require('fs')",
	"module":                          "module.constructor",
	"computed import":                 "(await import(['node', 'fs'].join(':'))).default",
	"computed path":                   "(await import('/etc/' + 'passwd')).default",
	"template import":                 "(await import(`./${name}.json`)).default",
	"template path":                   "(await import(`../${name}/passwd`)).default",
	"import's table":                  "(await import('__proto__')).default",
	"import's prototype":              "(await import('./' + 'toString')).default",
	"prepareStackTrace":               "(() => { let got; Error.prepareStackTrace = (e, s) => { got = s }; new Error().stack; return got[0].getThis() })()",
	"a frozen import":                 "(tools.add = 1)",
	"WebAssembly":                     "new WebAssembly.Module(new Uint8Array())",
	"a bridged function's new":        "new host()",
	"a bridged function's prototype":  "host.prototype.constructor",
	"a host's own name":               "__host('x')",
	"the engine's errors":             "GoError('x')",
}

func TestEscapesAreHeld(t *testing.T) {
	p := newPool(t)
	o := Options{Language: JavaScript, Affinity: "test", Globals: map[string]any{
		"name": "secret", "token": 1.0, "host": function("host", func([]any) (any, error) { return 1, nil })},
		Imports: map[string]map[string]any{"tools": {"add": function("add", func([]any) (any, error) { return 1, nil })}}}
	for name, attempt := range escapes {
		t.Run(name, func(t *testing.T) {
			source := "import * as ns from 'tools'; const tools = ns; export default async () => { const got = await (" + attempt + "); return ['got', typeof got, String(got)] }"
			if r := run(t, p, source, o); r.Err == nil {
				raw, _ := value.AppendJSON(nil, r.Value, "", anyFunctions{})
				t.Fatalf("%s: %s", attempt, raw)
			} else if r.Status == Memory || r.Err.Name == "SandboxError" {
				t.Fatalf("%s: %+v", attempt, r.Err)
			}
		})
	}
}

// The search goes over everything that can be reached from the globals and from
// what the host gave.
func TestNothingOfTheHostCanBeReached(t *testing.T) {
	source := `
const seen = new Set(), found = [];
const look = (v, path, depth) => {
  if ((typeof v !== "object" && typeof v !== "function") || v === null || seen.has(v) || depth > 6) return;
  seen.add(v);
  for (const key of Reflect.ownKeys(v)) {
    const name = path + "." + String(key);
    let d; try { d = Reflect.getOwnPropertyDescriptor(v, key) } catch { continue }
    if (!d) continue;
    for (const x of [d.value, d.get, d.set]) {
      if (typeof x === "string" && /\/(work|root|home|tmp|usr|go)\/|github\.com|\.go\b/.test(x)) found.push(name + "=" + x);
      if (typeof x === "function") { const s = Function.prototype.toString.call(x); if (/github|\.go\b/.test(s)) found.push(name + ": " + s); }
      look(x, name, depth + 1);
    }
  }
  look(Object.getPrototypeOf(v), path + ".__proto__", depth + 1);
};
look(globalThis, "globalThis", 0); look(host, "host", 0); look(console, "console", 0); look(import.meta, "meta", 0);
try { null.x } catch (e) { look(e, "error", 0); look({ s: String(e.stack) }, "stack", 0) }
try { host.x.y } catch (e) { look({ s: e.stack }, "stack", 0) }
const thrown = await host().catch((e) => e); look({ s: thrown.stack, m: thrown.message }, "rejection", 0);
export default [seen.size > 400, found];`
	r := run(t, nil, source, Options{Language: JavaScript, Globals: map[string]any{"host": function("host", func([]any) (any, error) {
		return nil, &Error{Name: "Error", Message: "no"}
	})}})
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	list := r.Value.(*value.Array).Items
	if list[0] != true || len(list[1].(*value.Array).Items) > 0 {
		raw, _ := value.AppendJSON(nil, r.Value, "", nil)
		t.Fatalf("%s", raw)
	}
}

// What the code does to the tools of its own settlement changes only its result.
func TestSettlementCannotBeForged(t *testing.T) {
	evaluateAll(t, Options{Language: JavaScript}, map[string]sample{
		"then":        {"Promise.prototype.then = function (ok) { ok('forged') }; export default 1", "1"},
		"Promise":     {"globalThis.Promise = class { constructor() { throw 1 } }; export default 2", "2"},
		"Reflect":     {"Reflect.apply = () => 'forged'; Object.hasOwn = () => true; export default () => 3", "3"},
		"describe":    {"Error.prototype.toString = null; Object.defineProperty(Error.prototype, 'message', { get() { throw 1 } }); export default () => { throw new Error() }", "error Error"},
		"a proxy":     {"export default () => { throw new Proxy(new Error('x'), { get() { throw 1 } }) }", "error Error"},
		"name":        {"export default () => { throw Object.assign(new Error('x'), { name: { toString() { throw 1 } } }) }", "error Error"},
		"iterators":   {"Array.prototype[Symbol.iterator] = null; export default (...a) => a.length", "0"},
		"registering": {"export default Object.keys(globalThis).filter((k) => k.startsWith('s')).length", "0"},
		"toString":    {"const f = () => [typeof require, typeof module]; export default /s[0-9a-f]{24}/.test(f.toString())", "false"},
	})
}

func TestHostPathsAreNotInStacks(t *testing.T) {
	r := run(t, nil, "export default () => { throw new Error('x') }", Options{Filename: "f.ts"})
	for _, text := range []string{"/", "github", "linked:", "prelude", ".go"} {
		if strings.Contains(r.Err.Stack, text) {
			t.Errorf("%q in %s", text, r.Err.Stack)
		}
	}
	if !strings.Contains(r.Err.Stack, "f.ts:1:30") {
		t.Error(r.Err.Stack)
	}
}

// Files, network and environment aren't there for JavaScript in any case; that
// the process hasn't any either is jail's own test.
func TestWorkerIsConfined(t *testing.T) {
	p := newPool(t)
	r, err := p.Warm(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Environment.Enforced {
		t.Error("the environment was inherited")
	}
	if r.Platform == "" || len(r.Measures()) != 5 {
		t.Errorf("%+v", r)
	}
}

func TestHostFunctionsAreContained(t *testing.T) {
	p := newPool(t)
	o := Options{Globals: map[string]any{
		"panics": function("panics", func([]any) (any, error) { panic("host") }),
		"odd":    function("odd", func([]any) (any, error) { return struct{}{}, nil }),
	}}
	if got := evaluate(t, p, "export default panics().catch((e) => e.message)", o); got != `"the host's function failed: host"` {
		t.Error(got)
	}
	if got := evaluate(t, p, "export default odd().catch((e) => e.name)", o); got != `"SerializationError"` {
		t.Error(got)
	}
}
