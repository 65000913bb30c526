package js

import (
	"os"
	"path/filepath"
	"testing"
)

type result struct {
	value  string
	thrown *Thrown
}

type testHost struct {
	vm    *VM
	calls chan result
	sends chan string
	host  func(method, args string) (string, *Thrown)
}

func (h *testHost) HostCall(call, id uint64, method, args string) {
	go func() {
		v, t := h.host(method, args)
		h.vm.Reply(id, v, t)
	}()
}
func (h *testHost) HostSend(call uint64, method, args string)    { h.sends <- method + args }
func (h *testHost) Settled(call uint64, value string, t *Thrown) { h.calls <- result{value, t} }

func startVM(t testing.TB) (*Engine, *testHost) {
	t.Helper()
	e := NewEngine()
	h := &testHost{calls: make(chan result, 100), sends: make(chan string, 1000)}
	vm, err := e.NewVM(h)
	if err != nil {
		t.Fatal(err)
	}
	h.vm = vm
	t.Cleanup(func() { vm.Close(); <-vm.Done() })
	return e, h
}

// load links and evaluates r as the program "p".
func load(t testing.TB, e *Engine, vm *VM, r LinkRequest) *Thrown {
	t.Helper()
	linked := Link(r)
	if linked.Code == "" {
		t.Fatalf("link: %+v", linked.Diagnostics)
	}
	p, err := e.Compile(linked.Code)
	if err != nil {
		t.Fatalf("compile: %v\n%s", err, linked.Code)
	}
	done := make(chan *Thrown, 1)
	vm.Load("p", p, func(t *Thrown) { done <- t })
	return <-done
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// eval runs source as the entry and calls its export f without arguments.
func eval(t testing.TB, dir, source string) result {
	t.Helper()
	if dir == "" {
		dir = t.TempDir()
	}
	e, h := startVM(t)
	if th := load(t, e, h.vm, LinkRequest{ResolveDir: dir, Entry: source}); th != nil {
		return result{thrown: th}
	}
	h.vm.Call(1, "p", "f", "[]")
	return <-h.calls
}

// evals runs each body as that of an async function and compares its JSON.
func evals(t *testing.T, table map[string][2]string) {
	t.Helper()
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			if r := eval(t, "", "export async function f(): Promise<any> {"+c[0]+"\n}"); r.thrown != nil || r.value != c[1] {
				t.Fatalf("got %s %v\nwant %s", r.value, r.thrown, c[1])
			}
		})
	}
}
