package engine

import (
	"strconv"
	"strings"
)

// verdict is what the stop conditions say of a step. An empty reason lets the
// side go on; ends tells the end of the execution from the end of a side's turn.
type verdict struct {
	reason  StopReason
	ends    bool
	outcome TurnStatus // of the turns, when ends
	detail  string     // text for people: an error or the user's reason
	code    Code       // of the error, where there is one
}

func ended(r StopReason, outcome TurnStatus) verdict {
	return verdict{reason: r, ends: true, outcome: outcome}
}

// stop evaluates the conditions of runtime §6 in their order for the step that
// was just completed: session tools of the side, its stopTool, its
// stopOnResponse, and execution.stop(). Caps are checked before the next step.
func stop(s *snapshot) verdict {
	side := s.agent.Side(s.state.Side)
	if side == nil || s.step == nil {
		return ended(StopOnResponse, TurnCompleted)
	}
	v, called := stopSession(s, side)
	if v.ends {
		return v
	}
	if s.state.StopAsked {
		return ended(StopRequested, TurnCompleted)
	}
	if s.state.Streak.N >= RepeatedToolErrors {
		return verdict{reason: StopRepeatedError, ends: true, outcome: TurnFailed,
			detail: "the same tool error came " + strconv.Itoa(RepeatedToolErrors) + " times in a row"}
	}
	if called {
		return verdict{} // a lifecycle call that failed keeps the side going
	}
	if side.StopTool != "" && s.called(side.StopTool) {
		return endSideTurn(s, StopTool)
	}
	// Text beside tool calls is no response (authoring surface §14.3); an image is.
	text := len(s.step.ToolCalls) == 0 && (strings.TrimSpace(s.step.Text()) != "" || len(s.step.Attachments) > 0)
	switch {
	case text && side.StopOnResponse:
		return endSideTurn(s, StopOnResponse)
	case len(s.step.ToolCalls) == 0 && !side.StopOnResponse && side.StopTool == "" && s.agent.Type == DualAI:
		// Decision A5: a side that stops on nothing of its own yields after a
		// step without tool calls.
		return endSideTurn(s, StopOnResponse)
	}
	return verdict{}
}

// stopSession looks at the lifecycle tools of the current side, fail before stop.
// called says that one was called, whatever came of it.
func stopSession(s *snapshot, side *SideConfig) (v verdict, called bool) {
	for _, c := range []struct {
		binding *SessionBinding
		verdict verdict
	}{
		{side.SessionFail, ended(StopSessionFail, TurnFailed)},
		{side.SessionStop, ended(StopSession, TurnCompleted)},
	} {
		if c.binding == nil || !s.called(c.binding.Name) {
			continue
		}
		called = true
		if m := s.succeeded(c.binding.Name); m != nil {
			c.verdict.detail = m.Text()
			return c.verdict, true
		}
	}
	return verdict{}, called
}

func endSideTurn(s *snapshot, r StopReason) verdict {
	if s.agent.Type == DualAI {
		return verdict{reason: r}
	}
	return ended(r, TurnCompleted)
}

// capsReached checks the safety limits before a step: maxSessionTurns (counted in
// exchanges, dual_ai only), maxSteps of the side, the caller's bound, and the
// hard cap, which is raised to the largest maxSteps that the agent configures.
func capsReached(a *Agent, st *execState) (verdict, bool) {
	limit := func(r StopReason, detail string) (verdict, bool) {
		return verdict{reason: r, ends: true, outcome: TurnCompleted, detail: detail}, true
	}
	side := a.Side(st.Side)
	if side == nil {
		return ended(StopOnResponse, TurnCompleted), true
	}
	if a.Type == DualAI && a.MaxSessionTurns > 0 && min(st.TurnsA, st.TurnsB) >= a.MaxSessionTurns {
		return limit(StopMaxSessionTurns, "maxSessionTurns of "+strconv.Itoa(a.MaxSessionTurns)+" reached")
	}
	if side.MaxSteps > 0 && st.sideSteps(st.Side) >= side.MaxSteps {
		return limit(StopMaxSideSteps, "maxSteps of "+strconv.Itoa(side.MaxSteps)+" reached by side "+string(st.Side))
	}
	if st.MaxSteps > 0 && st.Steps >= st.MaxSteps {
		return limit(StopMaxTotalSteps, "the bound of "+strconv.Itoa(st.MaxSteps)+" steps was reached")
	}
	total := max(DefaultTotalSteps, a.SideA.MaxSteps)
	if a.SideB != nil {
		total = max(total, a.SideB.MaxSteps)
	}
	if st.Steps >= total {
		return limit(StopMaxTotalSteps, "the hard cap of "+strconv.Itoa(total)+" steps was reached")
	}
	return verdict{}, false
}

func calls(m *Message, tool string) bool {
	for i := range m.ToolCalls {
		if m.ToolCalls[i].Name == tool {
			return true
		}
	}
	return false
}
