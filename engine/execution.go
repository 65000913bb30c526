package engine

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
)

// execution is one host's hold on one thread, from the first commit that claims
// it to the last, which releases it. Its flow runs on one goroutine; the methods
// of ThreadState touch it from others and take mu.
type execution struct {
	e       *Engine
	r       *runner
	claim   Fence // fence that was read; the first commit claims with it
	title   bool  // the thread has a title
	resumed bool  // another owner began the execution; told with the first commit

	snap    snapshot
	history []*Message // all messages of the thread in order
	dirty   []*Message // of these, what the next commit stores
	created []*Message // of these, what is new
	answer  MessageID  // id of the model's next message, announced; "" before
	told    ToolCallID // the call that was announced

	born      bool // the thread runs for the first time: its creation hooks are due
	abandoned bool // the parent doesn't wait for this execution any more
	ended     Side // that spoke when the execution ended
	lastTurn  TurnID
	lastRun   RunID // of the execution that ended
	children  bool  // the thread has a child registry

	settling bool // the snapshot is ahead of what is stored; guarded by mu

	mu         sync.Mutex // guards fence, history, context, pins, images, and state's fields that ThreadState sets
	fence      Fence
	context    jsonObject
	pins       map[string]bool // files that the commit of the running call copies
	images     pictures        // what was loaded for requests
	imagesSize int
}

// drive runs a thread until it rests, is lost to another owner, or the host
// stops. A Go error means that it couldn't go on; what happened so far is
// durable.
func (e *Engine) drive(ctx context.Context, r *runner) error {
	x, err := e.open(ctx, r)
	if err != nil || x == nil {
		return err
	}
	c := &Commit{}
	for {
		next, err := x.settle(ctx, c)
		if err != nil {
			return err
		}
		c = &Commit{}
		if e.news(r) && ctx.Err() == nil {
			continue // a message came while the commit was on its way
		}
		switch a := next.(type) {
		case actModel:
			c, err = x.modelStep(ctx)
		case actTool:
			c, err = x.toolStep(ctx, a.call)
		case actEffect:
			c, err = x.effectStep(ctx, a.effect)
		default:
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// open reads the thread. It returns nil where there is nothing that this host
// should do.
func (e *Engine) open(ctx context.Context, r *runner) (*execution, error) {
	rec, err := e.c.Store.Thread(ctx, r.id)
	if err != nil {
		if CodeOf(err) == CodeNotFound {
			return nil, nil
		}
		return nil, err
	}
	e.mu.Lock()
	scope, self := e.host.scope, e.host.id
	e.mu.Unlock()
	if rec.Project != scope.Project || scope.Session != "" && rec.SessionID != scope.Session {
		return nil, nil
	}
	x := &execution{e: e, r: r, claim: rec.Fence, context: jsonObject{}}
	x.snap.thread = rec.Thread
	if rec.Owner != "" && rec.Owner != self {
		if rec, err = x.takeOver(ctx); err != nil {
			return nil, err
		}
	}
	x.snap.thread, x.title = rec.Thread, rec.Read.Title != ""
	if x.snap.state, err = decodeExec(rec.Exec); err != nil {
		return nil, err
	}
	if err := x.loadQueue(ctx); err != nil {
		return nil, err
	}
	if err := x.loadDue(ctx); err != nil {
		return nil, err
	}
	if x.snap.state.RunID == "" && len(x.snap.queue) == 0 && len(x.snap.due) == 0 {
		if err := x.dropSignal(ctx); err != nil || x.fence == 0 {
			return nil, err
		}
		return nil, x.lease(ctx, &Commit{Release: true})
	}
	x.resumed = x.snap.state.active()
	if err := x.loadChildren(ctx); err != nil {
		return nil, err
	}
	return x, x.loadHistory(ctx)
}

// takeOver claims a thread that another host held when it was read, and reads it
// again: up to its end that host may have committed more, under the same fence.
func (x *execution) takeOver(ctx context.Context) (*ThreadRecord, error) {
	if err := x.lease(ctx, &Commit{}); err != nil {
		return nil, err
	}
	return x.e.c.Store.Thread(ctx, x.snap.thread.ID)
}

// lease commits what changes nothing but who has the thread.
func (x *execution) lease(ctx context.Context, c *Commit) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.commitLocked(ctx, c)
}

func (x *execution) loadChildren(ctx context.Context) error {
	list, err := x.e.c.Store.Children(ctx, x.snap.thread.ID)
	x.children = len(list) > 0
	return err
}

// dropSignal forgets an intent for a thread that doesn't run.
func (x *execution) dropSignal(ctx context.Context) error {
	s := x.r.pending()
	if s == nil {
		return nil
	}
	x.r.handled(s)
	if s.ID == 0 {
		return nil
	}
	_, err := x.e.commit(ctx, &Commit{Handled: []int64{s.ID}})
	return err
}

func (x *execution) loadQueue(ctx context.Context) (err error) {
	x.snap.queue, err = x.e.c.Store.Queue(ctx, x.snap.thread.ID)
	return err
}

// loadDue finds the thread's effects whose time has come, where the host's scan
// said that there are any.
func (x *execution) loadDue(ctx context.Context) error {
	if !x.r.takeDue() {
		return nil
	}
	list, err := x.e.c.Store.Scheduled(ctx, x.snap.thread.ID, "")
	now := MicrosOf(x.e.c.Now())
	for i := range list {
		if list[i].State == EffectPending && list[i].At <= now {
			x.snap.due = append(x.snap.due, list[i])
		}
	}
	return err
}

func (x *execution) loadHistory(ctx context.Context) error {
	page, err := x.e.c.Store.Messages(ctx, MessageQuery{
		Thread: x.snap.thread.ID, Limit: -1, IncludeSilent: true, MaxDepth: -1,
	})
	if err != nil {
		return err
	}
	x.history = make([]*Message, len(page.Messages))
	for i := range page.Messages {
		x.history[i] = &page.Messages[i]
	}
	x.openStep()
	return nil
}

// openStep finds the open step's message and the results that it has.
func (x *execution) openStep() {
	s := &x.snap
	s.step, s.done, s.before = nil, nil, nil
	if s.state.StepMessage == "" {
		return
	}
	i := slices.IndexFunc(x.history, func(m *Message) bool { return m.ID == s.state.StepMessage })
	if i < 0 {
		s.state.StepMessage = ""
		return
	}
	s.step = x.history[i]
	if root := slices.IndexFunc(x.history, func(m *Message) bool { return m.ID == s.state.StepRoot }); root >= 0 {
		for _, m := range x.history[root:i] {
			if m.Depth == 0 {
				s.before = append(s.before, m)
			}
		}
	}
	calls := make(map[ToolCallID]bool, len(s.step.ToolCalls))
	for _, c := range s.step.ToolCalls {
		calls[c.ID] = true
	}
	for _, m := range x.history[i+1:] {
		if m.Role == RoleTool && m.Depth == 0 && calls[m.ToolCallID] {
			s.done = append(s.done, m)
		}
	}
}

// handled records that the pending intent was seen to.
func (x *execution) handled(c *Commit) {
	s := x.snap.cancel
	if s == nil {
		return
	}
	if s.ID != 0 {
		c.Handled = append(c.Handled, s.ID)
	}
	x.r.handled(s)
	x.snap.cancel = nil
}

// settle makes every transition that needs nothing from outside, commits them
// together with what the last call came to, announces the next call in the same
// transaction, and returns it. c holds what the last call came to.
func (x *execution) settle(ctx context.Context, c *Commit) (action, error) {
	x.mu.Lock()
	x.settling = true
	x.mu.Unlock()
	for {
		if err := x.prepare(ctx, c); err != nil {
			return nil, err
		}
		if x.resumed {
			x.resumed = false
			c.Events = append(c.Events, x.event(EventRunStatus, "running",
				RunPayload{Agent: x.snap.thread.Agent, Side: x.snap.state.Side, Prompt: x.promptName(), Resumed: true}))
		}
		next := plan(&x.snap)
		if takesQueue(next) && len(c.Events)+len(x.dirty) > 0 {
			// What has happened is durable before anything is taken from the
			// queue: somebody may take it away meanwhile, and that must cost
			// nothing but another look.
			if err := x.commit(ctx, c); err != nil {
				return nil, err
			}
			*c = Commit{}
			x.mu.Lock()
			x.settling = true
			x.mu.Unlock()
			continue
		}
		switch a := next.(type) {
		case actStart:
			x.start(c)
			x.birthHooks(ctx, c)
		case actInject:
			x.inject(c)
		case actLost:
			x.lost(c, a.call)
		case actDeliver:
			x.deliver(ctx, c, a.call, a.item)
		case actQueued:
			x.queuedTools(c, a.tools)
		case actBoot:
			x.snap.state.Boot = false
			x.snap.state.Queued = append(x.snap.state.Queued, x.immediates(ctx)...)
		case actHandoff:
			x.handoff(c, a.to)
		case actYield:
			x.closeStep()
			x.snap.state.countSideTurn()
			x.snap.state.Side, x.snap.state.Force = a.next, ""
		case actContinue:
			x.closeStep()
			x.snap.state.Force = ""
		case actEnd:
			x.end(ctx, c, a.verdict)
		case actEffect:
			if ctx.Err() != nil {
				c.Release = true
				next = actRest{}
			}
			return next, x.commit(ctx, c)
		case actModel, actTool:
			if t, ok := next.(actTool); ok && len(c.Create) < spawnBatch && x.spawnsOnly(ctx, t.call) {
				x.spawnInline(ctx, c, t.call)
				continue
			}
			if ctx.Err() != nil { // the host stops: what is next is for another
				c.Release = true
				return actRest{}, x.commit(ctx, c)
			}
			x.announce(c, next)
			return next, x.commit(ctx, c)
		case actRest, actWait:
			x.handled(c)
			c.Release = true
			return next, x.commit(ctx, c)
		}
	}
}

// prepare brings the snapshot up to date with what others want of the thread:
// their messages (between steps, where they count) and intents.
func (x *execution) prepare(ctx context.Context, c *Commit) error {
	s := &x.snap
	if s.cancel == nil {
		s.cancel = x.r.pending()
	}
	if i := s.cancel; i != nil && i.Kind == SignalInterrupt && i.TurnID != "" && s.state.RunID != "" && !slices.Contains(s.state.Turns, i.TurnID) {
		x.handled(c) // the turn that it was meant for has ended
	}
	if s.cancel != nil && s.cancel.Kind == SignalTerminate && s.thread.Terminated == 0 {
		s.thread.Terminated = s.cancel.CreatedAt
	}
	x.abandoned = x.abandoned || s.cancel != nil && s.cancel.Kind == SignalAbandon
	s.agent = x.e.c.Project.Definitions().Agents[s.thread.Agent]
	if s.agent == nil && (s.state.RunID != "" || len(s.queue) > 0) {
		s.agent = &Agent{Name: s.thread.Agent, Type: AIHuman, SideA: SideConfig{StopOnResponse: true}}
	}
	if s.step != nil && s.state.Waiting == nil || len(c.Dequeue) > 0 {
		return nil
	}
	return x.loadQueue(ctx)
}

// commit makes c durable under the lease, claiming it first where this is the
// first commit.
func (x *execution) commit(ctx context.Context, c *Commit) error {
	created := x.created
	x.created = nil
	if len(created) > 0 && len(x.hooks(hookBeforeCreate)) > 0 {
		events, err := x.createHooks(ctx, created)
		c.Events = append(c.Events, events...)
		if err != nil {
			x.warn(c, "a before_create_message hook failed and the message was stored as it was: "+err.Error())
		}
	}
	if !x.hooksAfter(c, created) {
		return x.store(ctx, c)
	}
	release := c.Release
	c.Release = false // the hooks may change the thread: it stays this host's until they are done
	if err := x.store(ctx, c); err != nil {
		return err
	}
	events := append(x.createdHooks(ctx, created), x.childHooks(ctx, c.Create)...)
	return x.record(ctx, &Commit{Events: events, Release: release})
}

// hooksAfter reports whether hooks run once c is durable.
func (x *execution) hooksAfter(c *Commit, created []*Message) bool {
	return len(created) > 0 && len(x.hooks(hookAfterCreate)) > 0 || len(c.Create) > 0 && len(x.hooks(hookSubagentCreated)) > 0
}

func (x *execution) store(ctx context.Context, c *Commit) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.settling = false
	if c.Release && x.fence == 0 && len(c.Events) == 0 && len(c.Handled) == 0 {
		return nil // nothing was claimed and nothing happened
	}
	if len(c.Events) == 0 && len(x.dirty) == 0 && len(c.Dequeue) == 0 && len(c.Handled) == 0 && !c.Release {
		return nil // the call was announced before
	}
	exec, err := x.snap.state.encode()
	if err != nil {
		return err
	}
	c.Exec = exec
	for _, m := range x.dirty {
		c.Messages = append(c.Messages, *m)
	}
	if err := x.commitLocked(ctx, c); err != nil {
		return err
	}
	x.dirty = x.dirty[:0]
	return nil
}

func (x *execution) commitLocked(ctx context.Context, c *Commit) error {
	c.Thread = x.snap.thread.ID
	if x.fence != 0 {
		c.Fence = x.fence
	} else {
		c.Claim = &Claim{Fence: x.claim}
	}
	done, err := x.e.commit(ctx, c)
	if err != nil {
		return err
	}
	x.unpinLocked(c)
	x.fence = done.Fence
	if c.Release {
		x.claim, x.fence = done.Fence, 0
	}
	return nil
}

// put adds a message to the history, or marks one of it as changed; the next
// commit stores it.
func (x *execution) put(m *Message) {
	if slices.Contains(x.dirty, m) {
		return
	}
	if !x.has(m) {
		x.history = append(x.history, m)
		x.created = append(x.created, m)
	}
	x.dirty = append(x.dirty, m)
}

// has looks for m from the end, where what changes is.
func (x *execution) has(m *Message) bool {
	for i := len(x.history) - 1; i >= 0; i-- {
		if x.history[i] == m {
			return true
		}
	}
	return false
}

func takesQueue(a action) bool {
	switch a.(type) {
	case actStart, actInject:
		return true
	default:
		return false
	}
}

func (x *execution) announce(c *Commit, next action) {
	switch a := next.(type) {
	case actModel:
		x.announceModel(c)
	case actTool:
		x.announceTool(c, a.call)
	}
}

// event makes an event of this thread with the ids that apply.
func (x *execution) event(t EventType, status string, payload any) Event {
	b, err := json.Marshal(payload)
	if err != nil {
		b = nil
	}
	s := &x.snap
	return Event{Type: t, SessionID: s.thread.SessionID, ThreadID: s.thread.ID,
		TurnID: s.state.turn(), RunID: s.state.RunID, Status: status, Payload: b}
}

// message makes a message of this thread at depth 0.
func (x *execution) message(id MessageID, role Role) Message {
	return Message{ID: id, ThreadID: x.snap.thread.ID, Role: role, Status: MessageCompleted,
		CreatedAt: MicrosOf(x.e.c.Now()), TurnID: x.snap.state.turn(), RunID: x.snap.state.RunID}
}

func (x *execution) newMessageID() MessageID { return MessageID(x.e.c.NewID()) }

// warn records a warning in the next commit.
func (x *execution) warn(c *Commit, message string) {
	c.Events = append(c.Events, x.event(EventRuntimeWarning, "", WarningPayload{Message: message}))
}
