package engine

import (
	"context"
	"sync"
)

// frame is one running call: a tool of a step, or one nested in it by a
// sub-prompt or by invokeTool. Nested frames share the step's root.
type frame struct {
	x       *execution
	root    *frame     // the step's call itself
	prompt  *Prompt    // whose tool list binds the call
	message MessageID  // id that the call's result has or would have: parent of a sub-prompt's messages
	path    []string   // prompt path, the root's name first
	depth   int        // nesting
	effect  *Scheduled // the call is an effect, not nil: the thread rests
	outside bool       // the call belongs to no execution
	hook    bool       // the call is a hook: what it changes runs no message hooks

	mu     sync.Mutex     // of the root: guards the fields below
	uses   sync.WaitGroup // uses of the call's ThreadState in progress
	closed bool
	change Commit   // events, threads and messages to others that commit with the call's result
	waits  *waiting // the step's call is a blocking child, whose result comes later
}

func newFrame(x *execution, p *Prompt, result MessageID, path ...string) *frame {
	f := &frame{x: x, prompt: p, message: result, path: path}
	f.root = f
	return f
}

// nested is a frame for a call that this one makes under prompt p.
func (f *frame) nested(p *Prompt, result MessageID, path []string) *frame {
	return &frame{x: f.x, root: f.root, prompt: p, message: result, path: path, depth: f.depth + 1}
}

// tell adds an event to the commit of the call's result.
func (f *frame) tell(ev Event) { f.add(Commit{Events: []Event{ev}}) }

// add lays c's lists onto the commit of the call's result.
func (f *frame) add(c Commit) {
	r := f.root
	r.mu.Lock()
	defer r.mu.Unlock()
	r.change.Create = append(r.change.Create, c.Create...)
	r.change.Env = append(r.change.Env, c.Env...)
	r.change.Requests = append(r.change.Requests, c.Requests...)
	r.change.Enqueue = append(r.change.Enqueue, c.Enqueue...)
	r.change.Files = append(r.change.Files, c.Files...)
	r.change.Events = append(r.change.Events, c.Events...)
}

// take hands over what was added.
func (f *frame) take() *Commit {
	r := f.root
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.change
	r.change = Commit{}
	return &c
}

// enter begins one use of the call's ThreadState; it fails once the call is
// over, so that a script that goes on by itself changes nothing any more.
func (f *frame) enter(op string) (leave func(), err error) {
	r := f.root
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, Errorf(CodeConflict, op, "the call that this state belongs to is over")
	}
	r.uses.Add(1)
	return r.uses.Done, nil
}

// close ends the call's ThreadState and waits for uses in progress, which the
// end of the call's context has ended.
func (f *frame) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.uses.Wait()
}

// record commits messages and facts while a call runs: a lease-checked commit of
// its own, durable before it returns (invariant 4). While the flow settles (a hook
// runs) the thread's own state isn't whole yet and stays as it was stored.
func (x *execution) record(ctx context.Context, c *Commit, messages ...*Message) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.settling {
		return x.recordLocked(ctx, c, nil, messages)
	}
	exec, err := x.snap.state.encode()
	if err != nil {
		return err
	}
	return x.recordLocked(ctx, c, exec, messages)
}

func (x *execution) recordLocked(ctx context.Context, c *Commit, exec *Exec, messages []*Message) error {
	for _, m := range messages {
		c.Messages = append(c.Messages, *m)
	}
	c.Exec = exec
	if err := x.commitLocked(ctx, c); err != nil {
		return err
	}
	for _, m := range messages {
		x.replace(m)
	}
	return nil
}

// create is record for messages that are new, with their hooks.
func (f *frame) create(ctx context.Context, c *Commit, messages ...*Message) error {
	if f.root.hook {
		return f.x.record(ctx, c, messages...)
	}
	events, err := f.x.createHooks(ctx, messages)
	for _, ev := range events {
		f.tell(ev)
	}
	if err != nil {
		return err
	}
	if err := f.x.record(ctx, c, messages...); err != nil {
		return err
	}
	for _, ev := range f.x.createdHooks(ctx, messages) {
		f.tell(ev)
	}
	return nil
}

// replace puts m into the history, in place of the message with its id.
func (x *execution) replace(m *Message) {
	for i := len(x.history) - 1; i >= 0; i-- {
		if x.history[i].ID == m.ID {
			if x.snap.step == x.history[i] {
				x.snap.step = m
			}
			x.history[i] = m // not in place: a request may be reading the old one
			return
		}
	}
	x.history = append(x.history, m)
}

// messages is a copy of the history.
func (x *execution) messages() []*Message {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]*Message(nil), x.history...)
}
