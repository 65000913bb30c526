package js

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/dop251/goja"
)

// glue are the functions that the prelude gives to Go.
type glue struct {
	load     goja.Callable // (main, register, settle): evaluates a program
	begin    goja.Callable // (id): makes a call's environment
	call     goja.Callable // (exports, fn, args, env)
	abort    goja.Callable // (env, reason)
	parse    goja.Callable // JSON.parse
	error    goja.Callable // (description text): makes an Error
	describe goja.Callable // (value): JSON text of a Thrown
}

// install evaluates the prelude and takes its functions.
func (v *VM) install(prelude []*goja.Program) error {
	g := &v.glue
	_, err := evaluatePrelude(v.rt, prelude, v.natives(), map[string]*goja.Callable{"load": &g.load, "begin": &g.begin,
		"call": &g.call, "abort": &g.abort, "parse": &g.parse, "error": &g.error, "describe": &g.describe})
	return err
}

// evaluatePrelude gives the prelude its natives and takes the functions that it shares.
func evaluatePrelude(rt *goja.Runtime, prelude []*goja.Program, natives map[string]any, take map[string]*goja.Callable) (*goja.Object, error) {
	native, shared := rt.NewObject(), rt.NewObject()
	for name, f := range natives {
		if err := native.Set(name, f); err != nil {
			return nil, err
		}
	}
	for _, p := range prelude {
		main, err := rt.RunProgram(p)
		if err != nil {
			return nil, fmt.Errorf("prelude: %w", err)
		}
		f, ok := goja.AssertFunction(main)
		if !ok {
			return nil, fmt.Errorf("prelude: not a function")
		}
		if _, err := f(goja.Undefined(), native, shared); err != nil {
			return nil, fmt.Errorf("prelude: %w", err)
		}
	}
	for name, f := range take {
		var ok bool
		if *f, ok = goja.AssertFunction(shared.Get(name)); !ok {
			return nil, fmt.Errorf("prelude: %s isn't a function", name)
		}
	}
	return shared, nil
}

func (v *VM) natives() map[string]any {
	all := map[string]any{
		"host": v.nativeHost, "send": v.nativeSend, "settle": v.nativeSettle, "current": v.nativeCurrent,
		"print": v.nativePrint, "startTimer": v.nativeStartTimer, "stopTimer": v.nativeStopTimer, "later": v.nativeLater,
		"now": func(goja.FunctionCall) goja.Value {
			return v.rt.ToValue(float64(time.Since(v.engine.start).Nanoseconds()) / 1e6)
		},
	}
	for _, more := range []map[string]any{v.bytesNatives(), v.cryptoNatives(), v.fetchNatives()} {
		for name, f := range more {
			all[name] = f
		}
	}
	return all
}

// nativeHost is (call, method, args): a promise of the host's answer.
func (v *VM) nativeHost(c goja.FunctionCall) goja.Value {
	id := uint64(c.Argument(0).ToInteger())
	p, resolve, reject := v.rt.NewPromise()
	owner := v.calls[id]
	if owner == nil {
		text := "host calls are possible only while a call runs: this one has ended"
		if id == 0 {
			text = "host calls are possible only while a call runs, not while a module is evaluated"
		}
		v.must(reject(v.newError(&Thrown{Name: "Error", Message: text, Code: "no_call"})))
		return v.rt.ToValue(p)
	}
	v.lastHost++
	v.waiting[v.lastHost] = waiting{call: owner, resolve: resolve, reject: reject}
	v.host.HostCall(id, v.lastHost, c.Argument(1).String(), c.Argument(2).String())
	return v.rt.ToValue(p)
}

// must raises an uncatchable error of a nested entry again.
func (v *VM) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (v *VM) nativeSend(c goja.FunctionCall) goja.Value {
	v.host.HostSend(uint64(c.Argument(0).ToInteger()), c.Argument(1).String(), c.Argument(2).String())
	return goja.Undefined()
}

// nativeSettle is (call, ok, JSON text or undefined, thrown value).
func (v *VM) nativeSettle(c goja.FunctionCall) goja.Value {
	owner := v.calls[uint64(c.Argument(0).ToInteger())]
	switch {
	case owner == nil:
	case !c.Argument(1).ToBoolean():
		v.settle(owner, "", v.describe(c.Argument(3)))
	case goja.IsUndefined(c.Argument(2)):
		v.settle(owner, "", nil)
	default:
		v.settle(owner, c.Argument(2).String(), nil)
	}
	return goja.Undefined()
}

// nativeCurrent is the environment of the call that runs, or undefined.
func (v *VM) nativeCurrent(goja.FunctionCall) goja.Value {
	if v.current == nil || v.current.env == nil {
		return goja.Undefined()
	}
	return v.current.env
}

func (v *VM) nativePrint(c goja.FunctionCall) goja.Value {
	v.print(v.current, c.Argument(0).String(), c.Argument(1).String())
	return goja.Undefined()
}

// print is what console does.
func (v *VM) print(c *call, level, text string) {
	args, err := json.Marshal(struct {
		Level string `json:"level"`
		Text  string `json:"text"`
	}{level, v.engine.mapText(text)})
	if err != nil {
		return
	}
	var id uint64
	if c != nil && v.calls[c.id] == c {
		id = c.id
	}
	v.host.HostSend(id, "console", string(args))
}

// nativeStartTimer is (function, milliseconds, repeat): the timer's id.
func (v *VM) nativeStartTimer(c goja.FunctionCall) goja.Value {
	f, _ := goja.AssertFunction(c.Argument(0))
	owner := v.current
	after := time.Duration(min(c.Argument(1).ToFloat(), 1<<31) * float64(time.Millisecond))
	return v.rt.ToValue(v.loop.start(after, c.Argument(2).ToBoolean(), func() {
		v.enter(owner, func() error { _, err := f(goja.Undefined()); return err })
	}))
}

func (v *VM) nativeStopTimer(c goja.FunctionCall) goja.Value {
	v.loop.stop(c.Argument(0).ToInteger())
	return goja.Undefined()
}

// nativeLater posts a function to the end of the loop's queue.
func (v *VM) nativeLater(c goja.FunctionCall) goja.Value {
	f, _ := goja.AssertFunction(c.Argument(0))
	v.later()(func() error { _, err := f(goja.Undefined()); return err })
	return goja.Undefined()
}

// describe turns a thrown value into a Thrown. It runs code of the project.
func (v *VM) describe(value goja.Value) *Thrown {
	t := &Thrown{}
	text, err := v.glue.describe(goja.Undefined(), value)
	if err != nil || json.Unmarshal([]byte(text.String()), t) != nil {
		*t = Thrown{Name: "Error", Message: "a value was thrown that can't be described"}
	}
	v.engine.finish(t)
	return t
}

// thrown turns an error of goja into a Thrown.
func (v *VM) thrown(err error) *Thrown {
	if e, ok := err.(*goja.Exception); ok {
		return v.describe(e.Value())
	}
	return goThrown(v.engine, err)
}

// goThrown is the Thrown of what isn't a JavaScript value.
func goThrown(e *Engine, err error) *Thrown {
	if over, ok := err.(*goja.StackOverflowError); ok {
		t := &Thrown{Name: "RangeError", Message: "Maximum call stack size exceeded", Stack: frames(over.Stack())}
		e.finish(t)
		return t
	}
	return &Thrown{Name: "Error", Message: err.Error()}
}

// frames writes the innermost frames as a stack.
func frames(list []goja.StackFrame) string {
	text := "RangeError: Maximum call stack size exceeded"
	for _, f := range list[:min(len(list), 10)] {
		p := f.Position()
		text += fmt.Sprintf("\n\tat %s (%s:%d:%d(0))", f.FuncName(), p.Filename, p.Line, p.Column)
	}
	return text
}

// newError makes an Error of the description.
func (v *VM) newError(t *Thrown) goja.Value {
	raw, err := json.Marshal(t)
	if err != nil {
		return v.rt.NewTypeError(t.Message)
	}
	made, err := v.glue.error(goja.Undefined(), v.rt.ToValue(string(raw)))
	if err != nil {
		return v.rt.NewTypeError(t.Message)
	}
	return made
}
