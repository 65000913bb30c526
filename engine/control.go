package engine

import (
	"context"
	"encoding/json"
	"strings"
)

// ControlPlane is the only way to change runtime state from outside a step (agent
// runtime §3). CLI, TUI and HTTP are its clients; each declares the few methods
// that it uses as an interface of its own.
type ControlPlane struct{ e *Engine }

// CreateThread is the input of ControlPlane.CreateThread.
type CreateThread struct {
	ThreadID ThreadID // "" makes one; an existing one is CodeConflict
	Agent    string
	UserID   string
	Name     string
	Env      []EnvValue // of the thread
}

// CreateThread makes a root thread and its session.
func (c *ControlPlane) CreateThread(ctx context.Context, in CreateThread) (*ThreadRead, error) {
	const op = "create thread"
	defs := c.e.c.Project.Definitions()
	agent := defs.Agents[in.Agent]
	if agent == nil {
		return nil, Errorf(CodeNotFound, op, "there is no agent named %q; the agents are: %s", in.Agent, names(defs.Agents))
	}
	if in.ThreadID == "" {
		in.ThreadID = ThreadID(c.e.c.NewID())
	} else if _, err := c.e.c.Store.Thread(ctx, in.ThreadID); err == nil {
		return nil, Errorf(CodeConflict, op, "the thread %s exists already", in.ThreadID)
	}
	t := Thread{ID: in.ThreadID, SessionID: SessionID(c.e.c.NewID()), Agent: agent.Name, Project: defs.Dir,
		UserID: in.UserID, Name: in.Name, CreatedAt: MicrosOf(c.e.c.Now())}
	commit := &Commit{Create: []Thread{t}, Events: []Event{
		threadEvent(&t, EventSessionCreated, "", nil),
		threadEvent(&t, EventThreadStarted, "", ThreadPayload{Agent: t.Agent, AgentType: agent.Type, Name: t.Name}),
	}}
	for _, v := range in.Env {
		v.Scope, v.ThreadID = EnvThread, t.ID
		if err := checkEnv(v); err != nil {
			return nil, err
		}
		commit.Env = append(commit.Env, v)
	}
	if c.e.bootsImmediately(ctx, &t, agent, in.Env) {
		q := c.e.enqueue(&t, nil, QueueItem{Kind: QueueBoot, Origin: OriginImmediate})
		commit.Enqueue, commit.Events = q.Enqueue, append(commit.Events, q.Events...)
	}
	if _, err := c.e.commit(ctx, commit); err != nil {
		return nil, err
	}
	return c.Thread(ctx, t.ID)
}

// threadEvent is an event of a thread that no execution tells.
func threadEvent(t *Thread, typ EventType, status string, payload any) Event {
	var b json.RawMessage
	if payload != nil {
		b, _ = json.Marshal(payload)
	}
	return Event{Type: typ, SessionID: t.SessionID, ThreadID: t.ID, Status: status, Payload: b}
}

// SubmitTurn is the input of ControlPlane.SubmitTurn. A TurnID that exists is not
// submitted again: the existing turn is returned.
type SubmitTurn struct {
	ThreadID    ThreadID
	TurnID      TurnID
	Role        Role // user (side B speaks, default) or assistant
	Content     string
	Attachments []Attachment // files that the thread has
	Uploads     []Upload     // new files, attached after those
	Silent      bool
	Metadata    json.RawMessage
	Options     TurnOptions
}

// TurnOptions bound one execution from outside.
type TurnOptions struct {
	MaxSteps int `json:"maxSteps,omitempty"` // 0 is the agent's own; stops with max_total_steps
}

// SubmitTurn puts a message into the thread's queue as a turn of its own, durable
// when it returns. An idle thread starts; a busy one takes it before its next
// model call.
func (c *ControlPlane) SubmitTurn(ctx context.Context, in SubmitTurn) (*TurnRead, error) {
	const op = "submit turn"
	rec, err := c.e.c.Store.Thread(ctx, in.ThreadID)
	if err != nil {
		return nil, err
	}
	if in.TurnID != "" {
		if t, err := c.e.c.Store.Turn(ctx, in.TurnID); err == nil {
			return t, nil
		}
	}
	if err := checkTurn(op, &in, rec); err != nil {
		return nil, err
	}
	files, attached, err := c.attach(ctx, &in)
	if err != nil {
		return nil, err
	}
	m := &Message{ID: MessageID(c.e.c.NewID()), ThreadID: rec.ID, Role: in.Role, Silent: in.Silent,
		Metadata: in.Metadata, Attachments: attached}
	m.SetText(in.Content)
	commit := c.e.enqueue(&rec.Thread, m, QueueItem{TurnID: in.TurnID, Origin: OriginUser, Options: in.Options})
	turn := commit.Enqueue[0].TurnID
	commit.Files = files
	for i := range files {
		commit.Events = append(commit.Events, files[i].event(&rec.Thread))
	}
	if _, err := c.e.commit(ctx, commit); err != nil {
		if t, terr := c.e.c.Store.Turn(ctx, turn); terr == nil && in.TurnID != "" {
			return t, nil
		}
		return nil, err
	}
	return c.e.c.Store.Turn(ctx, turn)
}

// attach checks the files that a message refers to, and makes those that come
// with it.
func (c *ControlPlane) attach(ctx context.Context, in *SubmitTurn) ([]FileOp, []Attachment, error) {
	refs, err := c.e.checkAttachments(ctx, in.ThreadID, in.Attachments)
	if err != nil {
		return nil, nil, err
	}
	ops, made, err := c.e.uploads(ctx, in.ThreadID, in.Uploads)
	return ops, append(refs, made...), err
}

func checkTurn(op string, in *SubmitTurn, rec *ThreadRecord) error {
	if in.Role == "" {
		in.Role = RoleUser
	}
	switch {
	case rec.Terminated != 0:
		return Errorf(CodeConflict, op, "the thread %s is terminated and takes no more messages", rec.ID)
	case in.Role != RoleUser && in.Role != RoleAssistant:
		return Errorf(CodeInvalid, op, "a turn's role is user or assistant, not %q", in.Role)
	case strings.TrimSpace(in.Content) == "" && len(in.Attachments)+len(in.Uploads) == 0:
		return Errorf(CodeInvalid, op, "the message is empty")
	case len(in.Attachments)+len(in.Uploads) > MaxAttachments:
		return Errorf(CodeLimit, op, "the message has %d attachments; the limit is %d", len(in.Attachments)+len(in.Uploads), MaxAttachments)
	case len(in.Content) > MaxContent:
		return Errorf(CodeLimit, op, "the message has %d bytes; the limit is %d", len(in.Content), MaxContent)
	case rec.Read.QueueLength >= MaxQueue:
		return Errorf(CodeLimit, op, "the queue of thread %s holds %d items, which is the limit; wait or remove some", rec.ID, rec.Read.QueueLength)
	}
	return nil
}

// enqueue makes the commit that appends an item to a thread's queue as a turn.
func (e *Engine) enqueue(t *Thread, m *Message, item QueueItem) *Commit {
	now := MicrosOf(e.c.Now())
	item.ID, item.ThreadID, item.CreatedAt, item.Message = QueueID(e.c.NewID()), t.ID, now, m
	if item.Kind == "" {
		item.Kind = QueueMessage
	}
	if item.TurnID == "" {
		item.TurnID = TurnID(e.c.NewID())
	}
	p := TurnPayload{Origin: item.Origin}
	if m != nil {
		m.Status, m.CreatedAt, m.TurnID, m.Side = MessagePending, now, item.TurnID, speaker(m.Role)
		p.Role, p.Preview = m.Role, preview(m.Text())
	}
	submitted := threadEvent(t, EventTurnSubmitted, "accepted", p)
	queued := threadEvent(t, EventQueueChanged, "", QueuePayload{Op: "added", Items: []QueueID{item.ID}, Delta: 1})
	submitted.TurnID, submitted.QueueID, queued.QueueID = item.TurnID, item.ID, item.ID
	return &Commit{Thread: t.ID, Live: true, NewTurn: item.TurnID, Enqueue: []QueueItem{item}, Events: []Event{submitted, queued}}
}

// InterruptTurn ends the running turn (or turn, if it isn't "") as cancelled. It
// returns once the intent is recorded; the end is an event. CodeConflict where
// nothing runs.
func (c *ControlPlane) InterruptTurn(ctx context.Context, thread ThreadID, turn TurnID, reason string) error {
	const op = "interrupt turn"
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil {
		return err
	}
	if turn != "" {
		if t, err := c.e.c.Store.Turn(ctx, turn); err == nil && t.Status == TurnQueued {
			return c.cancelQueued(ctx, thread, turn)
		}
	}
	if !rec.open() || turn != "" && !containsTurn(rec.Read.ActiveTurns, turn) {
		return Errorf(CodeConflict, op, "nothing runs in thread %s", thread)
	}
	return c.tellOwner(ctx, rec, Signal{ThreadID: thread, Kind: SignalInterrupt, TurnID: turn, Reason: reason})
}

func containsTurn(ids []TurnID, id TurnID) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}

// tellOwner hands an intent to the thread's owner: directly where it is this
// process, else as a row that the owner finds.
func (c *ControlPlane) tellOwner(ctx context.Context, rec *ThreadRecord, s Signal) error {
	s.CreatedAt = MicrosOf(c.e.c.Now())
	c.e.mu.Lock()
	r, h := c.e.running[rec.ID], c.e.host
	c.e.mu.Unlock()
	// A flow that was begun here while another process has the thread ends without
	// having looked at anything: the intent would be lost with it.
	if r != nil && h != nil && rec.Owner == h.id {
		r.interrupt(&s)
		return nil
	}
	_, err := c.e.commit(ctx, &Commit{Signals: []Signal{s}})
	return err
}

// ResumeThread makes a host of this process take up what is open or queued.
// It reports false where there is nothing to do.
func (c *ControlPlane) ResumeThread(ctx context.Context, thread ThreadID) (bool, error) {
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil {
		return false, err
	}
	if !rec.open() && rec.Read.QueueLength == 0 {
		return false, nil
	}
	c.e.wake(thread)
	return true, nil
}

// RemoveQueuedTurn takes an item out of the queue; its turn ends cancelled.
func (c *ControlPlane) RemoveQueuedTurn(ctx context.Context, thread ThreadID, id QueueID) error {
	rec, item, err := c.queued(ctx, thread, func(i *QueueItem) bool { return i.ID == id || string(i.TurnID) == string(id) })
	if err != nil {
		return err
	}
	_, err = c.e.commit(ctx, &Commit{Dequeue: []QueueID{item.ID}, Events: removal(&rec.Thread, item, StopAbortedByUser)})
	return err
}

func (c *ControlPlane) cancelQueued(ctx context.Context, thread ThreadID, turn TurnID) error {
	return c.RemoveQueuedTurn(ctx, thread, QueueID(turn))
}

func removal(t *Thread, item *QueueItem, reason StopReason) []Event {
	gone := threadEvent(t, EventQueueChanged, "", QueuePayload{Op: "removed", Items: []QueueID{item.ID}, Delta: -1})
	gone.QueueID = item.ID
	end := threadEvent(t, EventTurnCompleted, string(TurnCancelled), TurnPayload{StopReason: reason})
	end.TurnID = item.TurnID
	return []Event{gone, end}
}

// PromoteQueuedTurn moves an item to the front of the queue.
func (c *ControlPlane) PromoteQueuedTurn(ctx context.Context, thread ThreadID, id QueueID) error {
	rec, item, err := c.queued(ctx, thread, func(i *QueueItem) bool { return i.ID == id || string(i.TurnID) == string(id) })
	if err != nil {
		return err
	}
	ev := threadEvent(&rec.Thread, EventQueueChanged, "", QueuePayload{Op: "promoted", Items: []QueueID{item.ID}})
	ev.QueueID = item.ID
	_, err = c.e.commit(ctx, &Commit{Thread: thread, Promote: item.ID, Events: []Event{ev}})
	return err
}

func (c *ControlPlane) queued(ctx context.Context, thread ThreadID, match func(*QueueItem) bool) (*ThreadRecord, *QueueItem, error) {
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil {
		return nil, nil, err
	}
	items, err := c.e.c.Store.Queue(ctx, thread)
	if err != nil {
		return nil, nil, err
	}
	for i := range items {
		if match(&items[i]) {
			return rec, &items[i], nil
		}
	}
	return nil, nil, Errorf(CodeNotFound, "find queued turn", "the queue of thread %s has no such item (it may have started already)", thread)
}

// Terminate shuts a thread down for good (runtime §10): from its commit on
// nothing is accepted, what is queued is cancelled, and what runs is aborted. Its
// descendants end with it.
func (c *ControlPlane) Terminate(ctx context.Context, thread ThreadID) error {
	done, err := c.markTerminated(ctx, thread)
	for tries := 1; CodeOf(err) == CodeConflict && tries < maxConflicts; tries++ {
		done, err = c.markTerminated(ctx, thread) // its queue moved meanwhile
	}
	if err != nil || !done {
		return err
	}
	// Read again: it may have begun to run just before.
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil {
		return err
	}
	if rec.open() {
		if err := c.tellOwner(ctx, rec, Signal{ThreadID: thread, Kind: SignalTerminate, Reason: "terminated"}); err != nil {
			return err
		}
	}
	children, err := c.e.c.Store.Children(ctx, thread)
	if err != nil {
		return err
	}
	for i := range children {
		if err := c.Terminate(ctx, children[i].Reference); err != nil && CodeOf(err) != CodeNotFound {
			return err
		}
	}
	return nil
}

// markTerminated sets the timestamp and cancels what is queued, in one commit. It
// is false where the thread was terminated before.
func (c *ControlPlane) markTerminated(ctx context.Context, thread ThreadID) (bool, error) {
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil || rec.Terminated != 0 {
		return false, err
	}
	items, err := c.e.c.Store.Queue(ctx, thread)
	if err != nil {
		return false, err
	}
	at := MicrosOf(c.e.c.Now())
	commit := &Commit{Thread: thread, Terminate: at,
		Events: []Event{threadEvent(&rec.Thread, EventThreadUpdated, "", UpdatePayload{Kind: UpdateTerminated, At: at})}}
	for i := range items {
		commit.Dequeue = append(commit.Dequeue, items[i].ID)
		commit.Events = append(commit.Events, removal(&rec.Thread, &items[i], StopTerminated)...)
		c.refuseReply(ctx, commit, rec, &items[i])
	}
	if rec.ParentID != "" {
		commit.Events = append(commit.Events, closedEvent(&rec.Thread))
	}
	_, err = c.e.commit(ctx, commit)
	return err == nil, err
}

// refuseReply answers a parent's call that waits for a message which is not going
// to be read.
func (c *ControlPlane) refuseReply(ctx context.Context, commit *Commit, rec *ThreadRecord, item *QueueItem) {
	if item.Reply == nil || rec.ParentID == "" || !c.e.alive(ctx, rec.ParentID) {
		return
	}
	back := QueueItem{ID: QueueID(c.e.c.NewID()), ThreadID: rec.ParentID, Kind: QueueDelivery, Origin: OriginChild, CreatedAt: MicrosOf(c.e.c.Now()),
		Delivery: &Delivery{Child: rec.ID, Call: item.Reply.Call, Status: ToolError, Text: "The subagent was terminated before it began."}}
	ev := threadEvent(&Thread{ID: rec.ParentID, SessionID: rec.SessionID}, EventQueueChanged, "", QueuePayload{Op: "added", Items: []QueueID{back.ID}, Delta: 1})
	ev.QueueID = back.ID
	commit.Enqueue, commit.Events = append(commit.Enqueue, back), append(commit.Events, ev)
}

// closedEvent tells the parent's registry that a child is terminated.
func closedEvent(t *Thread) Event {
	ev := threadEvent(&Thread{ID: t.ParentID, SessionID: t.SessionID}, EventSubagentClosed, childTerminated,
		SubagentPayload{Status: childTerminated})
	ev.SubagentID = t.ID
	return ev
}

// DeleteThread removes a thread and its descendants. CodeBusy while one of them
// runs.
func (c *ControlPlane) DeleteThread(ctx context.Context, thread ThreadID) error {
	ids, err := c.descendants(ctx, thread)
	if err != nil {
		return err
	}
	_, err = c.e.commit(ctx, &Commit{Delete: ids})
	return err
}

// descendants lists a thread and all below it, each after its parent.
func (c *ControlPlane) descendants(ctx context.Context, thread ThreadID) ([]ThreadID, error) {
	ids := []ThreadID{thread}
	for i := 0; i < len(ids); i++ {
		rec, err := c.e.c.Store.Thread(ctx, ids[i])
		if err != nil {
			return nil, err
		}
		if rec.Read.Status == ThreadRunning && rec.Owner != "" {
			return nil, Errorf(CodeBusy, "delete thread", "the thread %s is running; interrupt it first", ids[i])
		}
		for cursor := ""; ; {
			page, err := c.e.c.Store.Threads(ctx, ThreadQuery{Parent: &ids[i], Cursor: cursor, Limit: 500})
			if err != nil {
				return nil, err
			}
			for j := range page.Threads {
				ids = append(ids, page.Threads[j].ThreadID)
			}
			if cursor = page.Cursor; cursor == "" {
				break
			}
		}
	}
	return ids, nil
}

// SetEnv sets or deletes variables. Those of a thread reach its live descendants
// too.
func (c *ControlPlane) SetEnv(ctx context.Context, values []EnvValue) error {
	commit := &Commit{}
	for _, v := range values {
		if err := checkEnv(v); err != nil {
			return err
		}
		if v.Scope != EnvThread {
			commit.Env = append(commit.Env, v)
			continue
		}
		all, err := c.e.passDown(ctx, v)
		if err != nil {
			return err
		}
		commit.Env = append(commit.Env, all...)
		rec, err := c.e.c.Store.Thread(ctx, v.ThreadID)
		if err != nil {
			return err
		}
		commit.Events = append(commit.Events, threadEvent(&rec.Thread, EventThreadUpdated, "", UpdatePayload{Kind: UpdateEnv, Name: v.Name, Deleted: v.Delete}))
	}
	_, err := c.e.commit(ctx, commit)
	return err
}

func checkEnv(v EnvValue) error {
	const op = "set env"
	for i, r := range v.Name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return Errorf(CodeInvalid, op, "%q is no variable name: use letters, digits and _", v.Name)
		}
	}
	switch {
	case v.Name == "":
		return Errorf(CodeInvalid, op, "the variable has no name")
	case v.Type != VariableText && v.Type != VariableSecret && !v.Delete:
		return Errorf(CodeInvalid, op, "the type of %s must be 'text' or 'secret'", v.Name)
	case len(v.Value) > MaxValueSize:
		return Errorf(CodeLimit, op, "the value of %s has %d bytes; the limit is %d", v.Name, len(v.Value), MaxValueSize)
	}
	return nil
}
