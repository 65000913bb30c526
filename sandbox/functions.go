package sandbox

import (
	"context"
	"sync"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// functions are those that both sides of one execution know each other's by: it
// is the execution's value.Functions.
type functions struct {
	e *Execution

	mu   sync.Mutex
	own  map[uint64]*value.Func // the host's
	ids  map[*value.Func]uint64
	made map[uint64]*value.Func // the sandbox's
}

func newFunctions(e *Execution) *functions {
	return &functions{e: e, own: map[uint64]*value.Func{}, ids: map[*value.Func]uint64{}, made: map[uint64]*value.Func{}}
}

// Handle implements value.Functions.
func (f *functions) Handle(fn *value.Func) (uint64, bool) {
	if fn.Owner == any(f) {
		return fn.ID, true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, ok := f.ids[fn]
	if !ok {
		id = uint64(len(f.ids) + 1)
		f.ids[fn], f.own[id] = id, fn
	}
	return id, false
}

// Own implements value.Functions.
func (f *functions) Own(id uint64) *value.Func {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.own[id]
}

// Remote implements value.Functions: calling the function calls into the worker.
func (f *functions) Remote(id uint64, name string) *value.Func {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fn := f.made[id]; fn != nil {
		return fn
	}
	fn := &value.Func{Name: name, Owner: f, ID: id}
	fn.Call = func(ctx context.Context, args []any) (any, error) { return f.e.invoke(ctx, id, args) }
	f.made[id] = fn
	return fn
}

// invoke calls a function of the sandbox. It fails once the worker is given up.
func (e *Execution) invoke(ctx context.Context, id uint64, args []any) (any, error) {
	raw, err := value.Encode(append([]any{}, args...), "arguments", e.fns)
	if err != nil {
		return nil, &Error{Name: "SerializationError", Message: err.Error()}
	}
	e.mu.Lock()
	w := e.worker
	e.mu.Unlock()
	if w == nil {
		return nil, &Error{Name: "Error", Message: "the function's sandbox has ended"}
	}
	out, err := w.Invoke(ctx, id, raw)
	if err != nil {
		return nil, err
	}
	v, failed := decodeOr(out, e.fns)
	if failed != nil {
		return nil, failed
	}
	return v, nil
}
