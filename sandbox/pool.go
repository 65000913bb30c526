package sandbox

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// PoolOptions configure a Pool. The zero value is usable.
type PoolOptions struct {
	Exe       string        // executable of the workers; "" means this program's
	Spare     int           // most workers that wait for a first run; 0 means 4
	Warm      int           // most workers that wait for a run of their affinity; 0 means 8
	IdleAfter time.Duration // unused this long, all waiting workers end; 0 means 30 s
}

// Pool keeps workers ready. It starts none until it is first used, as many as
// runs have had to wait for, and none is left when it is unused for a while. It
// never makes a run wait for another.
type Pool struct {
	opts       PoolOptions
	namespaces worker.Namespaces
	starting   sync.WaitGroup

	mu     sync.Mutex
	spare  []*worker.Sandbox
	warm   []warmWorker // oldest first
	want   int          // how many spare ones there should be
	coming int          // spare ones that are being started
	drain  *time.Timer
	closed bool

	running int
	changed chan struct{} // closed and made anew when running changes
}

type warmWorker struct {
	affinity string
	w        *worker.Sandbox
}

const (
	defaultSpare = 4
	defaultWarm  = 8
	defaultIdle  = 30 * time.Second
)

// NewPool makes a pool; Close ends it.
func NewPool(o PoolOptions) *Pool {
	if o.Spare <= 0 {
		o.Spare = defaultSpare
	}
	if o.Warm <= 0 {
		o.Warm = defaultWarm
	}
	if o.IdleAfter <= 0 {
		o.IdleAfter = defaultIdle
	}
	p := &Pool{opts: o, want: 1, changed: make(chan struct{})}
	p.drain = time.AfterFunc(o.IdleAfter, p.Drain)
	return p
}

// Close ends the workers that wait. Those that run end with their execution.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.drain.Stop()
	p.mu.Unlock()
	p.Drain()
	p.starting.Wait()
}

// Drain ends the workers that wait.
func (p *Pool) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.spare {
		w.Kill()
	}
	for _, x := range p.warm {
		x.w.Kill()
	}
	p.spare, p.warm, p.want = nil, nil, 1
}

// Waiting is how many workers wait for a run.
func (p *Pool) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.spare) + len(p.warm)
}

// Running is how many workers serve executions.
func (p *Pool) Running() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
}

// Changed is closed when Running changes next.
func (p *Pool) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// count is called with mu held.
func (p *Pool) count(n int) {
	p.running += n
	close(p.changed)
	p.changed = make(chan struct{})
}

// Warm starts a spare worker, if there is none, and waits for it.
func (p *Pool) Warm(ctx context.Context) (jail.Report, error) {
	w, err := p.take(ctx, "")
	if err != nil {
		return jail.Report{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(-1)
	if p.closed || len(p.spare) >= p.opts.Spare {
		w.Kill()
	} else {
		p.spare = append(p.spare, w)
	}
	return w.Report(), nil
}

// take gives a worker that waits, or starts one.
func (p *Pool) take(ctx context.Context, affinity string) (*worker.Sandbox, error) {
	if p == nil {
		return startWorker(ctx, "", &worker.Namespaces{})
	}
	p.mu.Lock()
	p.drain.Reset(p.opts.IdleAfter)
	w := p.takeWarm(affinity)
	if w == nil {
		w = p.takeSpare()
	}
	p.count(1)
	p.mu.Unlock()
	if w != nil {
		return w, nil
	}
	w, err := startWorker(ctx, p.opts.Exe, &p.namespaces)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.count(-1)
	}
	return w, err
}

func (p *Pool) takeWarm(affinity string) *worker.Sandbox {
	if affinity == "" {
		return nil
	}
	for i := len(p.warm) - 1; i >= 0; i-- {
		if x := p.warm[i]; x.affinity == affinity {
			p.warm = append(p.warm[:i], p.warm[i+1:]...)
			if alive(x.w) {
				return x.w
			}
		}
	}
	return nil
}

// takeSpare takes a spare worker and has others started. Where there is none
// more should have been.
func (p *Pool) takeSpare() (w *worker.Sandbox) {
	for len(p.spare) > 0 && w == nil {
		last := len(p.spare) - 1
		w, p.spare = p.spare[last], p.spare[:last]
		if !alive(w) {
			w = nil
		}
	}
	if w == nil {
		p.want = min(p.want+1, p.opts.Spare)
	}
	for n := p.want - len(p.spare) - p.coming; n > 0 && !p.closed; n-- {
		p.coming++
		p.starting.Go(p.refill)
	}
	return w
}

// refill starts one spare worker.
func (p *Pool) refill() {
	w, err := startWorker(context.Background(), p.opts.Exe, &p.namespaces)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.coming--
	if err != nil {
		return // the next run that finds no spare one starts its own and says why it can't
	}
	if p.closed || len(p.spare) >= p.want {
		w.Kill()
		return
	}
	p.spare = append(p.spare, w)
}

// give takes a worker back from a run of affinity.
func (p *Pool) give(affinity string, w *worker.Sandbox, reusable bool) {
	if p == nil {
		w.Kill()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count(-1)
	if p.closed || !reusable || affinity == "" {
		w.Kill()
		return
	}
	p.drain.Reset(p.opts.IdleAfter)
	p.warm = append(p.warm, warmWorker{affinity, w})
	if len(p.warm) > p.opts.Warm {
		p.warm[0].w.Kill()
		p.warm = append(p.warm[:0], p.warm[1:]...)
	}
}

func alive(w *worker.Sandbox) bool {
	select {
	case <-w.Done():
		return false
	default:
		return true
	}
}

// startWorker starts a worker in an empty directory of its own, which is removed
// as soon as it runs: where the system allows that, nothing can be put there.
func startWorker(ctx context.Context, exe string, n *worker.Namespaces) (*worker.Sandbox, error) {
	dir, err := os.MkdirTemp("", "sideb-sandbox-")
	if err != nil {
		return nil, &worker.Died{Reason: "the worker has no directory to start in: " + err.Error()}
	}
	w, err := worker.StartSandbox(ctx, worker.SandboxOptions{Exe: exe, Dir: dir, MemoryCeiling: MaxMemory}, n)
	if err != nil {
		_ = os.Remove(dir) // empty; nothing depends on it
		return nil, err
	}
	if os.Remove(dir) != nil {
		go func() {
			<-w.Done()
			_ = os.Remove(dir)
		}()
	}
	return w, nil
}
