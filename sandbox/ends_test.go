package sandbox

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// What ends by memory, or not: the host and the pool go on in every case.
func TestMemory(t *testing.T) {
	p := newPool(t)
	for name, c := range map[string]struct {
		source string
		limit  int64
		want   string // of the statuses
	}{
		"objects":            {"const a = []; for (;;) a.push({ x: 1 })", 0, "memory"},
		"strings":            {"const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)", 0, "memory"},
		"doubling":           {"let s = 'x'; for (;;) s += s", 0, "memory"},
		"one string":         {"export default 'x'.repeat(2 ** 30 - 100).length", 0, "memory"},
		"one buffer":         {"export default new Uint8Array(2 ** 32).length", 0, "memory error"},
		"a filled array":     {"export default Array(5e7).fill(0).map((x) => x + 1).length", 0, "memory"},
		"a spread":           {"export default [...Array(3e7)].length", 0, "memory"},
		"giant JSON":         {"export default JSON.parse('[' + '1,'.repeat(2e7) + '1]').length", 0, "memory"},
		"a map":              {"const m = new Map(); for (let i = 0; ; i++) m.set(i, i)", 0, "memory"},
		"microtasks":         {"for (;;) Promise.resolve().then(() => {})", 0, "memory"},
		"pending calls":      {"for (;;) echo('x'.repeat(1000))", 0, "memory"},
		"deep JSON":          {"export default JSON.parse('['.repeat(5e6) + ']'.repeat(5e6))", 0, "memory error"},
		"deep flat":          {"let a = []; for (let i = 0; i < 3e6; i++) a = [a]; export default a.flat(Infinity).length", 0, "memory error"},
		"deep proxies":       {"let p = {}; for (let i = 0; i < 2e6; i++) p = new Proxy(p, {}); export default p.x", 0, "memory error"},
		"a small limit":      {"export default Array(2e6).fill(0).length", 4 << 20, "memory"},
		"clamped to ceiling": {"const a = []; for (;;) a.push('x'.repeat(1e7) + a.length)", 1 << 40, "memory"},
		"within the limit":   {"export default Array(1e6).fill(0).map((x) => x + 1).length", 0, "success"},
		"garbage":            {"let n = 0; for (let i = 0; i < 5e5; i++) n += [i, {}].length; export default n", 0, "success"},
		"large garbage":      {"let n = 0; for (let i = 0; i < 200; i++) n += ('x'.repeat(1e6) + i).length; export default n", 0, "success"},
		"a larger limit":     {"const a = []; for (let i = 0; i < 100; i++) a.push(new Uint8Array(1e6)); export default a.length", 256 << 20, "success"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want == "success" {
				c.limit = max(c.limit, DefaultMemory) * slack
			}
			r := run(t, p, c.source, Options{MemoryLimitBytes: c.limit, Globals: map[string]any{"echo": function("echo", func(a []any) (any, error) { return nil, nil })}})
			if !strings.Contains(c.want, string(r.Status)) {
				t.Fatalf("%s %v", r.Status, r.Err)
			}
			limit := map[int64]string{0: "64 MiB", 4 << 20: "4 MiB", 1 << 40: "512 MiB"}[c.limit]
			if r.Status == Memory && !strings.Contains(r.Err.Message, limit) {
				t.Errorf("%q doesn't name %s", r.Err.Message, limit)
			}
		})
	}
	if r := run(t, p, "export default 1", Options{}); r.Value != 1.0 {
		t.Fatalf("%+v", r)
	}
}

// Source text alone can exhaust the linker's stack: that ends the worker only.
func TestDeepSource(t *testing.T) {
	for name, source := range map[string]string{
		"parentheses": "export default " + strings.Repeat("(", 300_000) + "1" + strings.Repeat(")", 300_000),
		"arrays":      "export default " + strings.Repeat("[", 300_000) + strings.Repeat("]", 300_000),
		"sum":         "export default 1" + strings.Repeat("+1", 200_000),
	} {
		if r := run(t, nil, source, Options{}); r.Status == Terminated || r.Err != nil && r.Err.Name == "SandboxError" {
			t.Errorf("%s: %s %v", name, r.Status, r.Err)
		}
	}
	if r := run(t, nil, "// "+strings.Repeat("x", MaxSource), Options{}); r.Status != LinkError || !strings.Contains(r.Err.Message, "4 MiB") {
		t.Errorf("%s %v", r.Status, r.Err)
	}
}

func TestRecursionIsARangeError(t *testing.T) {
	evaluateAll(t, Options{}, map[string]sample{
		"plain":      {"function f(): any { return f() }\nexport default f", "error RangeError: Maximum call stack"},
		"in a catch": {"function f(): any { try { f() } catch { f() } }\nexport default f", "error RangeError: Maximum call stack"},
		"async":      {"async function f(): Promise<any> { await f() }\nexport default f", "error RangeError: Maximum call stack"},
		"getter":     {"const o: any = { get a() { return this.a } }; export default () => o.a", "error RangeError: Maximum call stack"},
		"later":      {"export default async () => { await null; const f = () => f(); f() }", "error RangeError: Maximum call stack"},
	})
}

// Each program runs forever, most of them where nothing looks for interrupts.
// begun tells that it runs.
var endless = map[string]string{
	"a loop":               "for (;;);",
	"a catching loop":      "for (;;) try { throw 1 } catch {}",
	"awaits":               "for (;;) await null",
	"microtasks":           "const f = () => Promise.resolve().then(f); await f().then(f); await new Promise(() => {})",
	"a generator":          "function* g() { for (;;) yield 1 } for (const x of g());",
	"indexOf":              "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
	"backtracking":         "/^(?=(a+)+$)(a|a)*\\1b$/.test('a'.repeat(5000) + 'c'); for (;;);",
	"a lookahead":          "/(?=a)(a+)+$\\1/.test('a'.repeat(60) + 'b'); for (;;);",
	"sort":                 "const a = { length: 1e6 }; for (;;) [].sort.call(a, () => { for (;;); })",
	"join":                 "for (;;) Array(1e6).join('x').length",
	"a getter of result":   "export default { get a() { for (;;); } }",
	"toString of an error": "export default () => { throw { message: 'x', get name() { for (;;); } } }",
	"nothing":              "await new Promise(() => {})",
	"a host call":          "await never()",
	"a thenable":           "export default { then() {} }",
}

func TestTerminateEndsEverything(t *testing.T) {
	p := newPool(t)
	for name, source := range endless {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			var once sync.Once
			o := Options{Pool: p, Language: JavaScript, Report: func(any) { once.Do(func() { close(begun) }) }, Globals: map[string]any{
				"never": &value.Func{Name: "never", Call: func(ctx context.Context, _ []any) (any, error) { <-ctx.Done(); return nil, ctx.Err() }}}}
			e := Run(context.Background(), "report(1); await null; "+source, o)
			<-begun
			e.Terminate("enough")
			r := wait(t, e)
			if r.Status != Terminated || r.Err.Message != "enough" || e.Running() {
				t.Fatalf("%s %v", r.Status, r.Err)
			}
			if len(r.Reports) != 1 {
				t.Error("what was reported is lost")
			}
			<-e.Released()
		})
	}
	if r := run(t, p, "export default 1", Options{}); r.Value != 1.0 {
		t.Fatalf("%+v", r)
	}
}

func TestTerminateBeforeAndAfter(t *testing.T) {
	p := newPool(t)
	e := Run(context.Background(), "export default 1", Options{Pool: p})
	r := wait(t, e)
	e.Terminate("late")
	if r.Status != Success || e.Result() != r {
		t.Fatal("a termination changed a result")
	}
	for range 20 { // while the worker is being taken
		e := Run(context.Background(), "for (;;);", Options{Pool: p, Affinity: "a"})
		e.Terminate("")
		if r := wait(t, e); r.Status != Terminated || r.Err.Message == "" {
			t.Fatalf("%+v", r)
		}
		<-e.Released()
	}
}

func TestAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 20 {
		e := Run(ctx, "export default 1", Options{})
		if r := wait(t, e); r.Status != Terminated {
			t.Fatalf("%+v", r)
		}
		<-e.Released()
	}
}

// The function that the sandbox waits for hears of the end.
func TestTerminateCancelsHostFunctions(t *testing.T) {
	entered, left := make(chan struct{}), make(chan struct{})
	e := Run(context.Background(), "await host()", Options{Globals: map[string]any{"host": &value.Func{Name: "host",
		Call: func(ctx context.Context, _ []any) (any, error) {
			close(entered)
			<-ctx.Done()
			close(left)
			return nil, ctx.Err()
		}}}})
	<-entered
	e.Terminate("x")
	<-left
}

// A crash of the worker is an error of its run.
func TestDeathOfTheWorkerIsAnError(t *testing.T) {
	entered := make(chan struct{})
	e := Run(context.Background(), "await host()", Options{Globals: map[string]any{"host": &value.Func{Name: "host",
		Call: func(ctx context.Context, _ []any) (any, error) { close(entered); <-ctx.Done(); return nil, nil }}}})
	<-entered
	e.worker.Kill()
	if r := wait(t, e); r.Status != Failed || r.Err.Name != "SandboxError" {
		t.Fatalf("%+v %v", r, r.Err)
	}
}

func TestNoExecutable(t *testing.T) {
	p := NewPool(PoolOptions{Exe: "/nowhere/sideb"})
	defer p.Close()
	if r := run(t, p, "export default 1", Options{}); r.Status != Failed || !strings.Contains(r.Err.Message, "can't be started") {
		t.Fatalf("%+v %v", r, r.Err)
	}
}
