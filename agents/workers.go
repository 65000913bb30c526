package agents

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// workers keeps one project worker alive: started when it is first needed,
// replaced after it died, with the programs that are in use loaded into it.
type workers struct {
	o        Options
	ctx      context.Context // ends with close; the parent of background work only
	cancel   context.CancelFunc
	tasks    sync.WaitGroup
	mu       sync.Mutex
	current  *process
	programs map[string]*program // those of the present snapshot
	closed   bool
}

// process is one worker process. start is closed once p or err is set.
type process struct {
	start chan struct{}
	p     *worker.Project
	err   error

	mu     sync.Mutex
	loaded map[string]*loading
}

// loading is one program in one process. done is closed once err is set.
type loading struct {
	done chan struct{}
	err  error
}

func newWorkers(o Options) *workers {
	ctx, cancel := context.WithCancel(context.Background())
	return &workers{o: o, ctx: ctx, cancel: cancel, programs: map[string]*program{}}
}

// get is the living process, a new one where there is none.
func (w *workers) get(ctx context.Context) (*process, error) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil, engine.Errorf(engine.CodeCanceled, "run project code", "the project is closed")
	}
	p := w.startLocked()
	w.mu.Unlock()
	select {
	case <-p.start:
		return p, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// startLocked is the living process, a new one where there is none.
func (w *workers) startLocked() *process {
	if w.current == nil || w.current.gone() {
		w.current = &process{start: make(chan struct{}), loaded: map[string]*loading{}}
		w.tasks.Add(1)
		go w.begin(w.current)
	}
	return w.current
}

// begin starts the process; it isn't tied to the call that wanted it first.
func (w *workers) begin(p *process) {
	defer w.tasks.Done()
	defer close(p.start)
	started, err := worker.StartProject(w.ctx, worker.Options{
		Exe: w.o.Exe, Dir: w.o.Dir, VMs: w.o.VMs, Logf: w.o.Logf, StallAfter: w.o.StallAfter, OnStall: w.stalled,
	})
	if err != nil {
		p.err = engine.Errorf(engine.CodeSandbox, "start project worker", "%w", err)
		return
	}
	p.p = started
}

func (w *workers) stalled(vm int, fn string, since time.Time) {
	w.o.Logf("project code has blocked event loop %d since %s (in %s)", vm, since.Format(time.TimeOnly), fn)
	if w.o.OnStall != nil {
		w.o.OnStall(fn, since)
	}
}

// started reports whether a process could be started at all.
func (w *workers) started() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == nil {
		return false
	}
	select {
	case <-w.current.start:
		return w.current.err == nil
	default:
		return false
	}
}

// gone reports whether the process ended or never started.
func (p *process) gone() bool {
	select {
	case <-p.start:
	default:
		return false
	}
	if p.err != nil {
		return true
	}
	select {
	case <-p.p.Done():
		return true
	default:
		return false
	}
}

// load evaluates a program's entry in the process, once.
func (p *process) load(ctx context.Context, prog *program) error {
	p.mu.Lock()
	l := p.loaded[prog.id]
	mine := l == nil
	if mine {
		l = &loading{done: make(chan struct{})}
		p.loaded[prog.id] = l
	}
	p.mu.Unlock()
	if mine {
		// Other calls wait for this load, so it doesn't end with this one.
		l.err = p.p.Load(context.WithoutCancel(ctx), prog.id, prog.code)
		close(l.done)
	}
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *process) unload(ctx context.Context, id string) {
	p.mu.Lock()
	_, there := p.loaded[id]
	delete(p.loaded, id)
	p.mu.Unlock()
	if there {
		_ = p.p.Unload(ctx, id) // a worker that died has nothing loaded
	}
}

func (w *workers) build(ctx context.Context, r worker.BuildRequest) (*worker.BuildResult, error) {
	p, err := w.get(ctx)
	if err != nil {
		return nil, err
	}
	return p.p.Build(ctx, r)
}

// call runs a function of a program. When ctx ends while the call blocks its
// event loop, the worker is killed after a while: nothing else would ever run
// there.
func (w *workers) call(ctx context.Context, prog *program, affinity, fn string, args json.RawMessage, h worker.Host) (json.RawMessage, error) {
	p, err := w.get(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx, prog); err != nil {
		return nil, err
	}
	answer, err := p.p.Call(ctx, prog.id, affinity, fn, args, h)
	if err != nil && ctx.Err() != nil {
		w.guard(p, prog, affinity)
	}
	if overflowed(err) {
		// The overflow can leave frames behind in the JavaScript engine, whose
		// event loop then never turns again.
		w.o.Logf("the stack overflowed in %s: the project worker is replaced", fn)
		_ = p.p.Close() // waits for its end, so that the next call starts another
	}
	return answer, err
}

func overflowed(err error) bool {
	var thrown *worker.Thrown
	return errors.As(err, &thrown) && thrown.Name == "RangeError" && thrown.Message == "Maximum call stack size exceeded"
}

// guard kills the process unless the event loop that served a call turns within
// the time that Options.KillAfter gives.
func (w *workers) guard(p *process, prog *program, affinity string) {
	grace := w.o.KillAfter
	if grace == 0 {
		grace = time.Second
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.tasks.Add(1)
	go func() {
		defer w.tasks.Done()
		ctx, cancel := context.WithTimeout(w.ctx, grace)
		defer cancel()
		_, err := p.p.Call(ctx, prog.id, affinity, "ping", json.RawMessage("[]"), noHost)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			w.o.Logf("a cancelled call still blocks its event loop after %s: the project worker is killed", grace)
			p.p.Kill()
		}
	}()
}

// warm starts the worker in the background.
func (w *workers) warm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startLocked()
}

// prepare starts the worker in the background and loads what s needs first: the
// models' program, where there is one, else the only one.
func (w *workers) prepare(s *snapshot) {
	w.keep(s)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.tasks.Add(1)
	go func() {
		defer w.tasks.Done()
		p, err := w.get(w.ctx)
		if err != nil {
			w.o.Logf("%v", err)
			return
		}
		for _, prog := range s.first() {
			if err := p.load(w.ctx, prog); err != nil {
				w.o.Logf("load project: %v", err)
			}
		}
	}()
}

// keep forgets the programs that s no longer needs. Calls that run in them go
// on.
func (w *workers) keep(s *snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	old := w.programs
	w.programs = map[string]*program{}
	for _, prog := range s.programs {
		w.programs[prog.id] = prog
	}
	if w.closed || w.current == nil || w.current.gone() {
		return
	}
	p := w.current
	for id := range old {
		if w.programs[id] != nil {
			continue
		}
		w.tasks.Add(1)
		go func() {
			defer w.tasks.Done()
			<-p.start
			if p.err == nil {
				p.unload(w.ctx, id)
			}
		}()
	}
}

// close ends the worker and waits for everything that w started.
func (w *workers) close() {
	w.mu.Lock()
	w.closed = true
	p := w.current
	w.mu.Unlock()
	w.cancel()
	if p != nil {
		<-p.start
		if p.err == nil {
			_ = p.p.Close() // it ends either way
		}
	}
	w.tasks.Wait()
}
