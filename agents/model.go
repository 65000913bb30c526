package agents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// Open implements engine.Models for models whose provider is JavaScript of the
// project. A provider named "my-own" is configured with the values of
// MY_OWN_API_KEY and MY_OWN_BASE_URL where they are set.
func (p *Project) Open(_ context.Context, def *engine.ModelDef, getenv func(string) (string, bool)) (engine.Model, error) {
	if !def.Script {
		return nil, engine.Errorf(engine.CodeInvalid, "open model "+def.Name, "its provider %q isn't one of the project", def.Provider)
	}
	config := map[string]string{"apiKey": ""}
	prefix := envPrefix(def.Provider)
	for property, name := range map[string]string{"apiKey": prefix + "_API_KEY", "baseUrl": prefix + "_BASE_URL"} {
		if v, ok := getenv(name); ok {
			config[property] = v
		}
	}
	m := &scriptModel{p: p, file: def.File, provider: def.Provider, config: config}
	if own := p.snapshot.Load().defs.Providers[def.Provider]; own != nil {
		m.providerFile = own.File
	}
	return m, nil
}

func envPrefix(provider string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(provider))
}

// scriptModel is one model that JavaScript answers for.
type scriptModel struct {
	p        *Project
	file     string
	provider string
	config   map[string]string

	providerFile string // where a provider is defined that the model may only name
}

// modelAnswer is what callModel of glue/model.ts returns.
type modelAnswer struct {
	Answer providerResponse `json:"answer"`
	Error  *providerError   `json:"error"`
}

type providerError struct {
	Name       string  `json:"name"`
	Message    string  `json:"message"`
	Code       string  `json:"code"`
	Status     int     `json:"status"`
	RetryAfter float64 `json:"retryAfter"` // seconds
}

// Generate implements engine.Model.
func (m *scriptModel) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	s := m.p.snapshot.Load()
	prog := s.programs[m.file]
	if prog == nil {
		return nil, &engine.ModelError{Kind: engine.ModelInvalidRequest, Provider: m.provider, Message: m.file + " isn't part of the project any more"}
	}
	args, err := json.Marshal([]any{map[string]any{"file": m.file, "providerFile": m.providerFile, "config": m.config, "request": providerRequest(req)}})
	if err != nil {
		return nil, &engine.ModelError{Kind: engine.ModelInvalidRequest, Provider: m.provider, Message: err.Error(), Err: err}
	}
	if emit == nil {
		emit = func(engine.ModelDelta) {}
	}
	deltas := &deltaGate{emit: emit, log: m.p.o.Logf}
	raw, err := m.p.pool.call(ctx, prog, req.User, "callModel", args, deltas.host)
	deltas.close()
	if err != nil {
		return deltas.received(), m.failure(ctx, err)
	}
	var a modelAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, &engine.ModelError{Kind: engine.ModelInvalidRequest, Provider: m.provider, Message: "the provider's answer has a wrong shape: " + err.Error(), Err: err}
	}
	if a.Error == nil {
		return a.Answer.response(), nil
	}
	if ctx.Err() != nil {
		return a.Answer.response(), ctx.Err()
	}
	return a.Answer.response(), a.Error.modelError(m.provider)
}

// failure is a call that gave no answer at all.
func (m *scriptModel) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &engine.ModelError{Kind: engine.ModelUnknown, Provider: m.provider, Message: err.Error(), Err: err}
	var thrown *worker.Thrown
	if errors.As(err, &thrown) {
		e.Kind, e.Message = engine.ModelInvalidRequest, m.p.thrownText(thrown)
	}
	return e
}

func (e *providerError) modelError(provider string) *engine.ModelError {
	out := &engine.ModelError{
		Kind: engine.ModelErrorKind(e.Code), Provider: provider, HTTPStatus: e.Status, Message: e.Message,
		RetryAfter: time.Duration(e.RetryAfter * float64(time.Second)),
	}
	if out.Kind == "" {
		out.Kind = engine.ModelUnknown
	}
	if e.Name != "" && e.Name != "Error" && e.Name != "ProviderError" {
		out.Message = e.Name + ": " + e.Message
	}
	return out
}

// deltaGate passes deltas on, in order and none after the call has ended.
type deltaGate struct {
	mu     sync.Mutex
	emit   func(engine.ModelDelta)
	closed bool
	log    func(string, ...any)

	text, reasoning strings.Builder
}

func (g *deltaGate) host(_ context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
	var d struct {
		Kind  engine.DeltaKind `json:"kind"`
		Text  string           `json:"text"`
		Name  string           `json:"name"`
		Level string           `json:"level"`
	}
	if err := json.Unmarshal(args, &d); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case method == "console":
		g.log("provider: %s: %s", d.Level, d.Text)
	case method != "delta":
		return nil, engine.Errorf(engine.CodeInvalid, method, "a provider has no thread state")
	case !g.closed:
		g.keep(d.Kind, d.Text)
		g.emit(engine.ModelDelta{Kind: d.Kind, Text: d.Text, ToolName: d.Name})
	}
	return nil, nil
}

func (g *deltaGate) keep(k engine.DeltaKind, text string) {
	switch k {
	case engine.DeltaText:
		g.text.WriteString(text)
	case engine.DeltaReasoning:
		g.reasoning.WriteString(text)
	case engine.DeltaToolCall:
	}
}

// received is what had come when a call was abandoned.
func (g *deltaGate) received() *engine.ModelResponse {
	g.mu.Lock()
	defer g.mu.Unlock()
	return &engine.ModelResponse{Text: g.text.String(), Reasoning: g.reasoning.String()}
}

func (g *deltaGate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
}
