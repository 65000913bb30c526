package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// chatAnswer builds a response from chunks, or from one whole answer.
type chatAnswer struct {
	emit          func(engine.ModelDelta)
	newID         func() string
	hideReasoning bool

	began     bool // a choice has been seen
	id, model string
	text      strings.Builder
	reasoning strings.Builder
	refused   bool
	details   []routerDetail
	calls     []*pendingCall
	images    []engine.ContentPart
	finish    string
	usage     *chatUsage
}

// pendingCall is a tool call whose arguments are still arriving.
type pendingCall struct {
	chatCall
	arguments strings.Builder
}

// take reads one chunk.
func (a *chatAnswer) take(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	chunk, err := readChunk(data)
	if err != nil {
		return err
	}
	if chunk.err != nil {
		return streamError(chunk.err)
	}
	if chunk.id != "" {
		a.id = chunk.id
	}
	if chunk.model != "" {
		a.model = chunk.model
	}
	if chunk.usage != nil {
		a.usage = chunk.usage
	}
	if chunk.choice {
		a.began = true
		a.takeDelta(&chunk.delta)
	}
	if chunk.finish != "" {
		a.finish = chunk.finish
	}
	return nil
}

// said reports whether an optional JSON value is there.
func said(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (a *chatAnswer) takeDelta(d *chatDelta) {
	if d.reasoning != "" && !a.hideReasoning {
		a.reasoning.WriteString(d.reasoning)
		a.send(engine.ModelDelta{Kind: engine.DeltaReasoning, Text: d.reasoning})
	}
	if d.refusal != "" {
		a.refused = true
	}
	if text := d.text + d.refusal; text != "" {
		a.text.WriteString(text)
		a.send(engine.ModelDelta{Kind: engine.DeltaText, Text: text})
	}
	for i := range d.details {
		a.takeDetail(&d.details[i])
	}
	for i := range d.calls {
		a.takeCall(&d.calls[i])
	}
	for _, url := range d.images {
		if p, ok := decodeDataURL(url); ok {
			a.images = append(a.images, p)
		}
	}
}

func (a *chatAnswer) send(d engine.ModelDelta) {
	if a.emit != nil {
		a.emit(d)
	}
}

// takeCall adds a fragment of a tool call.
func (a *chatAnswer) takeCall(d *chatCall) {
	call := a.findCall(d)
	if call == nil {
		call = &pendingCall{chatCall: chatCall{index: d.index}}
		a.calls = append(a.calls, call)
	}
	if call.id == "" {
		call.id = d.id
	}
	if d.extra != nil {
		call.extra = d.extra
	}
	if call.name == "" && d.name != "" {
		call.name = d.name
		a.send(engine.ModelDelta{Kind: engine.DeltaToolCall, ToolName: d.name})
	}
	call.arguments.WriteString(d.arguments)
}

// findCall returns the call that a fragment continues, nil for a new one.
// Servers number calls, or leave the number out, or give every call the number 0
// and an id of its own, or repeat the id in every fragment.
func (a *chatAnswer) findCall(d *chatCall) *pendingCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		call := a.calls[i]
		sameIndex := d.index >= 0 && d.index == call.index
		switch {
		case d.id != "" && call.id != "":
			if d.id == call.id || d.name == "" && sameIndex {
				return call
			}
		case d.index >= 0 && call.index >= 0:
			if sameIndex {
				return call
			}
		case d.id == "" && d.name == "":
			return call
		}
	}
	return nil
}

// takeDetail adds a fragment of reasoning details; the fragments of one share
// type and index.
func (a *chatAnswer) takeDetail(d *routerDetail) {
	if n := len(a.details); n > 0 {
		last := &a.details[n-1]
		if last.Type == d.Type && d.index >= 0 && last.index == d.index {
			last.Text += d.Text
			last.Data += d.Data
			return
		}
	}
	a.details = append(a.details, *d)
}

// decodeDataURL reads an image that came as a data URL.
func decodeDataURL(url string) (engine.ContentPart, bool) {
	rest, isData := strings.CutPrefix(url, "data:")
	mediaType, data, isBase64 := strings.Cut(rest, ";base64,")
	if !isData || !isBase64 {
		return engine.ContentPart{}, false
	}
	b, err := base64.StdEncoding.DecodeString(data)
	return engine.ContentPart{MediaType: mediaType, Data: b}, err == nil
}

// response is what has been received so far.
func (a *chatAnswer) response() *engine.ModelResponse {
	r := &engine.ModelResponse{Text: a.text.String(), Reasoning: a.reasoning.String(), Images: a.images,
		ResponseID: a.id, ProviderModel: a.model}
	for _, call := range a.calls {
		if call.name == "" {
			continue
		}
		if call.id == "" {
			call.id = "call_" + a.newID()
		}
		args := call.arguments.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		r.ToolCalls = append(r.ToolCalls, engine.ToolCall{ID: engine.ToolCallID(call.id), Name: call.name, Arguments: args, Extra: call.extra})
	}
	for i := range a.details {
		r.ReasoningDetails = append(r.ReasoningDetails, a.details[i].ReasoningDetail)
	}
	if a.usage != nil {
		r.Usage, r.UsageKnown, r.Cost = a.usage.Usage, true, a.usage.cost
	}
	r.FinishReason = finishReason(a.finish, len(r.ToolCalls) > 0)
	if a.refused {
		r.FinishReason = engine.FinishContentFilter
	}
	return r
}

// finishReason maps the words in use. Some servers say stop after tool calls.
func finishReason(said string, calls bool) engine.FinishReason {
	switch strings.ToLower(said) {
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		return engine.FinishLength
	case "content_filter", "content-filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii", "image_safety":
		return engine.FinishContentFilter
	}
	if calls {
		return engine.FinishToolCalls
	}
	return engine.FinishStop
}
