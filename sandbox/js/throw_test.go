package js

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPositionsOfWhatIsThrown(t *testing.T) {
	dir := t.TempDir()
	lib := "import type { A } from './types'\n\ninterface B { a: A }\nexport function deep(b?: B): never {\n  /* Ω */ throw new TypeError('deep ' + (b as any))\n}\nexport class Own extends Error { code = 'E_OWN'; detail = {x: 1} }\nexport const later = async () => {\n  await null\n  deep()\n}\n"
	write(t, dir, map[string]string{"a b/lib%20é.ts": lib})
	file := filepath.Join(dir, "a b", "lib%20é.ts")
	for name, c := range map[string]struct {
		body       string
		want       Thrown
		stack      []string
		line, left int
	}{
		"sync":      {"deep()", Thrown{Name: "TypeError", Message: "deep undefined", File: file, Line: 5, Column: 17}, []string{"TypeError: deep undefined", "at deep (" + file + ":5:17)"}, 5, 17},
		"async":     {"await later()", Thrown{Name: "TypeError", Message: "deep undefined", File: file, Line: 5, Column: 17}, []string{"at later (" + file + ":10:3)"}, 5, 17},
		"own class": {"throw new Own('mine', {cause: 1})", Thrown{Name: "Error", Message: "mine", Code: "E_OWN", Data: []byte(`{"detail":{"x":1},"cause":{"name":"","message":"1","data":1}}`)}, nil, 0, 0},
		"a string":  {"throw 'text'", Thrown{Message: "text", Data: []byte(`"text"`)}, nil, 0, 0},
		"an object": {"throw {a: 1}", Thrown{Message: "{ a: 1 }", Data: []byte(`{"a":1}`)}, nil, 0, 0},
		"undefined": {"throw undefined", Thrown{Message: "undefined"}, nil, 0, 0},
		"not JSON":  {"return 1n", Thrown{Name: "TypeError"}, nil, 0, 0},
		"hostile":   {"throw Object.defineProperty(new Error('x'), 'message', {get() { throw 1 }})", Thrown{Name: "Error", Message: "a value was thrown that can't be described"}, nil, 0, 0},
		"reference": {"return (nope as any).x", Thrown{Name: "ReferenceError", Message: "nope is not defined"}, nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := eval(t, dir, "import {deep, later, Own} from './a b/lib%20é'; declare const nope: any\nexport async function f() {\n"+c.body+"\n}\nexport const all = [deep, later, Own]")
			if r.thrown == nil {
				t.Fatalf("nothing was thrown: %s", r.value)
			}
			got := *r.thrown
			if got.Name != c.want.Name || c.want.Message != "" && got.Message != c.want.Message || got.Code != c.want.Code {
				t.Errorf("%+v", got)
			}
			if c.want.Data != nil && string(got.Data) != string(c.want.Data) {
				t.Errorf("data %s", got.Data)
			}
			if c.want.File != "" && (got.File != c.want.File || got.Line != c.line || got.Column != c.left) {
				t.Errorf("at %s:%d:%d", got.File, got.Line, got.Column)
			}
			for _, want := range c.stack {
				if !strings.Contains(got.Stack, want) {
					t.Errorf("stack lacks %q:\n%s", want, got.Stack)
				}
			}
			if strings.Contains(got.Stack, scriptPrefix) || strings.Contains(got.Stack, preludeName) {
				t.Errorf("unmapped frames:\n%s", got.Stack)
			}
		})
	}
}

func TestEntryPositionsHaveNoFile(t *testing.T) {
	r := eval(t, "", "\nexport async function f() {\n  throw new Error('x')\n}")
	if r.thrown == nil || r.thrown.Line != 3 || r.thrown.File != userEntry {
		t.Fatalf("%+v", r.thrown)
	}
}

func TestDeepRecursionIsARangeError(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"plain":        "const g = (n: number): number => g(n + 1) + 1; return g(0)",
		"after await":  "const g = (n: number): number => g(n + 1) + 1; await null; return g(0)",
		"after timer":  "const g = (n: number): number => g(n + 1) + 1; await new Promise(r => setTimeout(r, 1)); return g(0)",
		"through sort": "const g = (): any => [2, 1].sort(g); await null; return g()",
		"getter":       "const o = {get x(): any { return this.x }}; return o.x",
	} {
		t.Run(name, func(t *testing.T) {
			r := eval(t, dir, "export async function f() {\n"+body+"\n}")
			if r.thrown == nil || r.thrown.Name != "RangeError" || !strings.Contains(r.thrown.Message, "call stack") {
				t.Fatalf("%+v", r)
			}
			if r.thrown.Line != 2 {
				t.Errorf("at %+v", r.thrown)
			}
		})
	}
}

func TestLoopServesAfterAnOverflow(t *testing.T) {
	e, h := startVM(t)
	if th := load(t, e, h.vm, LinkRequest{ResolveDir: t.TempDir(), Entry: `
export async function waits() { await new Promise(r => setTimeout(r, 1e6)) }
export async function over() { await null; const g = (): number => g() + 1; g() }
export async function sum(a: number) { await null; return a + 1 }`}); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "waits", "[]")
	for id := uint64(2); id < 6; id += 2 {
		h.vm.Call(id, "p", "over", "[]")
		h.vm.Call(id+1, "p", "sum", "[1]")
		if r := <-h.calls; r.thrown == nil || r.thrown.Name != "RangeError" {
			t.Fatalf("%+v", r)
		}
		r := <-h.calls
		for r.thrown != nil && r.thrown.Code == "vm_replaced" { // call 1, and the sum when it had begun
			if r = (result{value: "2"}); id > 2 {
				break
			}
			r = <-h.calls
		}
		if r.value != "2" {
			t.Fatalf("%+v", r)
		}
	}
}

func TestOverflowOfTopLevelCodeFailsTheLoad(t *testing.T) {
	e, h := startVM(t)
	th := load(t, e, h.vm, LinkRequest{ResolveDir: t.TempDir(), Entry: "await null; const g = (): number => g() + 1; g()"})
	if th == nil || th.Name != "RangeError" {
		t.Fatalf("%+v", th)
	}
}

func TestWhatThePublicCantCatchIsPrinted(t *testing.T) {
	r, h := evalHost(t, `export async function f() {
	Promise.reject(new Error("lost"));
	setTimeout(() => { throw new Error("thrown in a timer") }, 1);
	await new Promise(r => setTimeout(r, 3));
	return 1 }`)
	if r.value != "1" {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{"Unhandled rejection: Error: lost", "Uncaught Error: thrown in a timer"} {
		if got := <-h.sends; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func evalHost(t testing.TB, source string) (result, *testHost) {
	t.Helper()
	e, h := startVM(t)
	if th := load(t, e, h.vm, LinkRequest{ResolveDir: t.TempDir(), Entry: source}); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "f", "[]")
	return <-h.calls, h
}

func TestTopLevelThrowFailsTheLoad(t *testing.T) {
	e, h := startVM(t)
	th := load(t, e, h.vm, LinkRequest{ResolveDir: t.TempDir(), Entry: "await null\n  throw new Error('top')"})
	if th == nil || th.Message != "top" || th.Line != 2 || th.Column != 9 {
		t.Fatalf("%+v", th)
	}
	h.vm.Call(1, "p", "f", "[]")
	if r := <-h.calls; r.thrown == nil || r.thrown.Message != "top" {
		t.Fatalf("%+v", r)
	}
}

func TestMissingFunctionAndProgram(t *testing.T) {
	e, h := startVM(t)
	if th := load(t, e, h.vm, LinkRequest{ResolveDir: t.TempDir(), Entry: "export const f = 1"}); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "nope", "[]")
	if r := <-h.calls; r.thrown == nil || r.thrown.Message != `the entry exports no function "nope"` {
		t.Fatalf("%+v", r)
	}
	h.vm.Unload("p")
	h.vm.Call(2, "p", "f", "[]")
	if r := <-h.calls; r.thrown == nil || !strings.Contains(r.thrown.Message, `no program "p"`) {
		t.Fatalf("%+v", r)
	}
}
