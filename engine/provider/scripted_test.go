package provider

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func script(t *testing.T, s *Scripted, name string) engine.Model {
	t.Helper()
	m, err := s.Open(context.Background(), &engine.ModelDef{Name: name}, env())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScriptedAnswersByCallIndex(t *testing.T) {
	s := &Scripted{Replies: map[string][]Reply{
		"fast": {{Calls: []engine.ToolCall{Call("c1", "add", `{"a":1}`)}}, {Text: "It is three.", Chunks: 3, Reasoning: "sum", Usage: &engine.Usage{TotalTokens: 9}}},
		"":     {Fail(engine.ModelRateLimit, "slow down")},
	}}
	req := ask("1+2")
	req.CallIndex = 1
	resp, deltas, err := collect(t, script(t, s, "fast"), req)
	if err != nil || resp.Text != "It is three." || resp.FinishReason != engine.FinishStop || resp.Usage.TotalTokens != 9 || !resp.UsageKnown {
		t.Errorf("%+v, %v", resp, err)
	}
	if len(deltas) != 4 || deltaText(deltas, engine.DeltaText) != resp.Text {
		t.Errorf("deltas %+v", deltas)
	}
	req.CallIndex = 0
	resp, _, err = collect(t, script(t, s, "fast"), req)
	if err != nil || len(resp.ToolCalls) != 1 || resp.FinishReason != engine.FinishToolCalls {
		t.Errorf("%+v, %v", resp, err)
	}
	req.CallIndex = 2
	_, _, err = collect(t, script(t, s, "fast"), req)
	if e := mustModelError(t, err); e.Kind != engine.ModelInvalidRequest {
		t.Errorf("%v", e)
	}
	_, _, err = collect(t, script(t, s, "other"), ask("hi"))
	if e := mustModelError(t, err); e.Kind != engine.ModelRateLimit {
		t.Errorf("%v", e)
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests kept", n)
	}
}

func TestScriptedWaits(t *testing.T) {
	var waited time.Duration
	s := &Scripted{
		Answer: func(context.Context, *engine.ModelRequest) Reply {
			return Reply{Text: "Once", Delay: time.Hour, Hang: make(chan struct{})}
		},
		Wait: func(_ context.Context, d time.Duration) error { waited = d; return nil },
	}
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := script(t, s, "m").Generate(ctx, ask("hi"), func(engine.ModelDelta) { cancel() })
	if !errors.Is(err, context.Canceled) || resp == nil || resp.Text != "Once" || waited != time.Hour {
		t.Errorf("%+v, %v, waited %v", resp, err, waited)
	}
}
