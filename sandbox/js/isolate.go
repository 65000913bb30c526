package js

import (
	"fmt"
	"sync"

	"github.com/dop251/goja"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// Sealed runs untrusted programs, each in an isolate of its own.
type Sealed struct {
	engine  *Engine
	prelude func() ([]*goja.Program, error)
}

// NewSealed makes a Sealed. It costs nothing until the first isolate.
func NewSealed() *Sealed {
	return &Sealed{engine: NewEngine(), prelude: sync.OnceValues(func() ([]*goja.Program, error) {
		return compileAll("es", "sandbox")
	})}
}

// Compile compiles linked text; see Engine.Compile.
func (s *Sealed) Compile(linked string) (*Program, error) { return s.engine.Compile(linked) }

// Forget drops a program's positions.
func (s *Sealed) Forget(p *Program) { s.engine.Forget(p) }

// IsolateHost is told what happens in an isolate, on its loop; it must not block.
// Values are encoded.
type IsolateHost interface {
	// Settled ends the run, once.
	Settled(Settlement)
	// HostCall calls the host's function; Isolate.Reply answers with the same id.
	HostCall(id, function uint64, args []byte)
	// Log is a call of console.
	Log(level string, args []any)
	// Report is a call of report; it is false when too much was reported.
	Report(v []byte) bool
	// Invoked answers Isolate.Invoke.
	Invoked(id uint64, v []byte, thrown *Thrown)
}

// Settlement is how a run ended: with Value, with Thrown, or with neither where
// the entry doesn't have the export.
type Settlement struct {
	Value   []byte
	Thrown  *Thrown
	Missing bool
}

// Isolate is a runtime of its own for one run. Its methods return at once.
type Isolate struct {
	sealed *Sealed
	host   IsolateHost
	loop   *loop
	rt     *goja.Runtime
	glue   isolateGlue
	made   intrinsics
	done   chan struct{}

	reporter goja.Value // what report is

	settled  bool
	lastCall uint64
	waiting  map[uint64]waiting
	fns      handles
}

// isolateGlue are the functions that the prelude gives to Go.
type isolateGlue struct {
	start, invoke, describe, bridge, imports, importer, seal, console goja.Callable
}

// NewIsolate makes a runtime and starts its loop.
func (s *Sealed) NewIsolate(host IsolateHost) (*Isolate, error) {
	prelude, err := s.prelude()
	if err != nil {
		return nil, err
	}
	i := &Isolate{sealed: s, host: host, loop: newLoop(), rt: goja.New(), done: make(chan struct{}), waiting: map[uint64]waiting{}}
	i.fns = handles{isolate: i, byID: map[uint64]*goja.Object{}, ids: map[*goja.Object]uint64{}}
	i.rt.SetMaxCallStackSize(maxDepth)
	if err := i.made.take(i.rt); err != nil {
		return nil, err
	}
	if err := i.install(prelude); err != nil {
		return nil, err
	}
	go func() {
		defer close(i.done)
		i.loop.run()
	}()
	return i, nil
}

func (i *Isolate) install(prelude []*goja.Program) error {
	native := map[string]any{"call": i.nativeCall, "log": i.nativeLog, "report": i.nativeReport}
	g := &i.glue
	shared, err := evaluatePrelude(i.rt, prelude, native, map[string]*goja.Callable{"start": &g.start, "invoke": &g.invoke,
		"describe": &g.describe, "bridge": &g.bridge, "imports": &g.imports, "importer": &g.importer, "seal": &g.seal,
		"console": &g.console})
	if err == nil {
		i.reporter = shared.Get("report")
	}
	return err
}

// Close ends the loop after the task that runs.
func (i *Isolate) Close() { i.loop.close() }

// Done is closed when the loop has ended.
func (i *Isolate) Done() <-chan struct{} { return i.done }

// Shared says whether the host was given functions of this isolate.
func (i *Isolate) Shared() bool { return i.fns.shared.Load() }

// RunRequest is what one run needs beside its program. Values are encoded.
type RunRequest struct {
	Fn         string
	Args       []byte // an array
	Globals    []byte // an object
	Imports    []byte // an object of objects
	GlobalKeys []string
	Console    bool // console captures what isn't given as a global
	Report     bool
}

// Run evaluates the program and calls its export; Settled tells the end.
func (i *Isolate) Run(p *Program, r RunRequest) {
	i.loop.post(func() {
		if err := i.run(p, r); err != nil {
			i.settle(Settlement{Thrown: i.thrown(err)})
		}
	})
}

func (i *Isolate) run(p *Program, r RunRequest) error {
	wiring, register := i.rt.NewObject(), goja.Undefined()
	args, err := i.wire(wiring, r)
	if err != nil {
		return err
	}
	natives := map[string]any{
		"register": func(c goja.FunctionCall) goja.Value { register = c.Argument(0); return goja.Undefined() },
		"exports":  func(goja.FunctionCall) goja.Value { return register },
		"seal": func(c goja.FunctionCall) goja.Value {
			v, err := i.glue.seal(goja.Undefined(), c.Argument(0))
			raise(err)
			return v
		},
	}
	for name, f := range natives {
		if err := wiring.Set(name, f); err != nil {
			return err
		}
	}
	main, err := i.rt.RunProgram(p.code)
	if err != nil {
		return err
	}
	_, err = i.glue.start(goja.Undefined(), main, wiring, i.rt.ToValue(r.Fn), args, i.rt.ToValue(i.nativeSettle))
	return err
}

// wire makes the values that the wrapper takes.
func (i *Isolate) wire(wiring *goja.Object, r RunRequest) (goja.Value, error) {
	args, err := i.fromBytes(r.Args)
	if err != nil {
		return nil, err
	}
	globals, err := i.globals(r)
	if err != nil {
		return nil, err
	}
	imports, err := i.importValues(r.Imports)
	if err != nil {
		return nil, err
	}
	importer, err := i.glue.importer(goja.Undefined())
	if err != nil {
		return nil, err
	}
	made := importer.ToObject(i.rt)
	for name, v := range map[string]any{"globals": globals, "imports": imports, "importer": made.Get("importer"), "fill": made.Get("fill")} {
		if err := wiring.Set(name, v); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// globals are the values of GlobalKeys in order.
func (i *Isolate) globals(r RunRequest) (goja.Value, error) {
	given, err := i.fromBytes(r.Globals)
	if err != nil {
		return nil, err
	}
	from := given.ToObject(i.rt)
	list := make([]any, len(r.GlobalKeys))
	for n, key := range r.GlobalKeys {
		v := from.Get(key)
		switch {
		case v != nil && hasOwnKey(from, key):
		case key == "console" && r.Console:
			v, err = i.glue.console(goja.Undefined())
		case key == "report" && r.Report:
			v = i.reporter
		}
		if err != nil {
			return nil, err
		}
		list[n] = v
	}
	return i.rt.NewArray(list...), nil
}

func hasOwnKey(o *goja.Object, key string) bool {
	for _, k := range o.GetOwnPropertyNames() {
		if k == key {
			return true
		}
	}
	return false
}

func (i *Isolate) importValues(raw []byte) (goja.Value, error) {
	given, err := i.fromBytes(raw)
	if err != nil {
		return nil, err
	}
	o := given.ToObject(i.rt)
	keys := o.Keys()
	specifiers, values := make([]any, len(keys)), make([]any, len(keys))
	for n, key := range keys {
		specifiers[n], values[n] = key, o.Get(key)
	}
	return i.glue.imports(goja.Undefined(), i.rt.NewArray(specifiers...), i.rt.NewArray(values...))
}

// nativeSettle is (true, value), (false, thrown) or ("missing").
func (i *Isolate) nativeSettle(c goja.FunctionCall) goja.Value {
	switch {
	case c.Argument(0).ExportType() != nil && c.Argument(0).ExportType().Kind().String() == "string":
		i.settle(Settlement{Missing: true})
	case !c.Argument(0).ToBoolean():
		i.settle(Settlement{Thrown: i.describe(c.Argument(1))})
	default:
		raw, err := i.toBytes(c.Argument(1), "result")
		if err != nil {
			i.settle(Settlement{Thrown: i.thrown(err)})
			break
		}
		i.settle(Settlement{Value: raw})
	}
	return goja.Undefined()
}

func (i *Isolate) settle(s Settlement) {
	if !i.settled {
		i.settled = true
		i.host.Settled(s)
	}
}

// Reply answers a host call with a value or an error.
func (i *Isolate) Reply(id uint64, v []byte, fail *Thrown) {
	i.loop.post(func() {
		w, ok := i.waiting[id]
		if !ok {
			return
		}
		delete(i.waiting, id)
		i.enter(func() error {
			if fail != nil {
				return w.reject(i.errorOf(&value.Error{Name: fail.Name, Message: fail.Message, Cause: value.Undefined{}}))
			}
			made, err := i.fromBytes(v)
			if err != nil {
				return w.reject(i.errorOf(&value.Error{Name: "SerializationError", Message: err.Error(), Cause: value.Undefined{}}))
			}
			return w.resolve(made)
		})
	})
}

// enter runs f, which runs untrusted code. An error that it couldn't catch, such
// as a stack overflow, ends the run.
func (i *Isolate) enter(f func() error) {
	if err := f(); err != nil {
		i.settle(Settlement{Thrown: i.thrown(err)})
	}
}

// nativeCall is (function, args): a promise of what the host's function returns.
func (i *Isolate) nativeCall(c goja.FunctionCall) goja.Value {
	p, resolve, reject := i.rt.NewPromise()
	args, err := i.toBytes(c.Argument(1), "arguments")
	if err != nil {
		raise(reject(i.errorValue(err)))
		return i.rt.ToValue(p)
	}
	i.lastCall++
	i.waiting[i.lastCall] = waiting{resolve: resolve, reject: reject}
	i.host.HostCall(i.lastCall, uint64(c.Argument(0).ToInteger()), args)
	return i.rt.ToValue(p)
}

func (i *Isolate) nativeLog(c goja.FunctionCall) goja.Value {
	args, err := i.lenient(c.Argument(1))
	raise(err)
	i.host.Log(c.Argument(0).String(), args)
	return goja.Undefined()
}

func (i *Isolate) nativeReport(c goja.FunctionCall) goja.Value {
	raw, err := i.toBytes(c.Argument(0), "report")
	if err != nil {
		panic(i.errorValue(err))
	}
	if !i.host.Report(raw) {
		panic(i.errorOf(&value.Error{Name: "RangeError", Message: "too much was reported", Cause: value.Undefined{}}))
	}
	return goja.Undefined()
}

// Invoke calls a function of the isolate that the host was given.
func (i *Isolate) Invoke(id, function uint64, args []byte) {
	i.loop.post(func() {
		fail := func(t *Thrown) { i.host.Invoked(id, nil, t) }
		fn := i.fns.byID[function]
		list, err := i.fromBytes(args)
		if err != nil || fn == nil {
			fail(&Thrown{Name: "ReferenceError", Message: fmt.Sprintf("the function can't be called: %v", err)})
			return
		}
		ok := func(c goja.FunctionCall) goja.Value {
			raw, err := i.toBytes(c.Argument(0), "result")
			if err != nil {
				fail(i.thrown(err))
			} else {
				i.host.Invoked(id, raw, nil)
			}
			return goja.Undefined()
		}
		no := func(c goja.FunctionCall) goja.Value { fail(i.describe(c.Argument(0))); return goja.Undefined() }
		if _, err := i.glue.invoke(goja.Undefined(), fn, list, i.rt.ToValue(ok), i.rt.ToValue(no)); err != nil {
			fail(i.thrown(err))
		}
	})
}

// raise throws an error of a nested call again.
func raise(err error) {
	if err != nil {
		panic(err)
	}
}

// describe turns a thrown value into a Thrown. It runs untrusted code.
func (i *Isolate) describe(v goja.Value) *Thrown {
	t := &Thrown{Name: "Error", Message: "a value was thrown that can't be described"}
	made, err := i.glue.describe(goja.Undefined(), v)
	if err == nil {
		list := made.ToObject(i.rt)
		t.Name, t.Message, t.Stack = list.Get("0").String(), list.Get("1").String(), textOf(list.Get("2"))
	}
	i.sealed.engine.finish(t)
	return t
}

// thrown turns an error of goja, or of a conversion, into a Thrown.
func (i *Isolate) thrown(err error) *Thrown {
	switch e := err.(type) {
	case *goja.Exception:
		return i.describe(e.Value())
	case *value.SerializationError:
		return &Thrown{Name: "SerializationError", Message: e.Error()}
	}
	return goThrown(i.sealed.engine, err)
}

func (i *Isolate) errorValue(err error) goja.Value {
	if e, ok := err.(*goja.Exception); ok {
		return e.Value()
	}
	t := i.thrown(err)
	return i.errorOf(&value.Error{Name: t.Name, Message: t.Message, Cause: value.Undefined{}})
}
