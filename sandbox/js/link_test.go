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
func (h *testHost) HostSend(call uint64, method, args string) { h.sends <- method + args }
func (h *testHost) Settled(call uint64, value string, t *Thrown) {
	h.calls <- result{value, t}
}

func startVM(t *testing.T) (*Engine, *testHost) {
	t.Helper()
	e := NewEngine()
	h := &testHost{calls: make(chan result, 100), sends: make(chan string, 100)}
	vm, err := e.NewVM(h)
	if err != nil {
		t.Fatal(err)
	}
	h.vm = vm
	t.Cleanup(func() { vm.Close(); <-vm.Done() })
	return e, h
}

func load(t *testing.T, e *Engine, vm *VM, r LinkRequest) *Thrown {
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

func write(t *testing.T, dir string, files map[string]string) {
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

func TestCallOfAnEntryFunction(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"lib/a.ts": "export const twice = (n: number): number => n * 2\n"})
	e, h := startVM(t)
	if th := load(t, e, h.vm, LinkRequest{ResolveDir: dir, Entry: `import {twice} from "./lib/a";
export async function f(n: number, env: any) { await null; return {n: twice(n), aborted: env.signal.aborted} }`}); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "f", "[21]")
	if r := <-h.calls; r.value != `{"n":42,"aborted":false}` {
		t.Fatalf("%+v", r)
	}
}
