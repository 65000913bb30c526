package agents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox"
	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/value"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// codeRuns are the executions that one call of project code has started with
// state.runCode; see glue/runcode.ts for the other half. They end with the call.
type codeRuns struct {
	pool    *sandbox.Pool
	thread  string            // whose warm workers serve
	applied func(jail.Report) // told once: what confines them

	mu   sync.Mutex
	last int
	runs map[int]*codeRun
	over bool
}

func newCodeRuns(pool *sandbox.Pool, thread string, applied func(jail.Report)) *codeRuns {
	var once sync.Once
	return &codeRuns{pool: pool, thread: thread, runs: map[int]*codeRun{},
		applied: func(r jail.Report) { once.Do(func() { applied(r) }) }}
}

// sandboxApplied is the state's method that tells what confines a run.
const sandboxApplied = "sandboxApplied"

const runCodeMethod = "runCode"

func isRunCode(method string) bool {
	return method == runCodeMethod || strings.HasPrefix(method, runCodeMethod+".")
}

// codeStart is the argument of runCode.
type codeStart struct {
	Source           string            `json:"source"`
	Language         sandbox.Language  `json:"language"`
	Fn               string            `json:"fn"`
	Modules          map[string]string `json:"modules"`
	Filename         string            `json:"filename"`
	MemoryLimitBytes int64             `json:"memoryLimitBytes"`
	Report           bool              `json:"report"`
	Values           json.RawMessage   `json:"values"` // tagged JSON of args, imports and globals
}

// codeArgs are the arguments of the other methods; each uses its own.
type codeArgs struct {
	Run    int             `json:"run"`
	Fn     uint64          `json:"fn"`
	Call   uint64          `json:"call"`
	Reason string          `json:"reason"`
	Value  json.RawMessage `json:"value"`
	Error  *worker.Thrown  `json:"error"`
}

// do is the worker.Host of the methods of runCode.
func (c *codeRuns) do(ctx context.Context, method string, raw json.RawMessage) (json.RawMessage, error) {
	if method == runCodeMethod {
		var start codeStart
		if err := json.Unmarshal(raw, &start); err != nil {
			return nil, engine.Errorf(engine.CodeInvalid, method, "%w", err)
		}
		return c.start(ctx, start)
	}
	var a codeArgs
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, method, "%w", err)
	}
	c.mu.Lock()
	run := c.runs[a.Run]
	c.mu.Unlock()
	if run == nil {
		return nil, engine.Errorf(engine.CodeNotFound, method, "the execution is over: it ended with the call that started it")
	}
	switch method {
	case "runCode.next":
		return run.next(ctx)
	case "runCode.reply":
		run.reply(a)
	case "runCode.terminate":
		run.e.Terminate(a.Reason)
	case "runCode.invoke":
		return run.invoke(ctx, a)
	default:
		return nil, engine.Errorf(engine.CodeInvalid, method, "runCode has no method %s", method)
	}
	return nil, nil
}

func (c *codeRuns) start(ctx context.Context, s codeStart) (json.RawMessage, error) {
	run := &codeRun{wake: make(chan struct{}, 1), calls: map[uint64]chan codeArgs{}, fns: map[*value.Func]uint64{}, byID: map[uint64]*value.Func{}}
	o := sandbox.Options{Language: s.Language, Execute: sandbox.Execute{Fn: s.Fn}, Modules: s.Modules, Filename: s.Filename,
		MemoryLimitBytes: s.MemoryLimitBytes, Pool: c.pool, Affinity: c.thread}
	if err := run.values(&o, s.Values); err != nil {
		return nil, err
	}
	if s.Report {
		o.Report = run.report
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil, engine.Errorf(engine.CodeCanceled, runCodeMethod, "the call that runs code has ended")
	}
	run.e = sandbox.Run(ctx, s.Source, o)
	c.last++
	c.runs[c.last] = run
	go run.settle(c.applied)
	return json.Marshal(c.last)
}

// close ends all executions: nobody can hear of them any more.
func (c *codeRuns) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, run := range c.runs {
		run.e.Terminate("the call that started the execution has ended")
		run.e.Close()
	}
}

// codeRun is one execution. It is the value.Functions between the project's VM
// and the host: the project's functions are Remote.
type codeRun struct {
	e    *sandbox.Execution
	wake chan struct{}

	mu     sync.Mutex
	events []codeEvent
	last   uint64 // call
	calls  map[uint64]chan codeArgs
	fns    map[*value.Func]uint64 // the sandbox's, which the project may call
	byID   map[uint64]*value.Func
	remote map[uint64]*value.Func // the project's
}

// codeEvent is what the project's half is told.
type codeEvent struct {
	Type   string          `json:"type"` // call, report or settled
	Call   uint64          `json:"call,omitempty"`
	Fn     uint64          `json:"fn,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Result *codeResult     `json:"result,omitempty"`
}

type codeResult struct {
	Status     sandbox.Status  `json:"status"`
	Value      json.RawMessage `json:"value,omitempty"`
	Error      *sandbox.Error  `json:"error,omitempty"`
	Logs       []codeLog       `json:"logs"`
	DurationMs float64         `json:"durationMs"`
}

type codeLog struct {
	Level     string          `json:"level"`
	Args      json.RawMessage `json:"args"`
	Timestamp int64           `json:"timestamp"`
}

func (r *codeRun) push(e codeEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// next waits for events and gives all that there are.
func (r *codeRun) next(ctx context.Context) (json.RawMessage, error) {
	for {
		r.mu.Lock()
		list := r.events
		r.events = nil
		r.mu.Unlock()
		if len(list) > 0 {
			return json.Marshal(list)
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			// The execution ends with ctx too; its end is what is told.
			<-r.wake
		}
	}
}

// values takes args, imports and globals apart.
func (r *codeRun) values(o *sandbox.Options, raw json.RawMessage) error {
	v, err := value.FromJSON(raw, r)
	all, ok := v.(*value.Object)
	if err != nil || !ok {
		return engine.Errorf(engine.CodeInvalid, runCodeMethod, "the options can't be read")
	}
	if args, ok := all.Get("args").(*value.Array); ok {
		o.Execute.Args = args.Items
	}
	o.Globals = properties(all.Get("globals"))
	o.Imports = map[string]map[string]any{}
	for specifier, exports := range properties(all.Get("imports")) {
		o.Imports[specifier] = properties(exports)
	}
	return nil
}

func properties(v any) map[string]any {
	out := map[string]any{}
	if o, ok := v.(*value.Object); ok {
		for i, key := range o.Keys {
			out[key] = o.Values[i]
		}
	}
	return out
}

func (r *codeRun) report(v any) {
	raw, err := value.AppendJSON(nil, v, "report", r)
	if err == nil {
		r.push(codeEvent{Type: "report", Value: raw})
	}
}

func (r *codeRun) settle(applied func(jail.Report)) {
	<-r.e.Done()
	if report := r.e.Confinement(); report.Platform != "" {
		applied(report)
	}
	result := r.e.Result()
	out := &codeResult{Status: result.Status, Error: result.Err, Logs: []codeLog{}, DurationMs: float64(result.Duration.Microseconds()) / 1000}
	if result.Err == nil {
		raw, err := value.AppendJSON(nil, result.Value, "result", r)
		if out.Value = raw; err != nil {
			out.Status, out.Error = sandbox.Failed, &sandbox.Error{Name: "SerializationError", Message: err.Error()}
		}
	}
	for _, l := range result.Logs {
		if raw, err := value.AppendJSON(nil, l.Args, "argument", r); err == nil {
			out.Logs = append(out.Logs, codeLog{Level: l.Level, Args: raw, Timestamp: l.Timestamp})
		}
	}
	r.push(codeEvent{Type: "settled", Result: out})
}

// reply answers a call of one of the project's functions.
func (r *codeRun) reply(a codeArgs) {
	r.mu.Lock()
	answer := r.calls[a.Call]
	delete(r.calls, a.Call)
	r.mu.Unlock()
	if answer != nil {
		answer <- a
	}
}

// invoke calls a function of the sandbox for the project.
func (r *codeRun) invoke(ctx context.Context, a codeArgs) (json.RawMessage, error) {
	f := r.Own(a.Fn)
	v, err := value.FromJSON(a.Value, r)
	args, ok := v.(*value.Array)
	if f == nil || err != nil || !ok {
		return nil, engine.Errorf(engine.CodeInvalid, "runCode.invoke", "the function or its arguments can't be read")
	}
	result, err := f.Call(ctx, args.Items)
	var failed *sandbox.Error
	switch {
	case errors.As(err, &failed):
		return nil, &worker.Thrown{Name: failed.Name, Message: failed.Message}
	case err != nil:
		return nil, err
	}
	return value.AppendJSON(nil, result, "result", r)
}

// Handle implements value.Functions.
func (r *codeRun) Handle(f *value.Func) (uint64, bool) {
	if f.Owner == any(r) {
		return f.ID, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id, ok := r.fns[f]
	if !ok {
		id = uint64(len(r.fns) + 1)
		r.fns[f], r.byID[id] = id, f
	}
	return id, false
}

// Own implements value.Functions.
func (r *codeRun) Own(id uint64) *value.Func {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// Remote implements value.Functions: calling the function asks the project.
func (r *codeRun) Remote(id uint64, name string) *value.Func {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.remote[id]; f != nil {
		return f
	}
	f := &value.Func{Name: name, Owner: r, ID: id}
	f.Call = func(ctx context.Context, args []any) (any, error) { return r.callProject(ctx, id, args) }
	if r.remote == nil {
		r.remote = map[uint64]*value.Func{}
	}
	r.remote[id] = f
	return f
}

func (r *codeRun) callProject(ctx context.Context, fn uint64, args []any) (any, error) {
	raw, err := value.AppendJSON(nil, args, "arguments", r)
	if err != nil {
		return nil, err
	}
	answer := make(chan codeArgs, 1)
	r.mu.Lock()
	r.last++
	call := r.last
	r.calls[call] = answer
	r.mu.Unlock()
	r.push(codeEvent{Type: "call", Call: call, Fn: fn, Value: raw})
	select {
	case a := <-answer:
		if a.Error != nil {
			return nil, a.Error
		}
		return value.FromJSON(a.Value, r)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
