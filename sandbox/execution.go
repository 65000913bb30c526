package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/value"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// Execution is a run. Its methods are safe for concurrent use.
type Execution struct {
	opts    Options
	started time.Time
	limit   int64
	ctx     context.Context // of the host's functions: ends with the execution
	cancel  context.CancelCauseFunc
	fns     *functions

	mu       sync.Mutex
	stop     func() bool     // ends the watch of the caller's context
	starting bool            // a worker is being taken
	pid      int             // of the worker that served
	confined jail.Report     // of the same
	worker   *worker.Sandbox // nil until one is there and after it was given back
	result   *Result
	logs     []Log
	reports  []any
	logBytes int
	shared   bool // functions of the sandbox are held: the worker stays until Close
	settled  chan struct{}
	over     chan struct{} // closed when the worker is no longer used
}

// Run starts source in a sandbox and returns at once. Whatever is wrong becomes
// the Result. When ctx ends, the execution is terminated with its cause; values
// that hold functions of the sandbox work until Close or ctx's end.
func Run(ctx context.Context, source string, o Options) *Execution {
	e := &Execution{opts: o, started: time.Now(), limit: o.memory(), starting: true, settled: make(chan struct{}), over: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	e.fns = newFunctions(e)
	stop := context.AfterFunc(ctx, func() { e.end(context.Cause(ctx).Error()) })
	e.mu.Lock()
	e.stop = stop // ctx may have ended already, and the execution with it
	e.mu.Unlock()
	request, refused := o.request(source, e.fns)
	if refused != nil {
		e.settle(&Result{Status: LinkError, Err: refused})
		e.mu.Lock()
		e.starting = false
		e.mu.Unlock()
		e.leave(false)
		return e
	}
	go e.begin(request)
	return e
}

// begin takes a worker and starts.
func (e *Execution) begin(r worker.SandboxRun) {
	w, err := e.opts.Pool.take(e.ctx, e.opts.Affinity)
	e.mu.Lock()
	e.starting = false
	if e.worker = w; w != nil {
		e.pid, e.confined = w.PID(), w.Report()
	}
	terminated := e.result != nil
	e.mu.Unlock()
	if terminated {
		e.leave(true) // it ran nothing
		return
	}
	if err == nil {
		err = w.Start(r, e)
	}
	var dead *worker.Died
	switch {
	case err == nil:
	case errors.As(err, &dead):
		e.Died(dead)
	default:
		e.settle(&Result{Status: Failed, Err: &Error{Name: "SandboxError", Message: err.Error()}})
		e.leave(false)
	}
}

// Wait waits for the end. The error is ctx's.
func (e *Execution) Wait(ctx context.Context) (*Result, error) {
	select {
	case <-e.settled:
		return e.Result(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Done is closed when the execution has settled.
func (e *Execution) Done() <-chan struct{} { return e.settled }

// Result is the end, or nil while it runs.
func (e *Execution) Result() *Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.result
}

// Running says whether it hasn't settled.
func (e *Execution) Running() bool { return e.Result() == nil }

// Confinement says what the system enforces for the worker that serves; it is the
// zero Report while there is none.
func (e *Execution) Confinement() jail.Report {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.confined
}

// Reports are the values reported so far.
func (e *Execution) Reports() []any {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]any{}, e.reports...)
}

// Terminate ends the execution at once with status terminated; reason is the
// error's message. After the end it does nothing.
func (e *Execution) Terminate(reason string) {
	if reason == "" {
		reason = "the execution was terminated"
	}
	if e.settle(&Result{Status: Terminated, Err: &Error{Name: "Terminated", Message: reason}}) {
		e.leave(false)
	}
}

// Close gives up the functions of the sandbox that the result, or arguments of
// the host's functions, hold. It terminates what runs.
func (e *Execution) Close() { e.end("the execution was closed") }

func (e *Execution) end(reason string) {
	e.Terminate(reason)
	e.mu.Lock()
	shared := e.shared
	e.shared = false
	e.mu.Unlock()
	if shared {
		e.leave(false)
	}
}

// Released is closed when the worker process isn't used any more.
func (e *Execution) Released() <-chan struct{} { return e.over }

// settle ends the execution, once; it reports whether this was the end.
func (e *Execution) settle(r *Result) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.result != nil {
		return false
	}
	r.Logs, r.Reports, r.Duration = e.logs, append([]any{}, e.reports...), time.Since(e.started)
	if r.Err != nil && r.Value == nil {
		r.Value = value.Undefined{}
	}
	e.result = r
	close(e.settled)
	return true
}

// leave gives the worker up, to the pool when it is reusable.
func (e *Execution) leave(reusable bool) {
	e.mu.Lock()
	w, starting := e.worker, e.starting
	e.worker = nil
	e.mu.Unlock()
	if w != nil {
		e.opts.Pool.give(e.opts.Affinity, w, reusable)
	}
	if !starting { // else begin leaves again, with the worker
		e.close()
	}
}

// close ends what belongs to the execution.
func (e *Execution) close() {
	e.cancel(errEnded)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop != nil {
		e.stop()
	}
	select {
	case <-e.over:
	default:
		close(e.over)
	}
}

var errEnded = errors.New("the sandbox's execution has ended")

// Log implements worker.SandboxHost.
func (e *Execution) Log(level string, millis int64, raw []byte) {
	v, err := value.Decode(raw, nil)
	args, ok := v.(*value.Array)
	if err != nil || !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.logBytes += len(raw); e.logBytes <= hostLogBytes && e.result == nil {
		e.logs = append(e.logs, Log{Level: level, Args: args.Items, Timestamp: millis})
	}
}

// The worker keeps the budgets of console and report; these hold should it not.
const (
	hostLogBytes = 2 << 20
	hostReports  = 1 << 20
)

// Report implements worker.SandboxHost.
func (e *Execution) Report(raw []byte) {
	v, err := value.Decode(raw, e.fns)
	if err != nil {
		return
	}
	e.mu.Lock()
	keep := e.result == nil && len(e.reports) < hostReports
	if keep {
		e.reports = append(e.reports, v)
	}
	e.mu.Unlock()
	if keep && e.opts.Report != nil {
		e.opts.Report(v)
	}
}

// Settled implements worker.SandboxHost.
func (e *Execution) Settled(s worker.SandboxResult) {
	r := &Result{Status: Success}
	switch {
	case s.Link != nil:
		r.Status, r.Err = LinkError, linkError(s.Link)
	case s.Missing:
		r.Status, r.Err = LinkError, refuse("the source has no export named %q", e.fn())
	case s.Thrown != nil:
		r.Status, r.Err = Failed, thrownError(s.Thrown)
	default:
		if r.Value, r.Err = decodeOr(s.Value, e.fns); r.Err != nil {
			r.Status = Failed
		}
	}
	e.mu.Lock()
	e.shared = s.Shared
	e.mu.Unlock()
	e.settle(r)
}

func (e *Execution) fn() string {
	if e.opts.Execute.Fn == "" {
		return "default"
	}
	return e.opts.Execute.Fn
}

// Idle implements worker.SandboxHost.
func (e *Execution) Idle(reusable bool) { e.leave(reusable) }

// Died implements worker.SandboxHost.
func (e *Execution) Died(d *worker.Died) {
	status, err := died(d, e.limit)
	e.settle(&Result{Status: status, Err: err})
	e.leave(false)
}

// HostCall implements worker.SandboxHost: it calls a function of the host. A
// panic of it is an error of this call only.
func (e *Execution) HostCall(id uint64, raw []byte) (out []byte, err error) {
	defer func() {
		if x := recover(); x != nil {
			out, err = nil, fmt.Errorf("the host's function failed: %v", x)
		}
	}()
	f := e.fns.Own(id)
	if f == nil {
		return nil, errors.New("the host has no such function")
	}
	v, err := value.Decode(raw, e.fns)
	args, ok := v.(*value.Array)
	if err != nil || !ok {
		return nil, value.ErrMalformed
	}
	for i, a := range args.Items {
		if _, hole := a.(value.Hole); hole {
			args.Items[i] = value.Undefined{}
		}
	}
	result, err := f.Call(e.ctx, args.Items)
	if err != nil {
		return nil, err
	}
	out, err = value.Encode(result, "result", e.fns)
	if err != nil {
		return nil, &worker.Thrown{Name: "SerializationError", Message: err.Error()}
	}
	return out, nil
}
