package engine

import (
	"context"
	"errors"
	"sync"
	"time"
)

// host is this process in the role of running threads. One goroutine scans for
// work when it is poked; each thread with work has a goroutine of its own, which
// ends when the thread rests.
type host struct {
	e      *Engine
	id     HostID
	scope  HostScope
	ctx    context.Context // ends with Stop; the parent of every thread's
	cancel context.CancelCauseFunc
	pokes  chan struct{}
	failed chan struct{} // something ended with an error: look again soon
	wg     sync.WaitGroup
}

// errStopping is the cause of calls that end because the host goes away; what
// was open is left for the next host.
var errStopping = errors.New("the host is stopping")

const (
	// lookAnyway is how long a host rests at most: clocks jump when a computer
	// sleeps.
	lookAnyway = 30 * time.Second
	// lookAgain is how soon it looks again after something failed; twice as long
	// each time that it does.
	lookAgain = 250 * time.Millisecond
)

// Start registers this process as a host of scope and runs its threads until
// Stop.
func (e *Engine) Start(ctx context.Context, scope HostScope) error {
	id, err := e.c.Store.Register(ctx, scope)
	if err != nil {
		return err
	}
	h := &host{e: e, id: id, scope: scope, pokes: make(chan struct{}, 1), failed: make(chan struct{}, 1)}
	h.ctx, h.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	e.mu.Lock()
	if e.host != nil {
		e.mu.Unlock()
		return Errorf(CodeConflict, "start host", "this engine hosts already")
	}
	e.host = h
	e.mu.Unlock()
	e.relay()
	h.wg.Add(1)
	go h.loop()
	h.poke()
	return nil
}

// Stop interrupts nothing durable: it aborts calls in flight, releases every
// lease and waits for the threads to end. What was open is taken up by the next
// host.
func (e *Engine) Stop(ctx context.Context) error {
	e.mu.Lock()
	h := e.host
	e.mu.Unlock()
	if h == nil {
		return nil
	}
	h.cancel(errStopping)
	ended := make(chan struct{})
	go func() { h.wg.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *host) poke() {
	select {
	case h.pokes <- struct{}{}:
	default:
	}
}

// loop looks for work when something tells that there may be some: a commit of
// this process that pokes, one of another or the death of another host (the
// store's Changes), or the time of an effect. A host at rest does nothing.
func (h *host) loop() {
	defer h.wg.Done()
	retry := lookAgain
	for h.ctx.Err() == nil {
		wait, err := h.scan()
		if err != nil && h.ctx.Err() == nil {
			h.e.c.Logf("scan for work: %v", err)
			h.fail()
		}
		retry = h.rest(wait, retry)
	}
}

// rest returns when it is time to look again: when poked, after wait, or sooner
// where something failed. It returns how long to rest after the next failure.
func (h *host) rest(wait, retry time.Duration) time.Duration {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-h.pokes:
			return lookAgain
		case <-h.failed:
			timer.Reset(min(wait, retry))
			retry = min(2*retry, lookAnyway)
		case <-timer.C:
			return retry
		case <-h.ctx.Done():
			return retry
		}
	}
}

// fail makes the host look again soon although nothing pokes it.
func (h *host) fail() {
	select {
	case h.failed <- struct{}{}:
	default:
	}
}

// scan starts what can run and hands pending signals to whom they concern. It
// returns for how long there is nothing more to do.
func (h *host) scan() (time.Duration, error) {
	ids, err := h.e.c.Store.Runnable(h.ctx, h.scope)
	if err != nil {
		return lookAnyway, err
	}
	for _, id := range ids {
		h.e.wake(id)
	}
	now := MicrosOf(h.e.c.Now())
	due, next, err := h.e.c.Store.Due(h.ctx, h.scope, now)
	if err != nil {
		return lookAnyway, err
	}
	for i := range due {
		h.e.wakeFor(due[i].ThreadID, func(r *runner) { r.due = true })
	}
	signals, err := h.e.c.Store.Signals(h.ctx)
	if err != nil {
		return lookAnyway, err
	}
	for i := range signals {
		if signals[i].Kind == SignalTerminate { // one that no client left: the parent's end
			if err := h.e.Control().Terminate(h.ctx, signals[i].ThreadID); err != nil {
				return lookAnyway, err
			}
		}
		h.e.signal(&signals[i])
	}
	if next == 0 {
		return lookAnyway, nil
	}
	return min(lookAnyway, time.Duration(next-now)*time.Microsecond), nil
}

// maxConflicts is how often a flow that met another's change begins again.
const maxConflicts = 10

// runner is the one flow of a thread in this process.
type runner struct {
	id    ThreadID
	again bool // work came while it ran; guarded by Engine.mu

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the call in flight
	signal *Signal                 // intent that the flow hasn't seen to yet
	seen   int64                   // id of the newest stored intent that was seen to
	due    bool                    // effects are due
}

// begin makes the context of one call, which an interrupt ends.
func (r *runner) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	r.cancel = cancel
	if r.signal != nil {
		cancel(errInterrupted)
	}
	r.mu.Unlock()
	return ctx, func() {
		r.mu.Lock()
		r.cancel = nil
		r.mu.Unlock()
		cancel(nil)
	}
}

// pending is the intent to see to, nil for none.
func (r *runner) pending() *Signal {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signal
}

// takeDue reports, once, whether effects are due.
func (r *runner) takeDue() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.due
	r.due = false
	return was
}

// handled forgets the intent that was seen to.
func (r *runner) handled(s *Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = max(r.seen, s.ID)
	if r.signal == s {
		r.signal = nil
	}
}

// news reports, once, whether work came since it was last asked.
func (e *Engine) news(r *runner) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	was := r.again
	r.again = false
	return was
}

// wake makes sure that the thread runs, if this process hosts it.
func (e *Engine) wake(id ThreadID) { e.wakeFor(id, func(*runner) {}) }

// wakeFor is wake that first tells the thread's runner why.
func (e *Engine) wakeFor(id ThreadID, tell func(*runner)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.host
	if h == nil || h.ctx.Err() != nil {
		return
	}
	if r := e.running[id]; r != nil {
		r.mu.Lock()
		tell(r)
		r.mu.Unlock()
		r.again = true
		return
	}
	r := &runner{id: id}
	tell(r)
	e.running[id] = r
	h.wg.Add(1)
	go h.run(r)
}

// run drives the thread until it rests. Work that arrives between the last look
// at the queue and the end is seen by again.
func (h *host) run(r *runner) {
	defer h.wg.Done()
	for conflicts := 0; ; {
		err := h.e.drive(h.ctx, r)
		if CodeOf(err) == CodeConflict && conflicts < maxConflicts {
			// Somebody changed what the commit was made from, such as the queue:
			// read it again. Where the thread was lost, that says so.
			conflicts++
			continue
		}
		h.e.mu.Lock()
		fault := h.e.fault(r.id, err)
		over := !r.again || err != nil || h.ctx.Err() != nil
		if over {
			delete(h.e.running, r.id)
		}
		r.again = false
		h.e.mu.Unlock()
		if fault {
			h.e.broker.poke() // no event tells of it
		}
		if err != nil {
			h.fail() // what it has to do may still be there
		}
		if over {
			return
		}
	}
}

// fault remembers why a thread couldn't go on, for those who wait for it, and
// reports whether it is one. Losing the thread to another host is none. The caller
// holds mu.
func (e *Engine) fault(id ThreadID, err error) bool {
	switch {
	case err == nil:
		delete(e.faults, id)
	case errors.Is(err, errStopping), CodeOf(err) == CodeBusy, CodeOf(err) == CodeConflict:
	default:
		e.faults[id] = err
		e.c.Logf("thread %s: %v", id, err)
		return true
	}
	return false
}

// signal delivers an intent to the running thread, or starts one so that it is
// recorded.
func (e *Engine) signal(s *Signal) {
	e.mu.Lock()
	r := e.running[s.ThreadID]
	e.mu.Unlock()
	if r == nil {
		e.wake(s.ThreadID)
		e.mu.Lock()
		r = e.running[s.ThreadID]
		e.mu.Unlock()
	}
	if r != nil {
		r.interrupt(s)
	}
}

// interrupt aborts the call in flight; the flow sees the signal next.
func (r *runner) interrupt(s *Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.ID != 0 && s.ID <= r.seen {
		return // read before the commit that saw to it
	}
	if r.signal == nil || r.signal.ID == 0 || s.Kind == SignalTerminate {
		r.signal = s
	}
	if r.cancel != nil {
		r.cancel(errInterrupted)
	}
}

var errInterrupted = errors.New("interrupted")
