package engine

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
)

// planned names what plan decides.
func planned(a action) string {
	switch a := a.(type) {
	case actTool:
		return "tool " + string(a.call.ID)
	case actLost:
		return "lost " + string(a.call.ID)
	case actModel:
		return "model " + string(a.side)
	case actYield:
		return "yield " + string(a.next) + " " + string(a.reason)
	case actEnd:
		return fmt.Sprintf("end %s %s", a.verdict.reason, a.verdict.outcome)
	default:
		return reflect.TypeOf(a).Name()
	}
}

// result is a result of the call with that id.
func result(id ToolCallID, name string, status ToolStatus) *Message {
	return &Message{Role: RoleTool, ToolCallID: id, Name: name, ToolStatus: status}
}

func step(text string, tools ...string) *Message {
	m := &Message{Role: RoleAssistant}
	if text != "" {
		m.SetText(text)
	}
	for i, name := range tools {
		m.ToolCalls = append(m.ToolCalls, ToolCall{ID: ToolCallID(fmt.Sprint("c", i+1)), Name: name})
	}
	return m
}

func person(side SideConfig) *Agent { return &Agent{Type: AIHuman, SideA: side} }

func dual(a, b SideConfig) *Agent { return &Agent{Type: DualAI, SideA: a, SideB: &b} }

func TestPlan(t *testing.T) {
	plain := person(SideConfig{StopOnResponse: true})
	run := func(s execState) execState { s.RunID, s.Side = "r", SideA; return s }
	queue := []QueueItem{{ID: "q"}}
	for _, c := range []struct {
		name string
		snap snapshot
		want string
	}{
		{"nothing to do", snapshot{agent: plain}, "actRest"},
		{"queued at rest", snapshot{agent: plain, queue: queue}, "actStart"},
		{"terminated at rest", snapshot{agent: plain, queue: queue, thread: Thread{Terminated: 1}}, "actRest"},
		{"terminated running", snapshot{agent: plain, state: run(execState{}), thread: Thread{Terminated: 1}}, "end terminated cancelled"},
		{"interrupted", snapshot{agent: plain, state: run(execState{}), step: step("", "x"), cancel: &Signal{Kind: SignalInterrupt}}, "end aborted_by_user cancelled"},
		{"interrupt at rest", snapshot{agent: plain, cancel: &Signal{}}, "actRest"},
		{"queue before the model", snapshot{agent: plain, state: run(execState{}), queue: queue}, "actInject"},
		{"step before the queue", snapshot{agent: plain, state: run(execState{}), queue: queue, step: step("", "x")}, "tool c1"},
		{"queued tools before the model", snapshot{agent: plain, state: run(execState{Queued: []queuedTool{{Name: "x"}}})}, "actQueued"},
		{"ask", snapshot{agent: plain, state: run(execState{})}, "model a"},
		{"second call", snapshot{agent: plain, state: run(execState{}), step: step("", "x", "y"), done: []*Message{result("c1", "x", ToolSuccess)}}, "tool c2"},
		{"call of a dead owner", snapshot{agent: plain, state: run(execState{Started: "c1"}), step: step("", "x")}, "lost c1"},
		{"call of our own", snapshot{agent: plain, owned: true, state: run(execState{Started: "c1"}), step: step("", "x")}, "tool c1"},
		{"step done", snapshot{agent: plain, state: run(execState{}), step: step("", "x"), done: []*Message{result("c1", "x", ToolSuccess)}}, "actContinue"},
		{"queued tools before a handoff", snapshot{agent: plain, state: run(execState{Queued: []queuedTool{{}}, Handoff: &handoff{}}), step: step("hi")}, "actQueued"},
		{"handoff before stops", snapshot{agent: plain, state: run(execState{Handoff: &handoff{}}), step: step("hi")}, "actHandoff"},
		{"response", snapshot{agent: plain, state: run(execState{}), step: step("hi")}, "end stop_on_response completed"},
		{"hard cap", snapshot{agent: plain, state: run(execState{Steps: DefaultTotalSteps})}, "end max_total_steps completed"},
		{"hard cap raised", snapshot{agent: person(SideConfig{MaxSteps: 300}), state: run(execState{Steps: DefaultTotalSteps})}, "model a"},
		{"forced", snapshot{agent: dual(SideConfig{StopOnResponse: true}, SideConfig{}), state: run(execState{Force: SideA}), step: step("hi")}, "actContinue"},
		{"forced over", snapshot{agent: dual(SideConfig{}, SideConfig{}), state: run(execState{Force: SideB}), step: step("", "x"), done: []*Message{result("c1", "x", ToolError)}}, "yield b "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := planned(plan(&c.snap)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestStop(t *testing.T) {
	binding := func(name string) *SessionBinding { return &SessionBinding{Name: name} }
	full := SideConfig{StopOnResponse: true, StopTool: "answer", SessionStop: binding("finish"), SessionFail: binding("fail")}
	ok, bad := ToolSuccess, ToolError
	for _, c := range []struct {
		name string
		snap snapshot
		want verdict
	}{
		{"fail before stop", snapshot{agent: person(full), step: step("", "finish", "fail"),
			done: []*Message{result("c1", "finish", ok), result("c2", "fail", ok)}}, ended(StopSessionFail, TurnFailed)},
		{"stop where fail failed", snapshot{agent: person(full), step: step("", "fail", "finish"),
			done: []*Message{result("c1", "fail", bad), result("c2", "finish", ok)}}, ended(StopSession, TurnCompleted)},
		{"one of two succeeded", snapshot{agent: person(full), step: step("", "finish", "finish"),
			done: []*Message{result("c1", "finish", bad), result("c2", "finish", ok)}}, ended(StopSession, TurnCompleted)},
		{"failed lifecycle stops nothing", snapshot{agent: person(full), step: step("", "finish", "answer"),
			done: []*Message{result("c1", "finish", bad), result("c2", "answer", ok)}}, verdict{}},
		{"failed lifecycle, but asked to stop", snapshot{agent: person(full), state: execState{StopAsked: true}, step: step("", "finish"),
			done: []*Message{result("c1", "finish", bad)}}, ended(StopRequested, TurnCompleted)},
		{"stop tool fails and stops", snapshot{agent: person(full), step: step("", "answer"), done: []*Message{result("c1", "answer", bad)}}, ended(StopTool, TurnCompleted)},
		{"stop tool in what was queued before", snapshot{agent: person(full), step: step("", "x"), done: []*Message{result("c1", "x", ok)},
			before: []*Message{step("", "answer")}}, ended(StopTool, TurnCompleted)},
		{"stop tool of dual_ai", snapshot{agent: dual(full, SideConfig{}), step: step("", "answer"), done: []*Message{result("c1", "answer", ok)}}, verdict{reason: StopTool}},
		{"the other side's stop tool", snapshot{agent: dual(SideConfig{}, full), step: step("", "answer"), done: []*Message{result("c1", "answer", ok)}}, verdict{}},
		{"blank text", snapshot{agent: person(full), step: step(" \n\t")}, verdict{}},
		{"text beside calls", snapshot{agent: person(full), step: step("hi", "x"), done: []*Message{result("c1", "x", ok)}}, verdict{}},
		{"text, not stopping", snapshot{agent: person(SideConfig{}), step: step("hi")}, verdict{}},
		{"A5: yields without calls", snapshot{agent: dual(SideConfig{}, SideConfig{}), step: step("hi")}, verdict{reason: StopOnResponse}},
		{"A5: goes on with calls", snapshot{agent: dual(SideConfig{}, SideConfig{}), step: step("hi", "x"), done: []*Message{result("c1", "x", ok)}}, verdict{}},
		{"A5: has a stop tool", snapshot{agent: dual(SideConfig{StopTool: "t"}, SideConfig{}), step: step("hi")}, verdict{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.snap.state.Side == "" {
				c.snap.state.Side = SideA
			}
			if got := stop(&c.snap); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCapsReached(t *testing.T) {
	sides := func(max int) *Agent {
		a := dual(SideConfig{MaxSteps: 2}, SideConfig{})
		a.MaxSessionTurns = max
		return a
	}
	for _, c := range []struct {
		name  string
		agent *Agent
		state execState
		want  StopReason
	}{
		{"half an exchange", sides(1), execState{Side: SideB, TurnsA: 1}, ""},
		{"an exchange", sides(1), execState{Side: SideA, TurnsA: 1, TurnsB: 1}, StopMaxSessionTurns},
		{"before steps", sides(1), execState{Side: SideA, TurnsA: 1, TurnsB: 1, StepsA: 2}, StopMaxSessionTurns},
		{"steps of a", sides(9), execState{Side: SideA, StepsA: 2}, StopMaxSideSteps},
		{"steps of a are not b's", sides(9), execState{Side: SideB, StepsA: 2, Steps: 2}, ""},
		{"the caller's bound", sides(9), execState{Side: SideB, Steps: 5, MaxSteps: 5}, StopMaxTotalSteps},
		{"not for ai_human", &Agent{Type: AIHuman, MaxSessionTurns: 1}, execState{Side: SideA, TurnsA: 5, TurnsB: 5}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, capped := capsReached(c.agent, &c.state)
			if v.reason != c.want || capped != (c.want != "") {
				t.Errorf("got %v %v, want %q", v, capped, c.want)
			}
		})
	}
}

func TestRetryIn(t *testing.T) {
	fail := func(kind ModelErrorKind, status int, after time.Duration) error {
		return fmt.Errorf("ask: %w", &ModelError{Kind: kind, HTTPStatus: status, RetryAfter: after})
	}
	for _, c := range []struct {
		err     error
		attempt int
		wait    time.Duration
		again   bool
	}{
		{fail(ModelServerError, 500, 0), 1, RetryBase, true},
		{fail(ModelServerError, 500, 0), ModelAttempts, 0, false},
		{fail(ModelNetwork, 0, 0), 1, RetryBase, true},
		{fail(ModelRateLimit, 429, 5*time.Second), 1, 5 * time.Second, true},
		{fail(ModelRateLimit, 429, time.Millisecond), 1, RetryBase, true},
		{fail(ModelRateLimit, 429, MaxRetryAfter+1), 1, 0, false},
		{fail(ModelTimeout, 0, 0), 1, 0, false},
		{fail(ModelAuth, 401, 0), 1, 0, false},
		{fail(ModelContextLength, 400, 0), 1, 0, false},
		{fail("of_a_project", 503, 0), 1, RetryBase, true},
		{fail("of_a_project", 400, 0), 1, 0, false},
		{errors.New("no provider's"), 1, 0, false},
	} {
		wait, again := retryIn(c.err, c.attempt)
		if wait != c.wait || again != c.again {
			t.Errorf("%v, attempt %d: %v %v, want %v %v", c.err, c.attempt, wait, again, c.wait, c.again)
		}
	}
}

func TestCostOf(t *testing.T) {
	price := func(v float64) *float64 { return &v }
	used := Usage{PromptTokens: 1000, CachedTokens: 400, CompletionTokens: 100}
	for name, c := range map[string]struct {
		def  ModelDef
		resp ModelResponse
		want *float64
	}{
		"no prices":        {ModelDef{}, ModelResponse{UsageKnown: true, Usage: used}, nil},
		"no usage":         {ModelDef{InputPrice: price(1), OutputPrice: price(2)}, ModelResponse{}, nil},
		"one price":        {ModelDef{InputPrice: price(1)}, ModelResponse{UsageKnown: true, Usage: used}, nil},
		"prices":           {ModelDef{InputPrice: price(1), OutputPrice: price(2)}, ModelResponse{UsageKnown: true, Usage: used}, price(0.0012)},
		"cached":           {ModelDef{InputPrice: price(1), OutputPrice: price(2), CachedPrice: price(0.5)}, ModelResponse{UsageKnown: true, Usage: used}, price(0.001)},
		"free":             {ModelDef{InputPrice: price(0), OutputPrice: price(0)}, ModelResponse{UsageKnown: true, Usage: used}, price(0)},
		"the provider's":   {ModelDef{InputPrice: price(1), OutputPrice: price(2)}, ModelResponse{Cost: price(7)}, price(7)},
		"free by provider": {ModelDef{}, ModelResponse{Cost: price(0)}, price(0)},
	} {
		t.Run(name, func(t *testing.T) {
			got := costOf(&c.def, &c.resp)
			if (got == nil) != (c.want == nil) || got != nil && (*got-*c.want > 1e-12 || *c.want-*got > 1e-12) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
