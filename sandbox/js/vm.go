package js

import (
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// maxDepth is how deep JavaScript may call before it gets a RangeError. Unwinding an
// overflow through native code takes time with the square of it: a second at 5,000.
const maxDepth = 5_000

// Host is told what happens in a VM. Its methods are called on the VM's loop and
// must not block.
type Host interface {
	// HostCall asks for method; VM.Reply answers it, with the same id.
	HostCall(call, id uint64, method, args string)
	// HostSend tells method and wants no answer. call is 0 outside any call.
	HostSend(call uint64, method, args string)
	// Settled ends a call, once, unless it was aborted: value is JSON text or "" for undefined.
	Settled(call uint64, value string, thrown *Thrown)
}

// VM is a runtime with its event loop. All methods return at once.
type VM struct {
	engine    *Engine
	host      Host
	loop      *loop
	rt        *goja.Runtime
	glue      glue
	calls     map[uint64]*call
	waiting   map[uint64]waiting // host calls without an answer
	lastHost  uint64
	programs  map[string]*loaded
	unseen    map[*goja.Promise]*call // rejected and not yet handled
	fetches   map[uint64]*fetchBody
	lastFetch uint64

	life    int   // how often the runtime has been replaced
	current *call // the call whose code runs, as far as promises and timers tell
	task    *call // the call that the running task began with
	busy    atomic.Pointer[busy]
	done    chan struct{}
}

type busy struct {
	since time.Time
	fn    string
}

type waiting struct {
	call            *call
	resolve, reject func(any) error
}

// NewVM starts a VM.
func (e *Engine) NewVM(host Host) (*VM, error) {
	prelude, err := e.prelude()
	if err != nil {
		return nil, err
	}
	v := &VM{engine: e, host: host, loop: newLoop(), programs: map[string]*loaded{}, done: make(chan struct{})}
	if err := v.boot(prelude); err != nil {
		return nil, err
	}
	go func() {
		defer close(v.done)
		v.loop.run()
	}()
	return v, nil
}

// boot gives the VM a fresh runtime, in which nothing has happened yet.
func (v *VM) boot(prelude []*goja.Program) error {
	v.rt, v.glue = goja.New(), glue{}
	v.calls, v.waiting = map[uint64]*call{}, map[uint64]waiting{}
	v.unseen, v.fetches = map[*goja.Promise]*call{}, map[uint64]*fetchBody{}
	v.rt.SetMaxCallStackSize(maxDepth)
	v.rt.SetAsyncContextTracker(tracker{v})
	v.rt.SetPromiseRejectionTracker(v.trackRejection)
	return v.install(prelude)
}

// Close ends the loop after the task that runs. Calls are not settled.
func (v *VM) Close() { v.loop.close() }

// Done is closed when the loop has ended.
func (v *VM) Done() <-chan struct{} { return v.done }

// Busy says since when one task has blocked the loop, and in which function.
func (v *VM) Busy() (since time.Time, fn string, busy bool) {
	b := v.busy.Load()
	if b == nil {
		return time.Time{}, "", false
	}
	return b.since, b.fn, true
}

// post runs f on the loop as code of c.
func (v *VM) post(c *call, f func() error) { v.loop.post(func() { v.enter(c, f) }) }

// later makes a function, for other goroutines, that posts to the loop as code
// of the current call; it does nothing once the runtime has been replaced.
func (v *VM) later() func(func() error) {
	c, life := v.current, v.life
	return func(f func() error) {
		v.loop.post(func() {
			if v.life == life {
				v.enter(c, f)
			}
		})
	}
}

// enter runs f, which runs JavaScript and all microtasks that follow from it.
func (v *VM) enter(c *call, f func() error) {
	b := &busy{since: time.Now()}
	if c != nil {
		b.fn = c.fn
	}
	v.busy.Store(b)
	v.current, v.task = c, c
	if err := f(); err != nil {
		v.uncaught(v.current, err)
	}
	v.reportRejections()
	v.current, v.task = nil, nil
	v.busy.Store(nil)
}

// tracker carries the call that runs across promises. goja resumes without a
// context for jobs of its own: those belong to the task that they are part of.
type tracker struct{ v *VM }

func (t tracker) Grab() any { return t.v.current }

func (t tracker) Resumed(c any) { t.v.current, _ = c.(*call) }

func (t tracker) Exited() { t.v.current = t.v.task }
