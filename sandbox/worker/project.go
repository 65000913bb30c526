package worker

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/js"
)

const (
	defaultStall  = 5 * time.Second
	defaultMemory = 4 << 30
	maxVMs        = 4
)

// Project is a running worker process for a project's own code. Its methods are
// safe for concurrent use.
type Project struct {
	opts  Options
	proc  *process
	ready chan struct{}

	mu    sync.Mutex
	next  uint64
	ops   map[uint64]chan answer // open operations; each channel has room for its answer
	calls map[uint64]*openCall
	died  *Died
}

// answer is how an operation ended.
type answer struct {
	body []byte
	err  error
}

// StartProject starts a worker process and waits until it serves.
func StartProject(ctx context.Context, o Options) (*Project, error) {
	if o.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, &Died{Reason: "the program's own executable can't be found: " + err.Error()}
		}
		o.Exe = exe
	}
	set := settings{VMs: o.VMs, StallAfter: o.StallAfter, MemoryLimit: o.MemoryLimit}
	if set.VMs <= 0 {
		set.VMs = min(runtime.NumCPU(), maxVMs)
	}
	if set.StallAfter == 0 {
		set.StallAfter = defaultStall
	}
	if set.MemoryLimit == 0 {
		set.MemoryLimit = defaultMemory
	}
	first, err := json.Marshal(set)
	if err != nil {
		return nil, err
	}
	p := &Project{opts: o, ready: make(chan struct{}), ops: map[uint64]chan answer{}, calls: map[uint64]*openCall{}}
	if p.proc, err = startProcess(o, projectKind, p.handle, p.ended); err != nil {
		return nil, &Died{Reason: "the worker can't be started: " + err.Error()}
	}
	_ = p.proc.out.write(frame{kind: kindInit, body: first}) // a failure shows as the process's end
	select {
	case <-p.ready:
		return p, nil
	case <-p.proc.done:
		return nil, p.died
	case <-ctx.Done():
		p.Kill()
		return nil, ctx.Err()
	}
}

// Kill ends the process at once.
func (p *Project) Kill() { p.proc.kill() }

// Close ends the process and waits for it. Open operations return a *Died.
func (p *Project) Close() error {
	p.proc.kill()
	<-p.proc.done
	return nil
}

// Done is closed when the process has ended.
func (p *Project) Done() <-chan struct{} { return p.proc.done }

// Build links a program. Errors in the source are Diagnostics; the error is a
// *Died or ctx's.
func (p *Project) Build(ctx context.Context, r BuildRequest) (*BuildResult, error) {
	body, err := json.Marshal(js.LinkRequest{Entry: r.Entry, ResolveDir: r.ResolveDir, Virtual: r.Virtual,
		PreferInstalled: r.PreferInstalled, FS: r.FS, Lenient: r.Lenient})
	if err != nil {
		return nil, err
	}
	raw, err := p.operate(ctx, kindBuild, body)
	if err != nil {
		return nil, err
	}
	parts, err := split(raw, 2)
	if err != nil {
		return nil, err
	}
	var linked struct {
		Inputs      []string     `json:"inputs"`
		Diagnostics []Diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal([]byte(parts[0]), &linked); err != nil {
		return nil, err
	}
	return &BuildResult{Code: parts[1], Inputs: linked.Inputs, Diagnostics: linked.Diagnostics}, nil
}

// Load evaluates linked text under the name program and returns when its
// top-level code has ended. It replaces a program of the same name. Other VMs
// evaluate it when the first call comes to them. Errors: *Thrown, *Died, ctx's.
func (p *Project) Load(ctx context.Context, program, code string) error {
	_, err := p.operate(ctx, kindLoad, fields(program, code))
	return err
}

// Unload forgets a program. Calls that run go on; later ones fail.
func (p *Project) Unload(ctx context.Context, program string) error {
	_, err := p.operate(ctx, kindUnload, []byte(program))
	return err
}

// operate sends a request and waits for its answer.
func (p *Project) operate(ctx context.Context, k kind, body []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	id, result, err := p.open(nil)
	if err != nil {
		return nil, err
	}
	if err := p.send(frame{kind: k, id: id, body: body}); err != nil {
		p.forget(id)
		return nil, err
	}
	select {
	case a := <-result:
		return a.body, a.err
	case <-ctx.Done():
		p.forget(id)
		return nil, ctx.Err()
	}
}

// open registers an operation.
func (p *Project) open(c *openCall) (uint64, chan answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.died != nil {
		return 0, nil, p.died
	}
	p.next++
	result := make(chan answer, 1)
	p.ops[p.next] = result
	if c != nil {
		c.id = p.next
		p.calls[p.next] = c
	}
	return p.next, result, nil
}

func (p *Project) forget(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ops, id)
	delete(p.calls, id)
}

// send writes a frame. That the pipe is broken says nothing: why the process
// ended is known once it has been waited for.
func (p *Project) send(f frame) error {
	err := p.proc.out.write(f)
	if err == nil || len(f.body) > maxFrame-frameHead {
		return err
	}
	<-p.proc.done
	return p.died
}

// ended is called once, before done is closed.
func (p *Project) ended(d *Died) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.died = d
	for id, result := range p.ops {
		delete(p.ops, id)
		delete(p.calls, id)
		result <- answer{err: d}
	}
}

// handle takes a frame from the worker, on the reading goroutine.
func (p *Project) handle(f frame) error {
	switch f.kind {
	case kindReady:
		close(p.ready)
	case kindResult:
		p.settle(f.id, answer{body: f.body})
	case kindThrown:
		t := &Thrown{}
		if err := json.Unmarshal(f.body, t); err != nil {
			return err
		}
		p.settle(f.id, answer{err: t})
	case kindHost:
		return p.hostCall(f)
	case kindSend:
		return p.hostSend(f)
	case kindStall:
		return p.stalled(f)
	default:
		return errFrame
	}
	return nil
}

func (p *Project) settle(id uint64, a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if result := p.ops[id]; result != nil {
		delete(p.ops, id)
		result <- a
	}
}

func (p *Project) stalled(f frame) error {
	var r stallReport
	if err := json.Unmarshal(f.body, &r); err != nil {
		return err
	}
	if p.opts.OnStall != nil {
		p.opts.OnStall(r.VM, r.Fn, r.Since)
	}
	return nil
}
