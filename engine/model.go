package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model is one model of one provider, ready to be called.
type Model interface {
	// Generate makes one request. Deltas go to emit as they arrive, in order and
	// from one goroutine; the response is the whole. A failure is a *ModelError
	// or ctx's error. With a non-nil error the response may hold what had been
	// received.
	Generate(ctx context.Context, req *ModelRequest, emit func(ModelDelta)) (*ModelResponse, error)
}

// Models opens the model that a definition names. getenv resolves keys and base
// URLs; it reports false for a name without a value. Open fails with CodeModel
// and the variable's name where a credential is missing, before anything is
// sent.
type Models interface {
	Open(ctx context.Context, def *ModelDef, getenv func(name string) (string, bool)) (Model, error)
}

// ModelRequest is one provider-neutral request.
type ModelRequest struct {
	Model             *ModelDef
	System            string // rendered system prompt, "" for none
	Messages          []ModelMessage
	Tools             []ModelTool
	ToolChoice        string // auto, none, required; "" is the provider's default
	ParallelToolCalls *bool
	MaxOutputTokens   int
	Reasoning         *Reasoning
	ProviderOptions   json.RawMessage // merged: the prompt's over the model's
	User              string          // stable identity of the thread
	CallIndex         int             // how many requests this thread has made of this model before; a scripted model answers by it
}

// ModelTool is a tool as a model sees it.
type ModelTool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of type object, never nil
}

// ModelMessage is one message of a request. An assistant message may have text,
// tool calls and reasoning; a tool message answers ToolCallID.
type ModelMessage struct {
	Role             Role
	Parts            []ContentPart
	ToolCalls        []ToolCall
	ToolCallID       ToolCallID
	ToolName         string
	ToolError        bool
	Reasoning        string
	ReasoningDetails []ReasoningDetail
}

// ContentPart is text, or an image where MediaType is set.
type ContentPart struct {
	Text      string
	MediaType string
	Data      []byte
	Name      string
}

// TextParts is content that is text only.
func TextParts(s string) []ContentPart { return []ContentPart{{Text: s}} }

// Text joins the text parts.
func (m *ModelMessage) Text() string {
	if len(m.Parts) == 1 {
		return m.Parts[0].Text
	}
	s := ""
	for _, p := range m.Parts {
		s += p.Text
	}
	return s
}

// DeltaKind is the kind of a ModelDelta.
type DeltaKind string

const (
	DeltaText      DeltaKind = "text"
	DeltaReasoning DeltaKind = "reasoning"
	DeltaToolCall  DeltaKind = "tool_call" // a call began; ToolName is set
)

// ModelDelta is one streamed piece of a response. It is volatile: only the
// response counts.
type ModelDelta struct {
	Kind     DeltaKind
	Text     string
	ToolName string
}

// FinishReason says why a model stopped.
type FinishReason string

const (
	FinishStop          FinishReason = "stop"
	FinishToolCalls     FinishReason = "tool_calls"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content_filter"
)

// ModelResponse is a whole answer. Cost is in USD where the provider itself
// reports it.
type ModelResponse struct {
	Text             string
	Reasoning        string
	ReasoningDetails []ReasoningDetail
	ToolCalls        []ToolCall
	Images           []ContentPart
	FinishReason     FinishReason
	Usage            Usage
	UsageKnown       bool // the provider reported Usage
	Cost             *float64
	ResponseID       string
	ProviderModel    string // what the provider says it ran, "" where it doesn't
}

// ModelErrorKind classifies provider failures; anything that a project's own
// provider throws is kept as text.
type ModelErrorKind string

const (
	ModelRateLimit      ModelErrorKind = "rate_limit"
	ModelAuth           ModelErrorKind = "auth_error"
	ModelContextLength  ModelErrorKind = "context_length"
	ModelContentFilter  ModelErrorKind = "content_filter"
	ModelInvalidRequest ModelErrorKind = "invalid_request"
	ModelTimeout        ModelErrorKind = "timeout"
	ModelServerError    ModelErrorKind = "server_error"
	ModelNetwork        ModelErrorKind = "network" // refused, reset, cut or malformed stream
	ModelUnknown        ModelErrorKind = "unknown"
)

// ModelError is a provider's failure. RetryAfter is the provider's own wish, 0
// where it has none.
type ModelError struct {
	Kind       ModelErrorKind
	Provider   string
	HTTPStatus int
	RetryAfter time.Duration
	Message    string
	Err        error
}

func (e *ModelError) Error() string {
	s := e.Provider
	if e.HTTPStatus != 0 {
		s += fmt.Sprintf(" answered %d", e.HTTPStatus)
	}
	s += fmt.Sprintf(" (%s)", e.Kind)
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

func (e *ModelError) Unwrap() error { return e.Err }

// Retryable reports whether the same model may be asked again.
func (e *ModelError) Retryable() bool {
	switch e.Kind {
	case ModelRateLimit, ModelServerError, ModelNetwork, ModelUnknown:
		return true
	case ModelTimeout, ModelAuth, ModelContextLength, ModelContentFilter, ModelInvalidRequest:
		return false
	default:
		return e.HTTPStatus == 429 || e.HTTPStatus >= 500
	}
}
