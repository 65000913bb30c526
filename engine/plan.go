package engine

// action is what the planner decides next; exactly one of the types below.
type action interface{ isAction() }

type (
	// actRest: nothing to do, the thread is idle.
	actRest struct{}
	// actStart: take what is queued and begin an execution.
	actStart struct{}
	// actInject: take what is queued into the running execution.
	actInject struct{}
	// actModel: ask the side's model for the next step.
	actModel struct{ side Side }
	// actTool: run one call of the open step.
	actTool struct{ call ToolCall }
	// actLost: a call was begun by an owner that is gone; its outcome is unknown.
	actLost struct{ call ToolCall }
	// actWait: the open call waits for a blocking child; nothing to do until then.
	actWait struct{}
	// actDeliver: the awaited child's result is there.
	actDeliver struct {
		call ToolCall
		item *QueueItem
	}
	// actQueued: append the tools that were queued during the step as calls of
	// the runtime's own.
	actQueued struct{ tools []queuedTool }
	// actBoot: make the immediate calls of the prompt that became active.
	actBoot struct{}
	// actEffect: run a scheduled effect whose time has come.
	actEffect struct{ effect Scheduled }
	// actHandoff: re-point the thread at another agent, then go on.
	actHandoff struct{ to handoff }
	// actYield: the side's turn is over and the other side speaks.
	actYield struct {
		next   Side
		reason StopReason
	}
	// actContinue: the step is over and the same side goes on.
	actContinue struct{}
	// actEnd: the execution is over.
	actEnd struct{ verdict verdict }
)

func (actRest) isAction()     {}
func (actStart) isAction()    {}
func (actInject) isAction()   {}
func (actModel) isAction()    {}
func (actTool) isAction()     {}
func (actLost) isAction()     {}
func (actWait) isAction()     {}
func (actDeliver) isAction()  {}
func (actQueued) isAction()   {}
func (actEffect) isAction()   {}
func (actBoot) isAction()     {}
func (actHandoff) isAction()  {}
func (actYield) isAction()    {}
func (actContinue) isAction() {}
func (actEnd) isAction()      {}

// plan decides what comes next. It is pure: no clock, no store, no randomness.
// The order is the specification's (runtime §3, §6): what ends the execution from
// outside, then the open step, then the queue, then the caps, then the model.
func plan(s *snapshot) action {
	st := &s.state
	switch {
	case s.thread.Terminated != 0:
		return endOrRest(st, verdict{reason: StopTerminated, outcome: TurnCancelled})
	case s.cancel != nil && st.RunID != "":
		return actEnd{verdict{reason: StopAbortedByUser, outcome: TurnCancelled, detail: s.cancel.Reason}}
	case st.RunID == "" && len(s.due) > 0:
		return actEffect{s.due[0]}
	case st.RunID == "" && len(s.queue) > 0:
		return actStart{}
	case st.RunID == "":
		return actRest{}
	case s.step != nil:
		return planStep(s)
	case len(s.queue) > 0:
		return actInject{}
	case st.Boot:
		return actBoot{}
	case len(st.Queued) > 0:
		return actQueued{st.Queued}
	}
	if v, capped := capsReached(s.agent, st); capped {
		return actEnd{v}
	}
	return actModel{st.Side}
}

func endOrRest(st *execState, v verdict) action {
	if st.RunID == "" {
		return actRest{}
	}
	return actEnd{v}
}

// planStep goes on with the open step: its calls in order, what they queued, a
// handoff, then the stop conditions (runtime §3, steps 5 to 7).
func planStep(s *snapshot) action {
	st := &s.state
	if open := s.openCalls(); len(open) > 0 {
		call := &open[0]
		if st.Waiting != nil && st.Waiting.Call == call.ID {
			if item := s.delivery(); item != nil {
				return actDeliver{*call, item}
			}
			return actWait{}
		}
		if st.Started == call.ID && !s.owned {
			return actLost{*call}
		}
		return actTool{*call}
	}
	if len(st.Queued) > 0 {
		return actQueued{st.Queued}
	}
	if st.Handoff != nil {
		return actHandoff{*st.Handoff}
	}
	return afterStep(s)
}

// afterStep evaluates the stop conditions once all results of the step are
// durable.
func afterStep(s *snapshot) action {
	v, force := stop(s), s.state.Force
	switch {
	case v.ends:
		return actEnd{v}
	case force != "" && s.agent.Type == DualAI && force != s.state.Side:
		return actYield{next: force, reason: v.reason}
	case force != "" || v.reason == "":
		return actContinue{}
	default:
		return actYield{next: s.state.Side.Other(), reason: v.reason}
	}
}
