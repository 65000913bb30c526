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
	whole         bool

	began, done bool
	id, model   string
	text        strings.Builder
	reasoning   strings.Builder
	refused     bool
	details     []routerDetail
	calls       []*chatCall
	images      []engine.ContentPart
	finish      string
	usage       *chatUsage
}

// chatChunk is a chunk of a stream or a whole answer.
type chatChunk struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Usage   *chatUsage      `json:"usage"`
	Choices []struct {
		Delta        chatDelta       `json:"delta"`
		Message      chatDelta       `json:"message"`
		FinishReason string          `json:"finish_reason"`
		Error        json.RawMessage `json:"error"`
	} `json:"choices"`
	Groq struct {
		Usage *chatUsage `json:"usage"`
	} `json:"x_groq"`
}

type chatDelta struct {
	Content          json.RawMessage `json:"content"`
	Refusal          string          `json:"refusal"`
	ReasoningContent string          `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningDetails []routerDetail  `json:"reasoning_details"`
	ToolCalls        []chatCall      `json:"tool_calls"`
	Images           []struct {
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	} `json:"images"`
}

type chatCall struct {
	Index    *int            `json:"index"`
	ID       string          `json:"id"`
	Extra    json.RawMessage `json:"extra_content"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`

	arguments strings.Builder
	announced bool
}

type routerDetail struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Summary   string `json:"summary"`
	Data      string `json:"data"`
	Signature string `json:"signature"`
	ID        string `json:"id"`
	Format    string `json:"format"`
	Index     *int   `json:"index"`
}

type chatUsage struct {
	PromptTokens     int64    `json:"prompt_tokens"`
	CompletionTokens int64    `json:"completion_tokens"`
	TotalTokens      int64    `json:"total_tokens"`
	CacheHit         int64    `json:"prompt_cache_hit_tokens"`
	Cost             *float64 `json:"cost"`
	Prompt           struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Completion struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *chatUsage) usage() engine.Usage {
	r := engine.Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, TotalTokens: u.TotalTokens,
		CachedTokens: max(u.Prompt.Cached, u.CacheHit), ReasoningTokens: u.Completion.Reasoning}
	if r.ReasoningTokens > 0 && r.TotalTokens == r.PromptTokens+r.CompletionTokens+r.ReasoningTokens {
		r.CompletionTokens += r.ReasoningTokens // counted beside the completion, not within
	}
	if r.TotalTokens == 0 {
		r.TotalTokens = r.PromptTokens + r.CompletionTokens
	}
	return r
}

// take reads one chunk.
func (a *chatAnswer) take(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	var chunk chatChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return malformed("the answer isn't valid JSON", err)
	}
	if said(chunk.Error) {
		return streamError(chunk.Error)
	}
	if chunk.ID != "" {
		a.id = chunk.ID
	}
	if chunk.Model != "" {
		a.model = chunk.Model
	}
	if chunk.Usage != nil {
		a.usage = chunk.Usage
	} else if chunk.Groq.Usage != nil {
		a.usage = chunk.Groq.Usage
	}
	for i := range chunk.Choices[:min(1, len(chunk.Choices))] {
		choice := &chunk.Choices[i]
		if said(choice.Error) {
			return streamError(choice.Error)
		}
		a.began = true
		delta := &choice.Delta
		if a.whole {
			delta = &choice.Message
		}
		a.takeDelta(delta)
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
	return nil
}

func said(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func (a *chatAnswer) takeDelta(d *chatDelta) {
	reasoning := d.ReasoningContent
	if reasoning == "" && said(d.Reasoning) && d.Reasoning[0] == '"' {
		reasoning = rawText(d.Reasoning)
	}
	text, thought := contentText(d.Content)
	a.think(reasoning + thought)
	if d.Refusal != "" {
		a.refused = true
		text += d.Refusal
	}
	if text != "" {
		a.text.WriteString(text)
		a.send(engine.ModelDelta{Kind: engine.DeltaText, Text: text})
	}
	for i := range d.ReasoningDetails {
		a.takeDetail(&d.ReasoningDetails[i])
	}
	for i := range d.ToolCalls {
		a.takeCall(&d.ToolCalls[i])
	}
	for i := range d.Images {
		if p, ok := decodeDataURL(d.Images[i].ImageURL.URL); ok {
			a.images = append(a.images, p)
		}
	}
}

func (a *chatAnswer) think(s string) {
	if s == "" || a.hideReasoning {
		return
	}
	a.reasoning.WriteString(s)
	a.send(engine.ModelDelta{Kind: engine.DeltaReasoning, Text: s})
}

func (a *chatAnswer) send(d engine.ModelDelta) {
	if a.emit != nil {
		a.emit(d)
	}
}

// contentText reads content: a string, or the parts that some servers send.
func contentText(raw json.RawMessage) (text, thought string) {
	if !said(raw) {
		return "", ""
	}
	if raw[0] != '[' {
		var s string
		_ = json.Unmarshal(raw, &s) // anything else isn't text
		return s, ""
	}
	var parts []struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	_ = json.Unmarshal(raw, &parts)
	for _, p := range parts {
		if p.Type == "thinking" {
			t, _ := contentText(p.Thinking)
			thought += t
		} else {
			text += p.Text
		}
	}
	return text, thought
}

// takeCall adds a fragment of a tool call. Servers number calls, or leave the
// number out, or give every call the number 0 and an id of its own.
func (a *chatAnswer) takeCall(d *chatCall) {
	call := a.findCall(d)
	if call == nil {
		call = &chatCall{Index: d.Index, ID: d.ID}
		a.calls = append(a.calls, call)
	}
	if call.ID == "" {
		call.ID = d.ID
	}
	if call.Function.Name == "" {
		call.Function.Name = d.Function.Name
	}
	if said(d.Extra) {
		call.Extra = bytes.Clone(d.Extra)
	}
	if args := d.Function.Arguments; said(args) {
		if args[0] == '"' {
			call.arguments.WriteString(rawText(args))
		} else {
			call.arguments.Write(args) // an object instead of its text
		}
	}
	if !call.announced && call.Function.Name != "" {
		call.announced = true
		a.send(engine.ModelDelta{Kind: engine.DeltaToolCall, ToolName: call.Function.Name})
	}
}

func (a *chatAnswer) findCall(d *chatCall) *chatCall {
	for i := len(a.calls) - 1; i >= 0; i-- {
		call := a.calls[i]
		if d.ID != "" && call.ID != "" {
			if d.ID == call.ID || d.Function.Name == "" && sameIndex(d, call) {
				return call
			}
			continue
		}
		switch {
		case d.Index != nil && call.Index != nil:
			if sameIndex(d, call) {
				return call
			}
		case d.ID == "" && d.Function.Name == "":
			return call // a continuation of the last one
		}
	}
	return nil
}

func sameIndex(a, b *chatCall) bool {
	return a.Index != nil && b.Index != nil && *a.Index == *b.Index
}

// takeDetail adds a fragment of OpenRouter's reasoning details; fragments of one
// detail share type and index.
func (a *chatAnswer) takeDetail(d *routerDetail) {
	if n := len(a.details); n > 0 {
		last := &a.details[n-1]
		if last.Type == d.Type && last.Index != nil && d.Index != nil && *last.Index == *d.Index {
			last.Text += d.Text
			last.Summary += d.Summary
			last.Data += d.Data
			if d.Signature != "" {
				last.Signature = d.Signature
			}
			return
		}
	}
	a.details = append(a.details, *d)
}

// decodeDataURL reads an image that came as a data URL.
func decodeDataURL(url string) (engine.ContentPart, bool) {
	head, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !ok || head == url {
		return engine.ContentPart{}, false
	}
	b, err := base64.StdEncoding.DecodeString(data)
	return engine.ContentPart{MediaType: head, Data: b}, err == nil
}

// response is what has been received so far.
func (a *chatAnswer) response() *engine.ModelResponse {
	r := &engine.ModelResponse{Text: a.text.String(), Reasoning: a.reasoning.String(), Images: a.images,
		ResponseID: a.id, ProviderModel: a.model}
	for _, call := range a.calls {
		if call.Function.Name == "" {
			continue
		}
		if call.ID == "" {
			call.ID = "call_" + a.newID()
		}
		args := call.arguments.String()
		if strings.TrimSpace(args) == "" {
			args = "{}"
		}
		r.ToolCalls = append(r.ToolCalls, engine.ToolCall{ID: engine.ToolCallID(call.ID), Name: call.Function.Name, Arguments: args, Extra: call.Extra})
	}
	for _, d := range a.details {
		r.ReasoningDetails = append(r.ReasoningDetails, engine.ReasoningDetail{Type: strings.TrimPrefix(d.Type, "reasoning."),
			ID: d.ID, Text: d.Text + d.Summary, Data: d.Data + d.Signature, Format: d.Format})
	}
	if a.usage != nil {
		r.Usage, r.UsageKnown, r.Cost = a.usage.usage(), true, a.usage.Cost
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
