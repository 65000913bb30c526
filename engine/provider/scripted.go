package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// Scripted is an engine.Models for tests: its models answer from a list, without
// a network. It is safe for concurrent use.
//
//	models := &provider.Scripted{Replies: map[string][]provider.Reply{
//		"fast": {{Calls: []engine.ToolCall{provider.Call("c1", "add", `{"a":1}`)}}, {Text: "It is 3."}},
//	}}
type Scripted struct {
	// Replies holds a list for each model definition's name; "" serves models
	// that have none of their own. The reply is chosen by ModelRequest.CallIndex,
	// so that a script goes on where it was after a crash. Past the end of the
	// list a call fails as invalid_request.
	Replies map[string][]Reply
	// Answer chooses the reply instead, where it isn't nil.
	Answer func(ctx context.Context, req *engine.ModelRequest) Reply
	// Wait ends after d, or earlier with ctx's error; nil waits on the wall clock.
	Wait func(ctx context.Context, d time.Duration) error

	mu       sync.Mutex
	requests []engine.ModelRequest
}

// Reply is one scripted answer.
type Reply struct {
	Text      string
	Chunks    int // text is streamed in so many pieces; 0 is one
	Reasoning string
	Calls     []engine.ToolCall
	Images    []engine.ContentPart
	Finish    engine.FinishReason // "" is what fits
	Usage     *engine.Usage       // nil is not reported
	Cost      *float64
	Delay     time.Duration // before the first delta
	// Err is returned after what the reply streams; the response comes with it.
	Err error
	// Gate, where not nil, is waited on before the reply's first delta, and
	// Hang after its last; both end with the context.
	Gate, Hang <-chan struct{}
}

// Call is a tool call of a Reply. arguments is JSON text.
func Call(id, name, arguments string) engine.ToolCall {
	return engine.ToolCall{ID: engine.ToolCallID(id), Name: name, Arguments: arguments}
}

// Fail is a Reply that fails with a provider error.
func Fail(kind engine.ModelErrorKind, message string) Reply {
	return Reply{Err: &engine.ModelError{Kind: kind, Provider: "scripted", Message: message}}
}

// Open implements engine.Models.
func (s *Scripted) Open(_ context.Context, def *engine.ModelDef, _ func(string) (string, bool)) (engine.Model, error) {
	return &scriptedModel{script: s, def: def}, nil
}

// Requests returns the requests so far, in the order of their arrival.
func (s *Scripted) Requests() []engine.ModelRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]engine.ModelRequest(nil), s.requests...)
}

type scriptedModel struct {
	script *Scripted
	def    *engine.ModelDef
}

// Generate implements engine.Model.
func (m *scriptedModel) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := m.script
	s.mu.Lock()
	s.requests = append(s.requests, *req)
	s.mu.Unlock()
	reply := s.reply(ctx, m.def, req)
	if reply.Delay > 0 {
		if err := s.wait(ctx, reply.Delay); err != nil {
			return nil, err
		}
	}
	if err := passed(ctx, reply.Gate); err != nil {
		return nil, err
	}
	resp := reply.stream(emit)
	if err := passed(ctx, reply.Hang); err != nil {
		return resp, err
	}
	return resp, reply.Err
}

func (s *Scripted) reply(ctx context.Context, def *engine.ModelDef, req *engine.ModelRequest) Reply {
	if s.Answer != nil {
		return s.Answer(ctx, req)
	}
	list, ok := s.Replies[def.Name]
	if !ok {
		list = s.Replies[""]
	}
	if req.CallIndex < 0 || req.CallIndex >= len(list) {
		return Fail(engine.ModelInvalidRequest, fmt.Sprintf("the script of model %q has %d replies, request %d is past its end", def.Name, len(list), req.CallIndex+1))
	}
	return list[req.CallIndex]
}

func (s *Scripted) wait(ctx context.Context, d time.Duration) error {
	if s.Wait != nil {
		return s.Wait(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func passed(ctx context.Context, gate <-chan struct{}) error {
	if gate == nil {
		return nil
	}
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stream emits the reply and returns it as a response.
func (r *Reply) stream(emit func(engine.ModelDelta)) *engine.ModelResponse {
	send := func(d engine.ModelDelta) {
		if emit != nil {
			emit(d)
		}
	}
	if r.Reasoning != "" {
		send(engine.ModelDelta{Kind: engine.DeltaReasoning, Text: r.Reasoning})
	}
	for _, piece := range pieces(r.Text, max(r.Chunks, 1)) {
		send(engine.ModelDelta{Kind: engine.DeltaText, Text: piece})
	}
	for _, call := range r.Calls {
		send(engine.ModelDelta{Kind: engine.DeltaToolCall, ToolName: call.Name})
	}
	resp := &engine.ModelResponse{Text: r.Text, Reasoning: r.Reasoning, ToolCalls: append([]engine.ToolCall(nil), r.Calls...), FinishReason: r.Finish, Cost: r.Cost}
	resp.Images = append(resp.Images, r.Images...)
	if resp.FinishReason == "" {
		resp.FinishReason = finishReason("", len(r.Calls) > 0)
	}
	if r.Usage != nil {
		resp.Usage, resp.UsageKnown = *r.Usage, true
	}
	return resp
}

// pieces cuts s into n pieces at rune boundaries; fewer where s is short.
func pieces(s string, n int) []string {
	runes := []rune(s)
	var out []string
	for i := range n {
		if from, to := i*len(runes)/n, (i+1)*len(runes)/n; to > from {
			out = append(out, string(runes[from:to]))
		}
	}
	return out
}
