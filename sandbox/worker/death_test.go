package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// JSON.parse of deep data overflows the Go stack, which nothing recovers from.
const overflow = `export function overflow() { JSON.parse("[".repeat(5e6) + "]".repeat(5e6)) }
export async function waits() { await new Promise(() => {}) }
export function spins() { for (;;) {} }
export async function ok() { return 1 }
export function grows() { const all = []; for (;;) all.push(new Array(10000).fill(all.length)) }
`

func TestStackOverflowKillsTheWorkerOnly(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: overflow})
	waiting := make(chan error)
	go func() {
		_, err := p.Call(context.Background(), "p", "other", "waits", nil, noHost)
		waiting <- err
	}()
	_, err := p.Call(context.Background(), "p", "one", "overflow", nil, noHost)
	for _, err := range []error{err, <-waiting} {
		var died *Died
		if !errors.As(err, &died) || !strings.Contains(died.Reason, "stack overflowed") || !strings.Contains(died.Stderr, "stack") {
			t.Fatalf("%v", err)
		}
	}
	<-p.Done()
	var died *Died
	if _, err := p.Call(context.Background(), "p", "", "ok", nil, noHost); !errors.As(err, &died) {
		t.Fatalf("a dead worker answers %v", err)
	}
	again := start(t, Options{})
	loaded(t, again, BuildRequest{Entry: overflow})
	if got, err := again.Call(context.Background(), "p", "", "ok", nil, noHost); err != nil || string(got) != "1" {
		t.Fatalf("%s %v", got, err)
	}
}

func TestDeepSourceKillsTheWorkerOnly(t *testing.T) {
	p := start(t, Options{})
	_, err := p.Build(context.Background(), BuildRequest{ResolveDir: t.TempDir(), Entry: "export default " + strings.Repeat("(", 3_000_000)})
	var died *Died
	if !errors.As(err, &died) {
		t.Fatalf("%v", err)
	}
}

func TestMemoryLimitEndsTheWorker(t *testing.T) {
	p := start(t, Options{MemoryLimit: 128 << 20})
	loaded(t, p, BuildRequest{Entry: overflow})
	_, err := p.Call(context.Background(), "p", "", "grows", nil, noHost)
	var died *Died
	if !errors.As(err, &died) || died.Reason != "out of memory" {
		t.Fatalf("%v", err)
	}
}

func TestSpinIsReportedAndKilled(t *testing.T) {
	stalled := make(chan string, 10)
	p := start(t, Options{VMs: 2, StallAfter: 20 * time.Millisecond, OnStall: func(vm int, fn string, since time.Time) {
		if !since.IsZero() {
			stalled <- fn
		}
	}})
	loaded(t, p, BuildRequest{Entry: overflow})
	done := make(chan error)
	go func() {
		_, err := p.Call(context.Background(), "p", "a", "spins", nil, noHost)
		done <- err
	}()
	if fn := <-stalled; fn != "spins" {
		t.Errorf("%q is said to block", fn)
	}
	if got, err := p.Call(context.Background(), "p", "b", "ok", nil, noHost); err != nil || string(got) != "1" {
		t.Fatalf("the other loop answers %s %v", got, err)
	}
	p.Kill()
	var died *Died
	if err := <-done; !errors.As(err, &died) || died.Reason != "it was killed" {
		t.Fatalf("%v", err)
	}
}

func TestCancelReturnsThoughJavaScriptSpins(t *testing.T) {
	p := start(t, Options{VMs: 1})
	loaded(t, p, BuildRequest{Entry: `export function f(env: any) { env.hostSend("began"); for (;;) {} }`})
	ctx, cancel := context.WithCancel(context.Background())
	_, err := p.Call(ctx, "p", "", "f", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		cancel()
		return nil, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestCancelFiresTheSignal(t *testing.T) {
	p := start(t, Options{VMs: 1})
	loaded(t, p, BuildRequest{Entry: `let seen = "";
export async function f(env: any) {
	env.signal.addEventListener("abort", () => { seen = env.signal.reason.name + " " + (__signal() === env.signal) });
	env.hostSend("began");
	await new Promise(() => {});
}
declare const __signal: any;
export const what = async () => { while (!seen) await new Promise(r => setTimeout(r, 1)); return seen }`})
	ctx, cancel := context.WithCancel(context.Background())
	_, err := p.Call(ctx, "p", "", "f", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		cancel()
		return nil, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got, err := p.Call(context.Background(), "p", "", "what", nil, noHost); err != nil || string(got) != `"AbortError true"` {
		t.Fatalf("%s %v", got, err)
	}
}

func TestAbortedCallIsForgotten(t *testing.T) {
	p := start(t, Options{VMs: 1})
	loaded(t, p, BuildRequest{Entry: `let late: any;
export async function f(env: any) {
	env.hostSend("began");
	await new Promise<void>(r => env.signal.addEventListener("abort", () => r()));
	late = await env.host("late").catch((e: any) => e.message);
}
export const what = async () => { while (!late) await new Promise(r => setTimeout(r, 1)); return late }`})
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := p.Call(ctx, "p", "", "f", nil, func(_ context.Context, m string, _ json.RawMessage) (json.RawMessage, error) {
		if m != "began" {
			t.Error("an aborted call reached its host")
		}
		cancel()
		return nil, nil
	}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	got, err := p.Call(context.Background(), "p", "", "what", nil, noHost)
	if err != nil || !strings.Contains(string(got), "this one has ended") {
		t.Fatalf("%s %v", got, err)
	}
}

func TestCloseEndsOpenCalls(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `export async function f(env: any) { env.hostSend("began"); await new Promise(() => {}) }`})
	began := make(chan struct{})
	done := make(chan error)
	go func() {
		_, err := p.Call(context.Background(), "p", "", "f", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			close(began)
			return nil, nil
		})
		done <- err
	}()
	<-began
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var died *Died
	if err := <-done; !errors.As(err, &died) {
		t.Fatal(err)
	}
}

func TestWorkerThatCantStart(t *testing.T) {
	var died *Died
	if _, err := StartProject(context.Background(), Options{Exe: t.TempDir() + "/none"}); !errors.As(err, &died) {
		t.Fatal(err)
	}
}
