package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// announceTool tells, in the commit before, that the call is run now. From here
// on its outcome is unknown until its result is durable.
func (x *execution) announceTool(c *Commit, call ToolCall) {
	if x.told == call.ID {
		return
	}
	x.told = call.ID
	st := &x.snap.state
	st.Started, st.ResultID = call.ID, x.newMessageID()
	x.snap.owned = true
	c.Events = append(c.Events, x.toolEvent(EventToolStarted, call, st.ResultID,
		ToolPayload{Arguments: preview(call.Arguments)}))
}

func (x *execution) toolEvent(t EventType, call ToolCall, result MessageID, p ToolPayload) Event {
	p.Name, p.MessageID = call.Name, result
	ev := x.event(t, "", p)
	ev.StepID, ev.ToolCallID = StepID(result), call.ID
	return ev
}

// toolStep runs one call of the open step and returns the commit of its result.
func (x *execution) toolStep(parent context.Context, call ToolCall) (*Commit, error) {
	ctx, done := x.r.begin(parent)
	began := x.e.c.Now()
	f := newFrame(x, x.prompt(), x.snap.state.ResultID, x.promptName())
	res := f.run(ctx, call, x.isQueued(call))
	interrupted := errors.Is(context.Cause(ctx), errInterrupted)
	stopping := parent.Err() != nil
	done()
	f.close()
	if stopping && res.Status == ToolError {
		return &Commit{}, nil // the host stops: the next one finds the call without a result
	}
	if interrupted && res.Status == ToolError {
		res = interruptedResult(x.r.pending())
	}
	c := f.take()
	if f.waits != nil {
		x.wait(c, f.waits)
		return c, nil
	}
	res = x.bindAttachments(parent, call, res)
	res, events := x.toolHooks(parent, call, res)
	c.Events = append(c.Events, events...)
	if res == nil {
		x.forget(c, call)
		return c, nil
	}
	x.finish(c, call, x.keepAttachments(parent, c, res), x.e.c.Now().Sub(began))
	return c, nil
}

// forget takes a call out of the open step, as a hook wished: neither it nor its
// result is part of the conversation.
func (x *execution) forget(c *Commit, call ToolCall) {
	s := &x.snap
	s.step.ToolCalls = slices.DeleteFunc(slices.Clone(s.step.ToolCalls), func(o ToolCall) bool { return o.ID == call.ID })
	x.put(s.step)
	c.Events = append(c.Events, x.toolEvent(EventToolResult, call, s.state.ResultID, ToolPayload{Preview: "(removed by a hook)"}), x.messageEvent(s.step))
	s.state.Started, s.state.ResultID, s.owned = "", "", false
}

func interruptedResult(s *Signal) *ToolResult {
	why := "interrupted by the user"
	if s != nil && s.Kind == SignalTerminate {
		why = "the thread was terminated"
	}
	return ErrorResult(why + " before it had a result; it may or may not have had its effect")
}

// isQueued reports whether the runtime itself put the call into the open step,
// which the prompt's tool list doesn't bind.
func (x *execution) isQueued(call ToolCall) bool {
	return x.snap.step != nil && x.snap.step.Silent && len(x.snap.step.Metadata) > 0 && x.snap.step.Prompt == ""
}

// finishTool records the result of a call that isn't running.
func (x *execution) finishTool(c *Commit, call ToolCall, res *ToolResult) { x.finish(c, call, res, 0) }

// finish records the result of a call of the open step: the tool message, the
// fact, and what lifecycle tools do beside it.
func (x *execution) finish(c *Commit, call ToolCall, res *ToolResult, took time.Duration) {
	s := &x.snap
	id := s.state.ResultID
	if id == "" || s.state.Started != call.ID {
		id = x.newMessageID()
	}
	m := x.toolMessage(c, id, call, res)
	m.Side = s.state.Side
	side := s.agent.Side(s.state.Side)
	if side != nil {
		x.bindings(c, side, call, res, &m)
	}
	if side == nil || !side.ends(call.Name) {
		nameAttachments(&m)
	}
	x.put(&m)
	s.done = append(s.done, &m)
	s.state.Started, s.state.ResultID, s.owned = "", "", false
	x.streak(call, res)
	c.Events = append(c.Events, x.toolResultEvent(call, res, &m, took))
}

// toolMessage is the durable form of a result (authoring surface §5).
func (x *execution) toolMessage(c *Commit, id MessageID, call ToolCall, res *ToolResult) Message {
	m := x.message(id, RoleTool)
	m.Name, m.ToolCallID, m.ToolStatus, m.SubagentID = call.Name, call.ID, res.Status, res.SubagentID
	m.Attachments = res.refs()
	body := res.Result
	if res.Status == ToolError {
		body = "Failed to execute tool: " + res.Error
		if res.ErrorCode != "" {
			body += " (" + res.ErrorCode + ")"
		}
		if len(res.ErrorData) > 0 {
			body += "\n" + string(res.ErrorData)
		}
	} else if body == "" {
		body = "The tool ran successfully and returned nothing."
	}
	x.spill(c, &m, x.e.secrets.redact(body))
	return m
}

// spill sets the content; a large one goes to the output store and leaves its
// start and a reference.
func (x *execution) spill(c *Commit, m *Message, body string) {
	if len(body) <= SpillSize {
		m.SetText(body)
		return
	}
	sum := sha256.Sum256([]byte(body))
	ref := OutputRef("sha256:" + hex.EncodeToString(sum[:]))
	c.Outputs = append(c.Outputs, Output{Ref: ref, MediaType: "text/plain; charset=utf-8", Data: []byte(body)})
	m.OutputRef = ref
	m.SetText(clip(body, PreviewSize) + fmt.Sprintf("\n\n[%d bytes in all; this is their start. The whole is stored as output %s.]", len(body), ref))
	ev := x.event(EventOutputSpilled, "", map[string]any{"preview": preview(body), "outputRef": ref, "bytes": len(body), "mediaType": "text/plain"})
	ev.OutputRef, ev.ToolCallID, ev.StepID = ref, m.ToolCallID, StepID(m.ID)
	c.Events = append(c.Events, ev)
}

// bindings applies session tools and stopToolResponseProperty to a result: a
// lifecycle call's mapped argument becomes its content (authoring surface §14.3).
func (x *execution) bindings(c *Commit, side *SideConfig, call ToolCall, res *ToolResult, m *Message) {
	if res.Status != ToolSuccess {
		return
	}
	for _, b := range []*SessionBinding{side.SessionStop, side.SessionFail, side.SessionStatus} {
		if b == nil || b.Name != call.Name {
			continue
		}
		if v, ok := property([]byte(call.Arguments), b.MessageProperty); ok {
			m.SetText(v)
		}
		if b == side.SessionStatus {
			c.Events = append(c.Events, x.statusEvents(m.Text())...)
		}
	}
	step := x.snap.step
	if side.StopTool == call.Name && side.StopToolResponseProperty != "" && step != nil {
		if _, ok := property([]byte(call.Arguments), side.StopToolResponseProperty); ok {
			return // taken from the arguments with the answer
		}
		if v, ok := property([]byte(res.Result), side.StopToolResponseProperty); ok {
			step.SetText(v)
			x.put(step)
			c.Events = append(c.Events, x.messageEvent(step))
		}
	}
}

// streak counts identical tool errors in a row.
func (x *execution) streak(call ToolCall, res *ToolResult) {
	st := &x.snap.state
	if res.Status != ToolError {
		st.Streak = errorStreak{}
		return
	}
	sum := sha256.Sum256([]byte(call.Name + "\x00" + res.Error))
	sig := hex.EncodeToString(sum[:8])
	if st.Streak.Sig != sig {
		st.Streak = errorStreak{Sig: sig}
	}
	st.Streak.N++
}

func (x *execution) toolResultEvent(call ToolCall, res *ToolResult, m *Message, took time.Duration) Event {
	typ, status := EventToolResult, string(ToolSuccess)
	if res.Status == ToolError {
		typ, status = EventToolFailed, string(ToolError)
	}
	ev := x.toolEvent(typ, call, m.ID, ToolPayload{Preview: preview(m.Text()), Bytes: len(res.Result) + len(res.Error),
		ErrorCode: res.ErrorCode, DurationMs: took.Milliseconds(), ParentID: m.ParentID, Depth: m.Depth})
	ev.Status, ev.OutputRef = status, m.OutputRef
	return ev
}

// modelTools is what a prompt offers its model: its entries that resolve and are
// enabled.
func (x *execution) modelTools(ctx context.Context, p *Prompt) []ModelTool {
	defs := x.e.c.Project.Definitions()
	tools := make([]ModelTool, 0, len(p.Tools))
	for i := range p.Tools {
		t := resolve(defs, &p.Tools[i])
		if t.kind == "" || p.Tools[i].Resumable != nil || !x.enabled(ctx, &p.Tools[i]) {
			continue
		}
		tools = append(tools, ModelTool{Name: p.Tools[i].Name, Description: t.description, Parameters: t.schema})
	}
	return append(tools, x.lifecycleTools(ctx, p)...)
}

// enabled evaluates the optional flag of an entry (runtime §7.3).
func (x *execution) enabled(ctx context.Context, e *ToolEntry) bool {
	if e.Optional == "" {
		return true
	}
	v, _ := x.lookupEnv(ctx, e.Optional)
	return truthy(v.Value)
}

// emptySchema is the parameters of a tool without arguments.
var emptySchema = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
