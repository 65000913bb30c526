package sandbox

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// Each source's result, and the same after it went to a host function and back.
func TestValues(t *testing.T) {
	p := newPool(t)
	o := Options{Language: JavaScript, Globals: map[string]any{"echo": function("echo", func(args []any) (any, error) { return args[0], nil })}}
	for name, c := range map[string]sample{
		"null":                {"null", "null"},
		"undefined":           {"undefined", `{"$type":"undefined"}`},
		"booleans":            {"[true, false]", "[true,false]"},
		"numbers":             {"[0, -1, 1.5, 1e21, 2 ** 31, -(2 ** 53)]", "[0,-1,1.5,1e+21,2147483648,-9007199254740992]"},
		"-0":                  {"-0", `{"$type":"number","value":"-0"}`},
		"NaN":                 {"NaN", `{"$type":"number","value":"NaN"}`},
		"infinities":          {"[Infinity, -Infinity]", `[{"$type":"number","value":"Infinity"},{"$type":"number","value":"-Infinity"}]`},
		"bigint":              {"[0n, -(2n ** 70n)]", `[{"$type":"bigint","value":"0"},{"$type":"bigint","value":"-1180591620717411303424"}]`},
		"strings":             {"['', 'ä€😀', 'a\\0b']", "[\"\",\"ä€😀\",\"a\\u0000b\"]"},
		"lone surrogates":     {"'a\\ud800b'", `{"$type":"string","wtf8":"Ye2ggGI="}`},
		"objects":             {"({ a: 1, b: { c: [] }, 'd e': null })", `{"a":1,"b":{"c":[]},"d e":null}`},
		"order of keys":       {"({ z: 1, a: 2, 1: 3 })", `{"1":3,"z":1,"a":2}`},
		"null prototype":      {"Object.assign(Object.create(null), { a: 1 })", `{"a":1}`},
		"own __proto__":       {"JSON.parse('{\"__proto__\":{\"x\":1}}')", `{"__proto__":{"x":1}}`},
		"a property $type":    {"({ $type: 'mine' })", `{"$type":"object","entries":["$type","mine"]}`},
		"undefined inside":    {"({ a: undefined })", `{"a":{"$type":"undefined"}}`},
		"symbol keys":         {"({ [Symbol('s')]: 1, a: 2 })", `{"a":2}`},
		"getters":             {"({ get a() { return 1 } })", `{"a":1}`},
		"non-enumerable":      {"Object.defineProperty({ a: 1 }, 'b', { value: 2 })", `{"a":1}`},
		"arrays":              {"[[], [1, [2]]]", "[[],[1,[2]]]"},
		"holes":               {"[1, , 3]", `[1,{"$type":"hole"},3]`},
		"trailing holes":      {"new Array(5)", `[{"$type":"hole"},{"$type":"hole"},`},
		"a sparse array":      {"(() => { const a = []; a[2] = 1; a.length = 4e9; return a })()", `{"$type":"array","length":4000000000,"items":[{"$type":"hole"},{"$type":"hole"},1]}`},
		"a frozen object":     {"Object.freeze({ a: 1 })", `{"a":1}`},
		"Map":                 {"new Map([[1, 'a'], [{ k: 1 }, new Map()]])", `{"$type":"Map","entries":[1,"a",{"k":1},{"$type":"Map","entries":[]}]}`},
		"Set":                 {"new Set([1, 'a', [2]])", `{"$type":"Set","values":[1,"a",[2]]}`},
		"Date":                {"new Date(1.5e12)", `{"$type":"Date","value":1500000000000}`},
		"an invalid Date":     {"new Date(NaN)", `{"$type":"Date","value":{"$type":"number","value":"NaN"}}`},
		"RegExp":              {"/a\\/b/gi", `{"$type":"RegExp","source":"a\\/b","flags":"gi"}`},
		"Error":               {"Object.assign(new TypeError('t', { cause: 1 }), { stack: 's' })", `{"$type":"Error","name":"TypeError","message":"t","stack":"s","cause":1}`},
		"ArrayBuffer":         {"new Uint8Array([1, 2]).buffer", `{"$type":"ArrayBuffer","base64":"AQI="}`},
		"DataView":            {"new DataView(new ArrayBuffer(4), 1, 2)", `{"$type":"DataView","offset":1,"length":2,"buffer":{"$type":"ArrayBuffer","base64":"AAAAAA=="}}`},
		"a view of a part":    {"new Uint16Array(new Uint8Array([1, 2, 3, 4, 5, 6]).buffer, 2, 1)", `{"$type":"Uint16Array","offset":2,"length":1,"buffer":{"$type":"ArrayBuffer","base64":"AQIDBAUG"}}`},
		"a cycle":             {"(() => { const a = {}; a.a = a; return a })()", `{"$type":"shared","id":1,"value":{"a":{"$type":"ref","id":1}}}`},
		"shared references":   {"(() => { const a = [1]; return [a, a] })()", `[{"$type":"shared","id":1,"value":[1]},{"$type":"ref","id":1}]`},
		"a cycle through Map": {"(() => { const m = new Map(); m.set('m', m); return m })()", `{"$type":"shared","id":1,"value":{"$type":"Map","entries":["m",{"$type":"ref","id":1}]}}`},
		"a shared buffer":     {"(() => { const b = new ArrayBuffer(2); return [new Uint8Array(b), new Int8Array(b)] })()", `[{"$type":"Uint8Array","offset":0,"length":2,"buffer":{"$type":"shared"`},
		"functions":           {"({ f() {}, g: [() => 1] })", `{"f":{"$type":"function","id":0,"yours":false,"name":"f"},"g":[{"$type":"function"`},
		"deep":                {"(() => { let a = 1; for (let i = 0; i < 1900; i++) a = [a]; return a })()", "[[[[["},
	} {
		t.Run(name, func(t *testing.T) {
			for _, source := range []string{"export default () => " + c.source, "export default async () => echo(" + c.source + ")"} {
				if got := evaluate(t, p, source, o); !strings.HasPrefix(got, c.want) {
					t.Fatalf("%s\ngot  %.300s\nwant %s", source, got, c.want)
				}
			}
		})
	}
	for _, kind := range []string{"Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"} {
		one := "1"
		if strings.HasPrefix(kind, "Big") {
			one = "1n"
		}
		source := "export default async () => { const v = await echo(" + kind + ".of(" + one + ", " + one + ")); return [v.constructor.name, v.length, String(v[1])] }"
		if got := evaluate(t, p, source, o); got != `["`+kind+`",2,"1"]` {
			t.Error(kind, got)
		}
	}
}

func TestWhatCannotCross(t *testing.T) {
	evaluateAll(t, Options{Language: JavaScript, MemoryLimitBytes: slack * DefaultMemory}, map[string]sample{
		"class instance":  {"export default { a: [1, new (class Point {})()] }", "error SerializationError: an instance of Point at result.a[1] "},
		"symbol":          {"export default { 'a b': Symbol('s') }", `error SerializationError: a symbol at result["a b"] `},
		"WeakMap":         {"export default [new WeakMap()]", "error SerializationError: an instance of WeakMap at result[0] "},
		"WeakSet":         {"export default new Map([['k', new WeakSet()]])", "error SerializationError: an instance of WeakSet at result.value(0) "},
		"Promise inside":  {"export default { p: Promise.resolve() }", "error SerializationError: a Promise at result.p "},
		"Proxy":           {"export default { p: new Proxy({}, {}) }", "error SerializationError: a Proxy at result.p "},
		"generator":       {"export default { g: (function* () {})() }", "error SerializationError: an "},
		"too deep":        {"let a = 1; for (let i = 0; i < 2100; i++) a = [a]; export default a", "error SerializationError: a value nested deeper than 2000 levels"},
		"too long":        {"export default new Uint8Array(40e6)", "error SerializationError: a value of 400000"},
		"too sparse":      {"const a = []; a[3e9] = 1; export default a", "error SerializationError: an array with too many holes"},
		"throwing getter": {"export default { get a() { throw new RangeError('g') } }", "error RangeError: g"},
		"in arguments":    {"export default () => host({ a: Symbol() }).catch((e) => e.name + ': ' + e.message)", `error ReferenceError`},
	})
	p := newPool(t)
	o := Options{Globals: map[string]any{"host": function("host", func([]any) (any, error) { return nil, nil })}}
	if got := evaluate(t, p, "export default () => host({ a: Symbol() }).catch((e) => e.name + ': ' + e.message)", o); !strings.Contains(got, "SerializationError: a symbol at arguments[0].a") {
		t.Error(got)
	}
	if r := run(t, p, "export default 1", Options{Globals: map[string]any{"x": object("y", make(chan int))}}); r.Status != LinkError || !strings.Contains(r.Err.Message, "globals.x.y") {
		t.Errorf("%+v", r.Err)
	}
}

// Functions cross in both directions, with their arguments and what they await.
func TestFunctions(t *testing.T) {
	p := newPool(t)
	var host *value.Func
	host = &value.Func{Name: "host", Call: func(ctx context.Context, args []any) (any, error) {
		if len(args) != 1 {
			return len(args), nil
		}
		f, ok := args[0].(*value.Func)
		if !ok {
			return 1, nil
		}
		return f.Call(ctx, []any{20.0, host})
	}}
	o := Options{Globals: map[string]any{"host": host}, Affinity: "a", Pool: p}
	for source, want := range map[string]string{
		"export default () => host()":                                                 "0",
		"export default () => host(1, undefined)":                                     "2",
		"export default () => host((n) => n + 1)":                                     "21",
		"export default () => host(async (n) => { await null; return n * 2 })":        "40",
		"export default () => host((n, h) => h === host)":                             "true",
		"export default () => host(async (n, h) => h((m) => m + n))":                  "40",
		"export default () => host(() => { throw new TypeError('t') }).catch(String)": `"TypeError: t"`,
		"export default [host.name, host.length, typeof host.prototype]":              `["host",0,"undefined"]`,
		"export default () => host.call({ secret: 1 }, 1)":                            "1",
	} {
		if got := evaluate(t, p, source, Options{Globals: o.Globals}); got != want {
			t.Errorf("%s: %s", source, got)
		}
	}
	e := Run(context.Background(), "let n = 0; export default { add: (by) => n += by, same: host, spin() { for (;;); } }", o)
	r := wait(t, e)
	add, _ := r.Value.(*value.Object).Get("add").(*value.Func)
	for want := 2.0; want < 8; want += 2 {
		if got, err := add.Call(context.Background(), []any{2.0}); err != nil || got != want {
			t.Fatalf("%v %v", got, err)
		}
	}
	if r.Value.(*value.Object).Get("same") != any(host) {
		t.Error("a host function lost its identity")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Value.(*value.Object).Get("spin").(*value.Func).Call(ctx, nil); err == nil {
		t.Error("a cancelled call returned")
	}
	e.Close()
	<-e.Released()
	if _, err := add.Call(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Error(err)
	}
}

// 10,000 calls of host functions are in flight at once, both pipes full.
func TestManyCallsInFlight(t *testing.T) {
	const n = 10_000
	var mu sync.Mutex
	waiting := 0
	all := make(chan struct{})
	o := Options{MemoryLimitBytes: 256 << 20, Globals: map[string]any{"host": function("host", func(args []any) (any, error) {
		mu.Lock()
		if waiting++; waiting == n {
			close(all)
		}
		mu.Unlock()
		<-all
		return args[1], nil
	})}}
	source := "const text = 'x'.repeat(500); export default async () => (await Promise.all(Array.from({ length: " + strconv.Itoa(n) + " }, (_, i) => host(text, i)))).reduce((a, b) => a + b)"
	if r := run(t, nil, source, o); r.Value != float64(n*(n-1)/2) {
		t.Fatalf("%+v %v", r.Value, r.Err)
	}
}
