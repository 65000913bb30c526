package js

import (
	"errors"
	"strconv"

	"github.com/dop251/goja"
)

// call is one call of an exported function.
type call struct {
	id  uint64
	fn  string
	env *goja.Object
}

// loaded is a program as one VM sees it.
type loaded struct {
	program *Program
	exports goja.Value
	thrown  *Thrown
	done    bool
	report  func(*Thrown) // told of the first evaluation's end
	then    []func()      // what waits for its evaluation
}

func (l *loaded) finish(t *Thrown) {
	if l.done {
		return
	}
	l.done, l.thrown = true, t
	if l.report != nil {
		l.report(t)
		l.report = nil
	}
	for _, f := range l.then {
		f()
	}
	l.then = nil
}

// Load evaluates p as the program name; done is called on the loop when its
// top-level code, awaits included, has ended.
func (v *VM) Load(name string, p *Program, done func(*Thrown)) {
	v.post(nil, func() error {
		l := &loaded{program: p, report: done}
		v.programs[name] = l
		return v.evaluate(l)
	})
}

func (v *VM) evaluate(l *loaded) error {
	if l.done {
		return nil
	}
	main, err := v.rt.RunProgram(l.program.code)
	if err != nil {
		l.finish(v.thrown(err))
		return nil
	}
	register := func(c goja.FunctionCall) goja.Value {
		l.exports = c.Argument(0)
		return goja.Undefined()
	}
	settle := func(c goja.FunctionCall) goja.Value {
		if c.Argument(0).ToBoolean() {
			l.finish(nil)
		} else {
			l.finish(v.describe(c.Argument(1)))
		}
		return goja.Undefined()
	}
	_, err = v.glue.load(goja.Undefined(), main, v.rt.ToValue(register), v.rt.ToValue(settle))
	if err != nil {
		l.finish(v.thrown(err))
	}
	return nil
}

// Unload forgets a program. Code of it that runs goes on.
func (v *VM) Unload(name string) {
	v.loop.post(func() { delete(v.programs, name) })
}

// Call calls fn of program with args, JSON text of an array. Host.Settled tells
// how it ended. A call waits for its program's evaluation.
func (v *VM) Call(id uint64, program, fn, args string) {
	c := &call{id: id, fn: fn}
	v.post(c, func() error {
		v.calls[id] = c
		l := v.programs[program]
		switch {
		case l == nil:
			v.settle(c, "", &Thrown{Name: "ReferenceError", Message: "no program " + strconv.Quote(program) + " is loaded"})
		case !l.done:
			l.then = append(l.then, func() { v.post(c, func() error { return v.begin(c, l, args) }) })
		default:
			return v.begin(c, l, args)
		}
		return nil
	})
}

func (v *VM) begin(c *call, l *loaded, args string) error {
	if v.calls[c.id] == nil {
		return nil // aborted while it waited
	}
	if l.thrown != nil {
		v.settle(c, "", l.thrown)
		return nil
	}
	exports := l.exports
	if exports == nil {
		exports = goja.Undefined()
	}
	env, err := v.glue.begin(goja.Undefined(), v.rt.ToValue(c.id))
	if err != nil {
		return err
	}
	c.env = env.ToObject(v.rt)
	_, err = v.glue.call(goja.Undefined(), exports, v.rt.ToValue(c.fn), v.rt.ToValue(args), env)
	return err
}

// Abort fires the call's AbortSignal and forgets the call: its code may go on, but
// it can't reach the host any more and Host.Settled isn't called.
func (v *VM) Abort(id uint64, reason string) {
	v.loop.post(func() {
		c := v.calls[id]
		if c == nil {
			return
		}
		delete(v.calls, id)
		if c.env == nil {
			return // it hasn't begun
		}
		v.enter(c, func() error {
			_, err := v.glue.abort(goja.Undefined(), c.env, v.rt.ToValue(reason))
			return err
		})
	})
}

// settle ends c, once.
func (v *VM) settle(c *call, value string, t *Thrown) {
	if v.calls[c.id] != c {
		return
	}
	delete(v.calls, c.id)
	v.host.Settled(c.id, value, t)
}

// Reply answers a host call with JSON text ("" is undefined) or an error.
func (v *VM) Reply(id uint64, value string, fail *Thrown) {
	v.loop.post(func() {
		w, ok := v.waiting[id]
		if !ok {
			return
		}
		delete(v.waiting, id)
		v.enter(w.call, func() error {
			if fail != nil {
				return w.reject(v.newError(fail))
			}
			if value == "" {
				return w.resolve(goja.Undefined())
			}
			parsed, err := v.glue.parse(goja.Undefined(), v.rt.ToValue(value))
			if err != nil {
				return w.reject(v.newError(v.thrown(err)))
			}
			return w.resolve(parsed)
		})
	})
}

// uncaught handles what no code caught. A stack overflow can't be caught by
// JavaScript, so it ends the call that ran; anything else is printed.
func (v *VM) uncaught(c *call, err error) {
	t := v.thrown(err)
	var thrown *goja.Exception
	if errors.As(err, &thrown) {
		v.print(c, "error", "Uncaught "+orMessage(t))
		return
	}
	if c != nil {
		v.settle(c, "", t)
	} else {
		v.print(nil, "error", "Uncaught "+orMessage(t))
	}
	if !v.sound() {
		v.replace(t)
	}
}

// sound tells whether promises still move on. An overflow inside an async
// function leaves goja's call stack behind, and then no job is ever run again.
func (v *VM) sound() bool {
	moved := false
	p, resolve, _ := v.rt.NewPromise()
	then, ok := goja.AssertFunction(v.rt.ToValue(p).ToObject(v.rt).Get("then"))
	if !ok {
		return false
	}
	_, err := then(v.rt.ToValue(p), v.rt.ToValue(func(goja.FunctionCall) goja.Value {
		moved = true
		return goja.Undefined()
	}))
	return err == nil && resolve(nil) == nil && moved
}

// replace starts anew with a fresh runtime: open calls end, programs are
// evaluated again.
func (v *VM) replace(why *Thrown) {
	for _, c := range v.calls {
		v.settle(c, "", &Thrown{Name: "Error", Code: "vm_replaced",
			Message: "another call on the same event loop ended it (" + why.Message + ")"})
	}
	for id := range v.fetches {
		v.endFetch(id)
	}
	v.loop.clear()
	v.life++
	prelude, err := v.engine.prelude()
	if err == nil {
		err = v.boot(prelude)
	}
	if err != nil {
		panic(err) // it has worked before: the process is beyond help
	}
	for _, l := range v.programs {
		l.exports = nil
		if !l.done && v.current == nil {
			l.finish(why) // its own top-level code did it, and would again
			continue
		}
		l.done, l.thrown = false, nil
		v.post(nil, func() error { return v.evaluate(l) })
	}
}

func orMessage(t *Thrown) string {
	if t.Stack != "" {
		return t.Stack
	}
	return t.Error()
}

func (v *VM) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		v.unseen[p] = v.current
	} else {
		delete(v.unseen, p)
	}
}

// reportRejections prints the rejections that nothing handled by the end of the task.
func (v *VM) reportRejections() {
	for p, c := range v.unseen {
		delete(v.unseen, p)
		v.print(c, "error", "Unhandled rejection: "+orMessage(v.describe(p.Result())))
	}
}
