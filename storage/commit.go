package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// change is a commit with what could be encoded before its turn came, in the
// caller's goroutine.
type change struct {
	*engine.Commit
	host     engine.HostID
	messages []string // bodies of Commit.Messages
	items    []string // of Commit.Enqueue
	events   []string // of Commit.Events
	sealed   [][]byte // values of Commit.Env
	done     engine.Committed
}

// Commit applies c whole or not at all (engine.Committer). A caller whose ctx
// ends while its commit waits gets ctx's error and nothing is changed; once the
// commit has begun its outcome is awaited. Committed.Messages has every message
// of c, in c's order.
func (s *Store) Commit(ctx context.Context, c *engine.Commit) (*engine.Committed, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ch, err := s.encodeChange(c)
	if err != nil {
		return nil, s.fault("commit", err)
	}
	if err := s.w.do(ctx, ch.apply); err != nil {
		return nil, err
	}
	return &ch.done, nil
}

func (s *Store) encodeChange(c *engine.Commit) (*change, error) {
	ch := &change{Commit: c, host: s.host.ID()}
	ch.done.Messages = append([]engine.Message(nil), c.Messages...)
	ch.done.Events = append([]engine.Event(nil), c.Events...)
	ch.messages = make([]string, len(c.Messages))
	for i := range c.Messages {
		m := &ch.done.Messages[i]
		if m.ThreadID == "" {
			m.ThreadID = c.Thread
		}
		var err error
		if ch.messages[i], err = encode("message", m); err != nil {
			return nil, err
		}
	}
	for i := range c.Enqueue {
		text, err := encode("queue item", &c.Enqueue[i])
		if err != nil {
			return nil, err
		}
		ch.items = append(ch.items, text)
	}
	ch.events = make([]string, len(c.Events))
	for i := range c.Events {
		if c.Events[i].Volatile() {
			return nil, engine.Errorf(engine.CodeInvalid, "commit", "a %s event is never stored", c.Events[i].Type)
		}
		var err error
		if ch.events[i], err = encode("event", &c.Events[i]); err != nil {
			return nil, err
		}
	}
	if err := checkOutputs(c.Outputs); err != nil {
		return nil, err
	}
	if err := checkFiles(c.Files); err != nil {
		return nil, err
	}
	return ch, s.sealEnv(ch)
}

// apply is the whole of a commit, in the order that engine.Commit documents.
func (ch *change) apply(t *tx) error {
	if err := ch.checkNewTurn(t); err != nil {
		return err
	}
	for i := range ch.Create {
		if err := t.create(&ch.Create[i]); err != nil {
			return err
		}
	}
	var self *threadRow
	if ch.Thread != "" {
		var err error
		if self, err = t.thread(ch.Thread); err != nil {
			return err
		}
		if err = ch.applyThread(t, self); err != nil {
			return err
		}
	}
	for _, step := range []func(t *tx, self *threadRow) error{
		ch.applyMessages, ch.applyQueue, ch.applyValues, ch.applyEnv, ch.applyOutputs, ch.applySignals, ch.applyRequests, ch.applyEffects, ch.applyFiles, ch.applyEvents,
	} {
		if err := step(t, self); err != nil {
			return err
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	return t.delete(ch.Delete)
}

func (ch *change) checkNewTurn(t *tx) error {
	if ch.NewTurn == "" {
		return nil
	}
	u, err := t.turn(ch.NewTurn)
	if err != nil {
		return err
	}
	if u.read != nil {
		return engine.Errorf(engine.CodeConflict, "commit", "turn %s exists already", ch.NewTurn)
	}
	return nil
}

// applyThread checks and changes the thread's lease and its own columns.
func (ch *change) applyThread(t *tx, self *threadRow) error {
	if ch.Live && self.terminated != 0 {
		return engine.Errorf(engine.CodeConflict, "commit", "thread %s is terminated", self.id)
	}
	switch {
	case ch.Claim != nil:
		if err := ch.claim(t, self); err != nil {
			return err
		}
	case ch.Fence != 0:
		if self.fence != ch.Fence || self.owner != ch.host || ch.host == "" {
			return leaseLost(self.id)
		}
		self.checked = true
	}
	if ch.Exec != nil {
		self.active, self.state, self.dirty = ch.Exec.Active, ch.Exec.State, true
		if self.state == nil {
			self.state = []byte("null") // replaces what is there
		}
	}
	if ch.Agent != "" {
		self.agent, self.dirty = ch.Agent, true
	}
	if ch.Terminate != 0 {
		self.terminated, self.dirty = ch.Terminate, true
	}
	if ch.Release {
		self.owner, self.dirty = "", true
	}
	ch.done.Fence = self.fence
	return nil
}

// claim takes the lease: nobody else may have claimed the thread since it was
// read, and no other host may be alive that holds it.
func (ch *change) claim(t *tx, self *threadRow) error {
	if ch.host == "" {
		return engine.Errorf(engine.CodeInvalid, "claim thread", "this process isn't registered as a host")
	}
	if self.owner != "" && self.owner != ch.host {
		alive, err := t.s.alive(t.c, self.owner)
		if err != nil {
			return err
		}
		if alive {
			return engine.Errorf(engine.CodeBusy, "claim thread", "thread %s runs in another sideb process", self.id)
		}
	}
	if self.fence != ch.Claim.Fence {
		return engine.Errorf(engine.CodeConflict, "claim thread", "another process claimed thread %s meanwhile", self.id)
	}
	self.fence++
	self.owner, self.dirty, self.checked = ch.host, true, true
	return nil
}
