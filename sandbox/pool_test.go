package sandbox

import (
	"context"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/sandbox/value"
)

func pids(t *testing.T, p *Pool, affinities ...string) []int {
	t.Helper()
	var list []int
	for _, a := range affinities {
		e := Run(context.Background(), "export default 1", Options{Pool: p, Affinity: a})
		wait(t, e)
		<-e.Released()
		list = append(list, e.pid)
	}
	return list
}

// A thread's next run is served by its own warm worker; another thread's never.
func TestAWorkerBelongsToOneThread(t *testing.T) {
	p := newPool(t)
	got := pids(t, p, "a", "a", "b", "a", "b", "", "")
	if got[0] != got[1] || got[0] != got[3] || got[2] != got[4] {
		t.Errorf("a warm worker wasn't used again: %v", got)
	}
	seen := map[int]bool{}
	for _, pid := range []int{got[0], got[2], got[5], got[6]} {
		if seen[pid] {
			t.Errorf("a worker served two threads: %v", got)
		}
		seen[pid] = true
	}
}

// After anything abnormal the worker isn't used again.
func TestAWorkerIsReplaced(t *testing.T) {
	for name, source := range map[string]string{
		"a stack overflow": "function f() { f() } f()",
		"a held function":  "export default () => () => 1",
		"a termination":    "export default () => host()",
	} {
		p := newPool(t)
		first := pids(t, p, "a")[0]
		begun := make(chan struct{})
		e := Run(context.Background(), source, Options{Pool: p, Affinity: "a", Language: JavaScript, Globals: map[string]any{
			"host": &value.Func{Name: "host", Call: func(ctx context.Context, _ []any) (any, error) { close(begun); <-ctx.Done(); return nil, nil }}}})
		if name == "a termination" {
			<-begun
			e.Terminate("x")
		}
		wait(t, e)
		e.Close()
		<-e.Released()
		if e.pid != first {
			t.Errorf("%s: the warm worker didn't serve", name)
		}
		if next := pids(t, p, "a")[0]; next == first {
			t.Errorf("%s: the worker was used again", name)
		}
	}
}

func TestThePoolIsSizedToDemand(t *testing.T) {
	p := newPool(t)
	if p.Waiting() != 0 {
		t.Fatal("workers were started that nobody wanted")
	}
	pids(t, p, "", "", "", "", "", "")
	p.starting.Wait()
	if n := p.Waiting(); n < 1 || n > p.opts.Spare {
		t.Errorf("%d workers wait", n)
	}
	p.Drain()
	if n := p.Waiting(); n != 0 {
		t.Errorf("%d workers wait after a drain", n)
	}
}

func TestTheIdlePoolDrains(t *testing.T) {
	p := NewPool(PoolOptions{IdleAfter: 50 * time.Millisecond})
	defer p.Close()
	pids(t, p, "a")
	p.mu.Lock()
	kept := append([]warmWorker{}, p.warm...)
	p.mu.Unlock()
	for _, x := range kept {
		<-x.w.Done() // the process has ended
	}
}

func TestTheWarmWorkersAreBounded(t *testing.T) {
	p := NewPool(PoolOptions{Warm: 2})
	defer p.Close()
	pids(t, p, "a", "b", "c")
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.warm) != 2 {
		t.Errorf("%d workers are warm", len(p.warm))
	}
}
