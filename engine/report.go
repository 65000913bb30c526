package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Child statuses of the registry that the runtime itself sets.
const (
	childRunning    = "running"
	childIdle       = "idle"
	childTerminated = "terminated"
)

// wait turns the open call into rows: it waits for a blocking child, and the
// thread gives up its lease until the child's last commit delivers.
func (x *execution) wait(c *Commit, w *waiting) {
	x.snap.state.Waiting = w
	c.Events = append(c.Events, x.event(EventRunStatus, "blocked", RunPayload{Waits: "child:" + string(w.Child)}))
}

// deliver gives the open call the result of the child that it waited for.
func (x *execution) deliver(ctx context.Context, c *Commit, call ToolCall, item *QueueItem) {
	d := item.Delivery
	c.Dequeue = append(c.Dequeue, item.ID)
	c.Events = append(c.Events,
		x.event(EventRunStatus, "running", RunPayload{Agent: x.snap.thread.Agent, Side: x.snap.state.Side, Waits: "child:" + string(d.Child)}),
		x.event(EventQueueChanged, "", QueuePayload{Op: "injected", Items: []QueueID{item.ID}, Delta: -1}))
	x.snap.state.Waiting = nil
	id := item.ID
	x.snap.queue = slices.DeleteFunc(slices.Clone(x.snap.queue), func(q QueueItem) bool { return q.ID == id }) // what else came is injected next
	res := d.result()
	if call.Name == toolSubagentCreate || call.Name == toolSubagentMessage {
		suffix := "\n\nReference: " + string(d.Child)
		if res.Status == ToolError {
			res.Error += suffix
		} else {
			res.Result += suffix
		}
	}
	res, events := x.toolHooks(ctx, call, res)
	c.Events = append(c.Events, events...)
	if res == nil {
		x.forget(c, call)
		return
	}
	x.finishTool(c, call, x.keepAttachments(ctx, c, res))
}

// takeDelivery keeps the result of a blocking child whose caller is gone: it
// comes as a message.
func (x *execution) takeDelivery(c *Commit, d *Delivery) {
	m := x.message(x.newMessageID(), authorOf(x.snap.state.Side.Other()))
	m.SetText(childText(d.Child, d.Status, d.Text) + alsoReturned(d.Attachments))
	m.Silent, m.SubagentID, m.Attachments = true, d.Child, d.Attachments
	x.put(&m)
	c.Events = append(c.Events, x.messageEvent(&m))
}

// childText is the message that a parent gets of a child's end (agents §7.10).
func childText(child ThreadID, status ToolStatus, text string) string {
	if status == ToolError {
		return fmt.Sprintf("Subagent (reference: %s) has reported a failure:\n\n%s", child, text)
	}
	return fmt.Sprintf("Subagent (reference: %s) has returned the following result:\n\n%s", child, text)
}

// abandonChild stops the blocking child of an execution that ends while it waits:
// for good where the child isn't resumable.
func (x *execution) abandonChild(c *Commit) {
	w := x.snap.state.Waiting
	if w == nil {
		return
	}
	x.snap.state.Waiting = nil
	c.Signals = append(c.Signals, abandonment(w.Child, x.e.c.Now()))
}

func abandonment(child ThreadID, now time.Time) Signal {
	return Signal{ThreadID: child, Kind: SignalAbandon, Reason: "the parent stopped waiting", CreatedAt: MicrosOf(now)}
}

// report tells the parent how this execution ended, in the same commit: a
// blocking call gets its delivery, otherwise a message is queued unless the
// communication is explicit. A child that isn't resumable ends with it.
func (x *execution) report(ctx context.Context, c *Commit, v verdict) {
	t, st := &x.snap.thread, &x.snap.state
	if t.ParentID == "" {
		return
	}
	s := t.spawnInfo()
	status, text, files := x.payload(v)
	parent := &Thread{ID: t.ParentID, SessionID: t.SessionID}
	var copied []Attachment
	heard := !x.abandoned && x.e.alive(ctx, parent.ID)
	if heard && (st.Reply != nil || !s.explicit()) {
		copied, text = x.returnFiles(ctx, c, parent, files, text)
	}
	switch {
	case !heard:
	case st.Reply != nil:
		item := QueueItem{ID: QueueID(x.e.c.NewID()), ThreadID: parent.ID, Kind: QueueDelivery, Origin: OriginChild,
			CreatedAt: MicrosOf(x.e.c.Now()), Delivery: &Delivery{Child: t.ID, Call: st.Reply.Call, Status: status, Text: text, Attachments: copied}}
		ev := threadEvent(parent, EventQueueChanged, "", QueuePayload{Op: "added", Items: []QueueID{item.ID}, Delta: 1})
		ev.QueueID = item.ID
		c.Enqueue, c.Events = append(c.Enqueue, item), append(c.Events, ev)
	case !s.explicit():
		m := &Message{ID: x.newMessageID(), ThreadID: parent.ID, Role: authorOf(s.Side.Other()), Silent: true, SubagentID: t.ID}
		m.SetText(childText(t.ID, status, text) + alsoReturned(copied))
		m.Metadata, m.Attachments = mustJSON(map[string]any{"subagent_id": t.ID}), copied
		q := x.e.enqueue(parent, m, QueueItem{Origin: OriginChild})
		c.Enqueue, c.Events = append(c.Enqueue, q.Enqueue...), append(c.Events, q.Events...)
	}
	x.closeChild(c, parent, s, status, text)
}

// returnFiles copies what the child attached to its end into the parent's files
// (runtime §8.2). What can't be copied is said, so that no path leads nowhere.
func (x *execution) returnFiles(ctx context.Context, c *Commit, parent *Thread, files []Attachment, text string) ([]Attachment, string) {
	var found []FileRecord
	var size int64
	for _, a := range files {
		f, err := x.e.c.Store.File(ctx, x.snap.thread.ID, a.Path)
		if err != nil || f.IsDirectory {
			text += "\n\n(The attachment " + a.Path + " was removed before it could be copied.)"
			continue
		}
		found, size = append(found, *f), size+f.Size
	}
	if len(found) == 0 {
		return nil, text
	}
	if err := x.e.checkRoom(ctx, parent.ID, len(found), size); err != nil {
		return nil, text + "\n\n(Its attachments couldn't be copied: " + err.Error() + ")"
	}
	return x.e.hand(c, x.snap.thread.ID, parent, found), text
}

// alive reports whether a thread can still be told something.
func (e *Engine) alive(ctx context.Context, id ThreadID) bool {
	rec, err := e.c.Store.Thread(ctx, id)
	return err == nil && rec.Terminated == 0
}

// endChildren makes the children of a thread that is over for good end too: those
// it had, and those that it was about to have when it was ended. The intents are
// durable with the end, so that no crash leaves a child without a parent.
func (x *execution) endChildren(ctx context.Context, c *Commit) {
	end := func(child ThreadID) {
		c.Signals = append(c.Signals, Signal{ThreadID: child, Kind: SignalTerminate, Reason: "the parent ended", CreatedAt: MicrosOf(x.e.c.Now())})
	}
	for i := range c.Create {
		end(c.Create[i].ID)
	}
	if !x.children {
		return
	}
	for _, child := range x.registry(ctx) {
		end(child.Reference)
	}
}

// alsoReturned is the paragraph of a child's message that lists the files.
func alsoReturned(files []Attachment) string {
	if len(files) == 0 {
		return ""
	}
	s := "\n\nThe subagent also returned the following attachment(s):\n"
	for _, a := range files {
		s += "\n" + a.Path
	}
	return s
}

// closeChild records the end of a run in the parent's registry, and ends a child
// that can't be resumed.
func (x *execution) closeChild(c *Commit, parent *Thread, s spawn, status ToolStatus, text string) {
	typ, now := EventSubagentDone, childIdle
	if status == ToolError {
		typ = EventSubagentFailed
	}
	if !s.Resumable || x.snap.thread.Terminated != 0 {
		now = childTerminated
	}
	tell := func(typ EventType) {
		ev := threadEvent(parent, typ, now, SubagentPayload{Status: now, Text: preview(text)})
		ev.SubagentID = x.snap.thread.ID
		c.Events = append(c.Events, ev)
	}
	tell(typ)
	if now == childTerminated {
		tell(EventSubagentClosed)
	}
	if now == childTerminated && x.snap.thread.Terminated == 0 {
		at := MicrosOf(x.e.c.Now())
		c.Terminate, x.snap.thread.Terminated = at, at
		c.Events = append(c.Events, x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateTerminated, At: at}))
	}
}

// payload is what the child's execution came to for its parent (authoring surface
// §15.5): the mapped text of the lifecycle tool; without lifecycle tools the last
// message; with them but without a successful one, a failure that says why.
func (x *execution) payload(v verdict) (ToolStatus, string, []Attachment) {
	switch v.reason {
	case StopSession:
		return ToolSuccess, v.detail, x.endFiles()
	case StopSessionFail:
		return ToolError, v.detail, x.endFiles()
	default:
	}
	if v.outcome != TurnCompleted || x.declaresSessionTools() {
		return ToolError, stopText(v), nil
	}
	history := x.messages()
	for i := len(history) - 1; i >= 0; i-- {
		m := history[i]
		if m.Depth == 0 && !m.Silent && m.Role != RoleTool && (strings.TrimSpace(m.Text()) != "" || len(m.Attachments) > 0) {
			return ToolSuccess, m.Text(), m.Attachments
		}
	}
	return ToolSuccess, "", nil
}

// endFiles are the files of the lifecycle call that ended the execution.
func (x *execution) endFiles() []Attachment {
	side := x.snap.agent.Side(x.snap.state.Side)
	for _, b := range []*SessionBinding{side.SessionFail, side.SessionStop} {
		if b == nil {
			continue
		}
		if m := x.snap.succeeded(b.Name); m != nil {
			return m.Attachments
		}
	}
	return nil
}

func stopText(v verdict) string {
	if v.detail != "" {
		return "The subagent stopped before it completed its work (" + string(v.reason) + "): " + v.detail
	}
	return "The subagent stopped before it completed its work (" + string(v.reason) + ")."
}

func (x *execution) declaresSessionTools() bool {
	for _, side := range []Side{SideA, SideB} {
		if s := x.snap.agent.Side(side); s != nil && (s.SessionStop != nil || s.SessionFail != nil) {
			return true
		}
	}
	return false
}

// statusEvents publish a status text: in the thread's own read model and in the
// parent's registry (runtime §8.3).
func (x *execution) statusEvents(text string) []Event {
	text = clip(text, EventPreview)
	events := []Event{x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateStatus, Text: text})}
	if t := &x.snap.thread; t.ParentID != "" {
		ev := threadEvent(&Thread{ID: t.ParentID, SessionID: t.SessionID}, EventSubagentStatus, text, SubagentPayload{Status: text})
		ev.SubagentID = t.ID
		events = append(events, ev)
	}
	return events
}
