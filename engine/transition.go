package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// The transitions: what the flow does between calls. Each changes the snapshot
// and adds to the commit what makes the change durable and known.

// start begins an execution with all that is queued. The first item's role
// decides which side speaks: what side B said is for A to answer, and the other
// way round (authoring surface §12.2).
func (x *execution) start(c *Commit) {
	s := &x.snap
	if s.cancel != nil && s.cancel.Kind == SignalInterrupt {
		x.handled(c) // it was meant for an execution that is over
	}
	s.state = s.state.rest()
	s.state.RunID = RunID(x.e.c.NewID())
	s.state.Side = SideA
	if first := s.queue[0]; s.agent.Type == DualAI && first.Message != nil && first.Message.Role == RoleAssistant {
		s.state.Side = SideB
	}
	for i := range s.queue {
		s.state.MaxSteps = max(s.state.MaxSteps, s.queue[i].Options.MaxSteps)
	}
	x.context = jsonObject{}
	s.state.Boot = x.fresh()
	x.born = len(x.history) == 0
	x.take(c, "injected")
	c.Events = append(c.Events, x.event(EventRunStatus, "running",
		RunPayload{Agent: s.agent.Name, Side: s.state.Side, Prompt: x.promptName()}))
}

// inject takes what is queued into the running execution; its turns join it.
func (x *execution) inject(c *Commit) { x.take(c, "injected") }

// take moves the queue's items into the thread, in order.
func (x *execution) take(c *Commit, op string) {
	s := &x.snap
	changed := QueuePayload{Op: op, Delta: -len(s.queue)}
	for i := range s.queue {
		item := &s.queue[i]
		c.Dequeue = append(c.Dequeue, item.ID)
		changed.Items = append(changed.Items, item.ID)
		x.startTurn(c, item.TurnID)
		switch item.Kind {
		case QueueMessage:
			x.takeMessage(c, item)
		case QueueTool:
			s.state.Queued = append(s.state.Queued, queuedTool{Name: item.Tool, Args: item.Arguments})
		case QueueRun:
			x.handoff(c, handoff{Agent: item.Tool})
		case QueueBoot: // starting is all that it asks for
		case QueueDelivery:
			x.takeDelivery(c, item.Delivery)
		}
	}
	s.queue = nil
	c.Events = append(c.Events, x.event(EventQueueChanged, "", changed))
}

// startTurn makes the turn part of this execution. One that is not the first
// joins it: it starts now and ends with it.
func (x *execution) startTurn(c *Commit, id TurnID) {
	st := &x.snap.state
	if id == "" {
		return
	}
	p := TurnPayload{}
	if len(st.Turns) > 0 {
		p.JoinedTurnID = st.Turns[0]
	}
	st.Turns = append(st.Turns, id)
	ev := x.event(EventTurnStarted, string(TurnRunning), p)
	ev.TurnID = id
	c.Events = append(c.Events, ev)
}

func (x *execution) takeMessage(c *Commit, item *QueueItem) {
	if item.Reply != nil {
		x.snap.state.Reply = item.Reply
	}
	for i := range item.Preface {
		x.takeQueued(c, item, item.Preface[i])
	}
	m := x.takeQueued(c, item, *item.Message)
	if !x.title && m.Role == RoleUser && !m.Silent && strings.TrimSpace(m.Text()) != "" {
		x.title = true
		c.Events = append(c.Events, x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateTitle, Title: titleOf(m.Text())}))
	}
}

// takeQueued makes a queued message part of the conversation.
func (x *execution) takeQueued(c *Commit, item *QueueItem, m Message) *Message {
	m.ThreadID, m.Status, m.TurnID, m.RunID = x.snap.thread.ID, MessageCompleted, item.TurnID, x.snap.state.RunID
	m.Side = speaker(m.Role)
	x.put(&m)
	told := x.messageEvent(&m)
	told.TurnID = item.TurnID
	c.Events = append(c.Events, told)
	return &m
}

func (x *execution) messageEvent(m *Message) Event {
	return x.event(EventThreadUpdated, "", UpdatePayload{
		Kind: UpdateMessage, MessageID: m.ID, Role: m.Role, Preview: preview(m.Text()), Silent: m.Silent})
}

// lost gives a call whose owner is gone its result: nobody knows how far it came,
// so it isn't run again (invariant 5).
func (x *execution) lost(c *Commit, call ToolCall) {
	x.lostNested(c)
	if x.retriesOnCrash(call.Name) {
		x.snap.owned = true
		return
	}
	x.finishTool(c, call, lostResult())
}

func lostResult() *ToolResult {
	return ErrorResult("interrupted, outcome unknown: sideb stopped while this tool ran. " +
		"It may or may not have had its effect; check before you call it again.")
}

// lostNested does so for the calls that sub-prompts of the open step made: the
// run that would have gone on with them is gone too.
func (x *execution) lostNested(c *Commit) {
	var open []*Message // messages with calls, deeper than the step's own
	has := map[ToolCallID]bool{}
	for i := slices.Index(x.history, x.snap.step) + 1; i < len(x.history); i++ {
		m := x.history[i]
		switch {
		case m.Role == RoleTool:
			has[m.ToolCallID] = true
		case m.Depth > 0 && len(m.ToolCalls) > 0:
			open = append(open, m)
		}
	}
	for _, parent := range open {
		for _, call := range parent.ToolCalls {
			if has[call.ID] {
				continue
			}
			res := lostResult()
			m := x.toolMessage(c, x.newMessageID(), call, res)
			m.Depth, m.ParentID, m.Side = parent.Depth, parent.ParentID, parent.Side
			x.put(&m)
			c.Events = append(c.Events, x.toolResultEvent(call, res, &m, 0))
		}
	}
}

// retriesOnCrash reports whether a call may be run again: its entry asks for it, or
// it is one of the runtime's own, which does all that it does in the commit of its
// result, so that a crash before means that nothing happened.
func (x *execution) retriesOnCrash(name string) bool {
	p := x.prompt()
	if p == nil {
		return false
	}
	switch name {
	case toolSubagentCreate, toolSubagentMessage, toolSendToAgent:
		return true
	}
	e := p.entry(name)
	if e == nil {
		e = &ToolEntry{Name: name}
	}
	kind := resolve(x.e.c.Project.Definitions(), e).kind
	return e.RetryOnCrash() || kind == kindSubagent || kind == kindHandoff
}

// queuedTools appends the tools that were queued during the step as calls of the
// runtime's own, in an assistant message, so that calls and results stay paired.
func (x *execution) queuedTools(c *Commit, tools []queuedTool) {
	s := &x.snap
	m := x.message(x.newMessageID(), authorOf(s.state.Side))
	m.Side, m.Silent = s.state.Side, true
	m.Metadata = json.RawMessage(`{"status_kind":"runtime_tool_invocation"}`)
	for _, t := range tools {
		call := ToolCall{ID: x.newCallID(), Name: t.Name, Arguments: string(t.Args)}
		m.ToolCalls = append(m.ToolCalls, call)
		if len(t.Transfer) > 0 {
			if s.state.Transfers == nil {
				s.state.Transfers = transfers{}
			}
			s.state.Transfers[call.ID] = t.Transfer
		}
	}
	s.state.Queued = nil
	if s.step != nil { // the step goes on: its stop conditions see all of its calls
		if s.before = append(append(s.before, s.step), s.done...); s.state.StepRoot == "" {
			s.state.StepRoot = s.step.ID
		}
	}
	x.put(&m)
	x.beginStep(&m)
	c.Events = append(c.Events, x.messageEvent(&m))
}

func (x *execution) newCallID() ToolCallID { return ToolCallID("call_" + x.e.c.NewID()) }

// beginStep makes m the open step.
func (x *execution) beginStep(m *Message) {
	x.snap.step, x.snap.done = m, nil
	x.snap.state.StepMessage = m.ID
}

func (x *execution) closeStep() {
	x.snap.step, x.snap.done, x.snap.before = nil, nil, nil
	x.snap.state.StepMessage, x.snap.state.StepRoot = "", ""
}

// handoff re-points the thread at another agent and goes on at once with its
// side A; it is no turn of its own.
func (x *execution) handoff(c *Commit, to handoff) {
	s := &x.snap
	s.state.Handoff = nil
	x.closeStep()
	agent := x.e.c.Project.Definitions().Agents[to.Agent]
	if agent == nil {
		x.warn(c, "the agent "+to.Agent+" of a handoff doesn't exist any more; the thread stays with "+s.thread.Agent)
		return
	}
	s.agent, s.thread.Agent, c.Agent = agent, agent.Name, agent.Name
	s.state.Side, s.state.Force, s.state.Boot = SideA, "", true
	s.state.Args = to.Args
	c.Events = append(c.Events, x.event(EventThreadUpdated, "",
		UpdatePayload{Kind: UpdateAgent, Agent: agent.Name, AgentType: agent.Type}))
	if to.Text != "" || len(to.Files) > 0 {
		m := x.message(x.newMessageID(), RoleUser)
		m.SetText(to.Text)
		m.Attachments, m.Side = to.Files, SideB
		x.put(&m)
		c.Events = append(c.Events, x.messageEvent(&m))
	}
}

// end ends the execution: open calls get a result, its turns an outcome. The
// queue stays.
func (x *execution) end(ctx context.Context, c *Commit, v verdict) {
	s := &x.snap
	x.abandonChild(c)
	for _, call := range s.openCalls() {
		x.finishTool(c, call, ErrorResult("cancelled before it had a result: "+string(v.reason)))
	}
	x.handled(c)
	if v.reason == StopRepeatedError {
		m := x.message(x.newMessageID(), authorOf(s.state.Side))
		m.SetText("I stopped: " + v.detail + ".")
		m.Side = s.state.Side
		x.put(&m)
		c.Events = append(c.Events, x.messageEvent(&m))
	}
	errText := ""
	if v.outcome == TurnFailed || v.reason.Limit() {
		errText = v.detail
	}
	typ := EventTurnCompleted
	if v.outcome == TurnFailed {
		typ = EventTurnFailed
	}
	for _, id := range s.state.Turns {
		ev := x.event(typ, string(v.outcome), TurnPayload{StopReason: v.reason, Error: errText, ErrorCode: v.code})
		ev.TurnID = id
		c.Events = append(c.Events, ev)
	}
	c.Events = append(c.Events, x.event(EventRunStatus, string(v.outcome), RunPayload{StopReason: v.reason, Error: errText}))
	x.report(ctx, c, v)
	if s.thread.Terminated != 0 {
		x.endChildren(ctx, c)
	}
	x.closeStep()
	x.ended, x.lastTurn, x.lastRun = s.state.Side, s.state.turn(), s.state.RunID
	s.state = s.state.rest()
	x.answer, x.told = "", ""
}

// speaker is the side that a message's role stands for, "" for neither.
func speaker(r Role) Side {
	switch r {
	case RoleAssistant:
		return SideA
	case RoleUser:
		return SideB
	default:
		return ""
	}
}

// authorOf is the role in which a side's messages are stored.
func authorOf(s Side) Role {
	if s == SideB {
		return RoleUser
	}
	return RoleAssistant
}

// preview is the start of a text on one line, for events and titles.
func preview(s string) string { return clip(oneLine(s), EventPreview) }

func titleOf(s string) string { return clip(oneLine(s), MaxTitle) }

func oneLine(s string) string {
	if len(s) > 4*EventPreview {
		s = s[:4*EventPreview]
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
}

// clip cuts s to n bytes at a rune's border and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n]) + "…"
}
