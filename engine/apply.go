package engine

import "encoding/json"

const maxIncidents = 5

// Apply folds one event into the read models. It is pure: the same log over the
// same identities always gives the same models. The store has set the event's
// sequence, and loaded into r the models that the event's ids name.
func Apply(r *ReadModels, e *Event) {
	at := MicrosOf(e.Timestamp)
	switch e.Type {
	case EventSessionCreated:
		r.Session = &SessionRead{SessionID: e.SessionID, RootThread: e.ThreadID, CreatedAt: at}
	case EventThreadStarted:
		applyThreadStarted(r, e)
	case EventThreadUpdated:
		applyThreadUpdated(r, e)
	case EventTurnSubmitted, EventTurnStarted, EventTurnCompleted, EventTurnFailed:
		applyTurn(r, e, at)
	case EventRunStatus:
		applyRun(r, e, at)
	case EventQueueChanged:
		applyQueue(r, e)
	case EventModelRequested, EventModelCompleted:
		applyModel(r, e, at)
	case EventModelFailed:
		applyPartial(r, e)
	case EventToolStarted, EventToolResult, EventToolFailed:
		applyTool(r, e, at)
	case EventSubagentSpawned, EventSubagentStatus, EventSubagentDone, EventSubagentFailed, EventSubagentClosed:
		applySubagent(r, e)
	case EventRuntimeWarning, EventRuntimeError:
		applyIncident(r, e, at)
	default: // facts that no read model shows
	}
	if r.Thread != nil {
		r.Thread.UpdatedAt, r.Thread.Sequence = at, e.Sequence
	}
	if r.Session != nil {
		r.Session.UpdatedAt, r.Session.Sequence = at, e.Sequence
	}
}

// payloadOf decodes the payload; one that can't be read is its zero value, since
// a projection must never fail a commit.
func payloadOf[T any](e *Event) T {
	var p T
	_ = json.Unmarshal(e.Payload, &p)
	return p
}

func applyThreadStarted(r *ReadModels, e *Event) {
	p := payloadOf[ThreadPayload](e)
	if r.Thread == nil {
		r.Thread = &ThreadRead{ThreadID: e.ThreadID, SessionID: e.SessionID, CreatedAt: MicrosOf(e.Timestamp)}
	}
	t := r.Thread
	t.Agent, t.AgentType, t.Name, t.ParentThreadID = p.Agent, p.AgentType, p.Name, p.Parent
	t.Status = ThreadIdle
	if r.Session != nil {
		r.Session.Threads++
	}
}

func applyThreadUpdated(r *ReadModels, e *Event) {
	t := r.Thread
	if t == nil {
		return
	}
	p := payloadOf[UpdatePayload](e)
	switch p.Kind {
	case UpdateTitle:
		t.Title = p.Title
	case UpdateAgent:
		t.Agent, t.AgentType = p.Agent, p.AgentType
	case UpdateStatus:
		t.StatusText = p.Text
	case UpdateTerminated:
		t.Terminated = p.At
	case UpdateMessage, UpdateEnv, UpdateValue, UpdateEmit, UpdateLog, UpdateEffect, UpdateFile:
	}
}

func applyTurn(r *ReadModels, e *Event, at Micros) {
	p := payloadOf[TurnPayload](e)
	if r.Turn == nil {
		r.Turn = &TurnRead{TurnID: e.TurnID, ThreadID: e.ThreadID, SessionID: e.SessionID}
	}
	u := r.Turn
	switch e.Type {
	case EventTurnSubmitted:
		u.Origin, u.Status, u.SubmittedAt = p.Origin, TurnQueued, at
	case EventTurnStarted:
		u.Status, u.StartedAt, u.RunID, u.JoinedTurnID = TurnRunning, at, e.RunID, p.JoinedTurnID
		if r.Thread != nil {
			r.Thread.ActiveTurns = append(r.Thread.ActiveTurns, e.TurnID)
		}
	default:
		u.Status, u.EndedAt = TurnStatus(e.Status), at
		u.StopReason, u.Error, u.ErrorCode = p.StopReason, p.Error, p.ErrorCode
		if r.Thread != nil {
			r.Thread.ActiveTurns = without(r.Thread.ActiveTurns, e.TurnID)
		}
	}
}

func applyRun(r *ReadModels, e *Event, at Micros) {
	t := r.Thread
	if t == nil {
		return
	}
	p := payloadOf[RunPayload](e)
	t.RunID = e.RunID
	switch e.Status {
	case "running":
		t.Status, t.Side, t.Doing, t.Since = ThreadRunning, p.Side, "", at
		if !p.Resumed && p.Waits == "" {
			t.LastError, t.LastStop = "", ""
		}
	case "blocked":
		t.Status, t.Doing, t.Since = ThreadBlocked, p.Waits, at
	default:
		t.LastOutcome, t.LastStop, t.LastError = TurnStatus(e.Status), p.StopReason, p.Error
		t.Side, t.Doing, t.Since, t.Step, t.ActiveTurns = "", "", at, 0, nil
		t.Status = restStatus(t)
	}
}

// restStatus is the status of a thread that doesn't run: what waits comes first,
// then how the last execution ended. A conversation that may go on is idle, one
// whose session was stopped by a lifecycle tool is completed.
func restStatus(t *ThreadRead) ThreadStatus {
	switch {
	case t.QueueLength > 0:
		return ThreadQueued
	case t.LastOutcome == TurnFailed:
		return ThreadFailed
	case t.LastOutcome == TurnCancelled:
		return ThreadCancelled
	case t.LastStop == StopSession:
		return ThreadCompleted
	default:
		return ThreadIdle
	}
}

func applyQueue(r *ReadModels, e *Event) {
	t := r.Thread
	if t == nil {
		return
	}
	t.QueueLength = max(0, t.QueueLength+payloadOf[QueuePayload](e).Delta)
	if t.Status != ThreadRunning && t.Status != ThreadBlocked {
		t.Status = restStatus(t)
	}
}

func applyModel(r *ReadModels, e *Event, at Micros) {
	p := payloadOf[ModelPayload](e)
	if e.Type == EventModelRequested {
		if t := r.Thread; t != nil {
			t.Doing, t.Since, t.Model = "model", at, p.Model
			if p.Depth == 0 {
				t.Step, t.Side = p.Step, p.Side
			}
		}
		return
	}
	step := 0
	if p.Depth == 0 {
		step = 1
	}
	if t := r.Thread; t != nil {
		t.Doing, t.Since = "", at
		t.Steps += step
		account(&t.Usage, &t.Cost, &t.CostUnknown, p)
	}
	if u := r.Turn; u != nil {
		u.Steps += step
		account(&u.Usage, &u.Cost, &u.CostUnknown, p)
	}
}

// applyPartial: what an answer that was cut off cost, nobody says.
func applyPartial(r *ReadModels, e *Event) {
	if !payloadOf[ModelPayload](e).Partial {
		return
	}
	if r.Thread != nil {
		r.Thread.CostUnknown = true
	}
	if r.Turn != nil {
		r.Turn.CostUnknown = true
	}
}

func account(u *Usage, cost **float64, unknown *bool, p ModelPayload) {
	if p.Usage != nil {
		u.Add(*p.Usage)
	}
	if p.Cost == nil {
		*unknown = true
		return
	}
	sum := *p.Cost
	if *cost != nil {
		sum += **cost
	}
	*cost = &sum
}

func applyTool(r *ReadModels, e *Event, at Micros) {
	t := r.Thread
	if t == nil {
		return
	}
	if p := payloadOf[ToolPayload](e); e.Type == EventToolStarted {
		t.Doing, t.Since = "tool:"+p.Name, at
	} else {
		t.Doing, t.Since = "", at
	}
}

func applySubagent(r *ReadModels, e *Event) {
	p := payloadOf[SubagentPayload](e)
	if e.Type == EventSubagentSpawned && p.Child != nil {
		child := *p.Child
		r.Child = &child
		return
	}
	if r.Child != nil && p.Status != "" && r.Child.Status != childTerminated { // which is for good
		r.Child.Status = p.Status
	}
}

func applyIncident(r *ReadModels, e *Event, at Micros) {
	t := r.Thread
	if t == nil {
		return
	}
	level := "warning"
	if e.Type == EventRuntimeError {
		level = "error"
	}
	p := payloadOf[WarningPayload](e)
	t.Incidents = append(t.Incidents, Incident{At: at, Level: level, Message: p.Message, TurnID: e.TurnID})
	if n := len(t.Incidents) - maxIncidents; n > 0 {
		t.Incidents = t.Incidents[n:]
	}
}

func without(ids []TurnID, id TurnID) []TurnID {
	out := ids[:0]
	for _, x := range ids {
		if x != id {
			out = append(out, x)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
