package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// spawn is how a child thread came to be (Thread.Spawn): what its reports to the
// parent depend on.
type spawn struct {
	Side          Side   `json:"side"` // of the parent that spawned it
	Depth         int    `json:"depth"`
	Blocking      bool   `json:"blocking"`
	Resumable     bool   `json:"resumable"`
	Receives      Side   `json:"receives,omitempty"` // whom the parent's messages are for
	Communication string `json:"communication"`
}

func (t *Thread) spawnInfo() spawn {
	var s spawn
	_ = json.Unmarshal(t.Spawn, &s)
	return s
}

// explicit reports whether completion and failure are not queued by themselves.
func (s spawn) explicit() bool { return s.Communication == "explicit" }

const (
	toolSubagentCreate  = "subagent_create"
	toolSubagentMessage = "subagent_message"
	toolSendToAgent     = "send_to_agent" // older name of subagent_message
)

// birth is a child to be spawned.
type birth struct {
	parent  *Thread
	side    Side      // of the parent that spawns
	group   MessageID // the parent's message of the spawning step
	agent   *Agent
	entry   *ToolEntry
	name    string
	message string
	args    json.RawMessage
	files   []FileRecord      // of the parent, which the child gets copies of
	env     []EnvValue        // of the child, and what goes from the parent
	moved   map[string]string // of env: the child's name -> the parent's
	reply   *Reply            // who waits
}

// subagent runs a direct call of a subagent: one that isn't resumable (agents
// §7.3).
func (f *frame) subagent(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	b := birth{agent: c.agent, entry: c.entry, args: args}
	if v, ok := property(args, c.entry.InitUserMessageProperty); ok {
		b.message = v
	} else {
		b.message = indented(withoutProperty(args, c.entry.InitAttachmentsProperty))
	}
	if v, ok := property(args, c.entry.InitAgentNameProperty); ok {
		b.name = v
	}
	var err error
	if b.files, err = f.x.attached(ctx, args, c.entry.InitAttachmentsProperty); err != nil {
		return ErrorResult(err.Error())
	}
	child, failed := f.spawn(ctx, b)
	if failed != nil {
		return failed
	}
	if b.entry.Blocking {
		return f.await(ctx, child)
	}
	return initiated(child)
}

// withoutProperty leaves a property out of a JSON object: the parent's paths mean nothing
// to a child, which has files of its own.
func withoutProperty(object json.RawMessage, name string) json.RawMessage {
	var o jsonObject
	if name == "" || json.Unmarshal(object, &o) != nil {
		return object
	}
	delete(o, name)
	return mustJSON(o)
}

// spawnBatch is how many children may be spawned by one commit.
const spawnBatch = 32

// spawnsOnly reports whether all that a call does is to spawn a child that nobody
// waits for. Such a call needs nothing from outside: its effect and its result
// are one commit, which the next such call may share.
func (x *execution) spawnsOnly(ctx context.Context, call ToolCall) bool {
	p := x.prompt()
	if p == nil {
		return false
	}
	e := p.entry(call.Name)
	return e != nil && !x.hooksToolResults() && !e.Blocking && e.Resumable == nil && x.enabled(ctx, e) &&
		resolve(x.e.c.Project.Definitions(), e).kind == kindSubagent
}

func (x *execution) spawnInline(ctx context.Context, c *Commit, call ToolCall) {
	x.announceTool(c, call)
	f := newFrame(x, x.prompt(), x.snap.state.ResultID, x.promptName())
	res := f.run(ctx, call, false)
	f.close()
	d := f.take()
	c.Create, c.Env = append(c.Create, d.Create...), append(c.Env, d.Env...)
	c.Requests, c.Files = append(c.Requests, d.Requests...), append(c.Files, d.Files...)
	c.Enqueue, c.Events = append(c.Enqueue, d.Enqueue...), append(c.Events, d.Events...)
	x.finishTool(c, call, res)
}

func initiated(child ThreadID) *ToolResult {
	return &ToolResult{Status: ToolSuccess, SubagentID: child,
		Result: "The subagent was initiated successfully. Reference: " + string(child)}
}

// spawn adds the child, its first message and its registry entry to the commit of
// the running call, so that a crash leaves all of it or nothing.
func (f *frame) spawn(ctx context.Context, b birth) (ThreadID, *ToolResult) {
	x := f.x
	b.parent, b.side, b.group = &x.snap.thread, x.snap.state.Side, x.snap.state.StepMessage
	if depth := b.parent.spawnInfo().Depth + 1; depth > MaxThreadDepth {
		return "", ErrorResult(fmt.Sprintf("subagents may nest at most %d levels deep; do this part of the work yourself", MaxThreadDepth))
	}
	var err error
	b.moved = x.snap.state.Transfers[x.snap.state.Started]
	if b.env, err = x.e.childEnv(ctx, b.parent.ID, b.agent, b.moved, x.snap.state.Transfers); err != nil {
		return "", ErrorResult("copy the variables of the parent: " + err.Error())
	}
	if failed := f.missingEnv(ctx, b); failed != nil {
		return "", failed
	}
	if b.entry.Blocking {
		b.reply = &Reply{Call: f.callID()}
	}
	child, c, err := x.e.bear(b)
	if err != nil {
		return "", ErrorResult(err.Error())
	}
	x.pin(&c)
	f.add(c)
	x.children = true
	return child.ID, nil
}

// bear makes the commit that a child comes to life with.
func (e *Engine) bear(b birth) (*Thread, Commit, error) {
	s := spawn{Side: b.side, Depth: b.parent.spawnInfo().Depth + 1, Blocking: b.entry.Blocking, Communication: "implicit"}
	if r := b.entry.Resumable; r != nil {
		s.Resumable, s.Receives, s.Communication = true, r.ReceivesMessages, cmp.Or(r.ParentCommunication, s.Communication)
	}
	how, err := json.Marshal(s)
	if err != nil {
		return nil, Commit{}, Errorf(CodeInternal, "spawn subagent", "%w", err)
	}
	now := MicrosOf(e.c.Now())
	child := &Thread{ID: ThreadID(e.c.NewID()), SessionID: b.parent.SessionID, ParentID: b.parent.ID, Agent: b.agent.Name,
		Project: b.parent.Project, UserID: b.parent.UserID, Name: b.name, Arguments: b.args, Spawn: how, CreatedAt: now}
	c := Commit{Create: []Thread{*child}, Events: []Event{threadEvent(child, EventThreadStarted, "",
		ThreadPayload{Agent: child.Agent, AgentType: b.agent.Type, Name: b.name, Parent: b.parent.ID})}}
	for _, v := range b.env {
		if v.ThreadID == "" {
			v.ThreadID = child.ID
		}
		c.Env = append(c.Env, v)
	}
	entry := Child{Reference: child.ID, Name: b.agent.Name, Title: b.agent.Title, Description: describe(b.agent),
		Resumable: s.Resumable, Blocking: s.Blocking, ThreadName: b.name, CreatedAt: now, Status: childRunning,
		ParentCommunication: s.Communication, SpawnGroupID: b.group}
	ev := threadEvent(b.parent, EventSubagentSpawned, childRunning, SubagentPayload{Child: &entry})
	ev.SubagentID = child.ID
	c.Events = append(c.Events, ev)
	e.send(&c, child, b.message, RoleUser, b.reply, e.hand(&c, b.parent.ID, child, b.files))
	return child, c, nil
}

// send queues a message of the parent for a child; before it, a silent one for
// each file that the child has been given.
func (e *Engine) send(c *Commit, child *Thread, text string, role Role, reply *Reply, files []Attachment) {
	m := &Message{ID: MessageID(e.c.NewID()), ThreadID: child.ID, Role: role}
	m.SetText(text)
	item := QueueItem{Origin: OriginTool, Reply: reply}
	for i := range files {
		p := Message{ID: MessageID(e.c.NewID()), ThreadID: child.ID, Role: role, Silent: true, Status: MessagePending,
			CreatedAt: MicrosOf(e.c.Now()), Attachments: files[i : i+1]}
		p.SetText(attachmentLine(&files[i]))
		item.Preface = append(item.Preface, p)
	}
	q := e.enqueue(child, m, item)
	c.Enqueue, c.Events = append(c.Enqueue, q.Enqueue...), append(c.Events, q.Events...)
}

func describe(a *Agent) string {
	if a.Description != "" {
		return a.Description
	}
	return a.ToolDescription
}

// callID is the call that a blocking child's result is for: the step's own, or
// one of invokeTool's, which waits in this process.
func (f *frame) callID() ToolCallID {
	if f.root == f {
		return f.x.snap.state.Started
	}
	return ToolCallID(f.message)
}

// await waits for a blocking child. The step's own call becomes rows; a nested
// one, which a running script awaits, waits here.
func (f *frame) await(ctx context.Context, child ThreadID) *ToolResult {
	if f.root == f {
		f.waits = &waiting{Call: f.callID(), Child: child}
		return &ToolResult{Status: ToolSuccess, SubagentID: child}
	}
	born := f.take()
	if err := f.x.record(ctx, born); err != nil {
		return ErrorResult(err.Error())
	}
	f.add(Commit{Events: f.x.childHooks(ctx, born.Create)})
	res := f.x.awaitHere(ctx, f.callID())
	if errors.Is(context.Cause(ctx), errInterrupted) {
		f.x.abandon(ctx, child)
	}
	return res
}

// abandon stops a child that a script waited for when it was interrupted.
func (x *execution) abandon(ctx context.Context, child ThreadID) {
	if err := x.record(ctx, &Commit{Signals: []Signal{abandonment(child, x.e.c.Now())}}); err != nil {
		x.e.c.Logf("abandon subagent %s: %v", child, err)
	}
}

// awaitHere takes the delivery for a call out of the thread's queue once it is
// there.
func (x *execution) awaitHere(ctx context.Context, call ToolCallID) *ToolResult {
	ends := x.e.broker.signal(func(e *Event) bool { return e.Type == EventQueueChanged && e.ThreadID == x.snap.thread.ID })
	defer ends.close()
	for {
		queue, err := x.e.c.Store.Queue(ctx, x.snap.thread.ID)
		if err != nil {
			return ErrorResult(err.Error())
		}
		for i := range queue {
			d := queue[i].Delivery
			if d == nil || d.Call != call {
				continue
			}
			ev := x.event(EventQueueChanged, "", QueuePayload{Op: "injected", Items: []QueueID{queue[i].ID}, Delta: -1})
			if err := x.record(ctx, &Commit{Dequeue: []QueueID{queue[i].ID}, Events: []Event{ev}}); err != nil {
				return ErrorResult(err.Error())
			}
			return d.result()
		}
		if err := ends.wait(ctx); err != nil {
			return ErrorResult("interrupted while it waited for a subagent")
		}
	}
}

func (d *Delivery) result() *ToolResult {
	var files []NewAttachment
	for _, a := range d.Attachments {
		files = append(files, NewAttachment{Attachment: a})
	}
	if d.Status == ToolError {
		return &ToolResult{Status: ToolError, Error: d.Text, SubagentID: d.Child, Attachments: files}
	}
	return &ToolResult{Status: ToolSuccess, Result: d.Text, SubagentID: d.Child, Attachments: files}
}
