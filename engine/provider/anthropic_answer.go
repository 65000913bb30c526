package provider

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// messagesAnswer builds a response from events, or from one whole message.
type messagesAnswer struct {
	emit          func(engine.ModelDelta)
	hideReasoning bool

	id, model string
	blocks    []*messageBlock
	finish    string
	usage     messageUsage
	usageSeen bool
	stopped   bool
}

type messageBlock struct {
	index     int
	typ       string
	id, name  string
	text      strings.Builder // text, thinking, or the arguments of a call
	data      string          // signature, or redacted thinking
	startArgs json.RawMessage
}

type messageUsage struct {
	Input       int64 `json:"input_tokens"`
	Output      int64 `json:"output_tokens"`
	CacheWrite  int64 `json:"cache_creation_input_tokens"`
	CacheRead   int64 `json:"cache_read_input_tokens"`
	OutputParts struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type wholeMessage struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Model      string          `json:"model"`
	Content    []contentBlock  `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      *messageUsage   `json:"usage"`
	Error      json.RawMessage `json:"error"`
}

type messageEvent struct {
	Type         string       `json:"type"`
	Index        int          `json:"index"`
	Message      wholeMessage `json:"message"`
	ContentBlock contentBlock `json:"content_block"`
	Delta        struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messageUsage   `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// take reads one event.
func (a *messagesAnswer) take(data []byte) error {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return nil
	}
	var e messageEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return malformed("an event isn't valid JSON", err)
	}
	switch e.Type {
	case "message_start":
		a.id, a.model = e.Message.ID, e.Message.Model
		a.count(e.Message.Usage)
	case "content_block_start":
		a.start(e.Index, &e.ContentBlock)
	case "content_block_delta":
		d := &e.Delta
		a.add(a.block(e.Index), d.Text+d.Thinking+d.PartialJSON, d.Signature)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.finish = e.Delta.StopReason
		}
		a.count(e.Usage)
	case "message_stop":
		a.stopped = true
	case "error":
		return streamError(e.Error)
	}
	return nil
}

func (a *messagesAnswer) takeWhole(data []byte) error {
	var m wholeMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return malformed("the answer isn't valid JSON", err)
	}
	if said(m.Error) {
		return streamError(m.Error)
	}
	if m.Type != "message" && len(m.Content) == 0 {
		return cut()
	}
	a.id, a.model, a.finish, a.stopped = m.ID, m.Model, m.StopReason, true
	a.count(m.Usage)
	for i := range m.Content {
		a.start(i, &m.Content[i])
	}
	return nil
}

// count keeps the newest figures; message_delta repeats those of the start or
// leaves them out.
func (a *messagesAnswer) count(u *messageUsage) {
	if u == nil {
		return
	}
	a.usageSeen = true
	a.usage.Input = max(a.usage.Input, u.Input)
	a.usage.CacheWrite = max(a.usage.CacheWrite, u.CacheWrite)
	a.usage.CacheRead = max(a.usage.CacheRead, u.CacheRead)
	a.usage.Output = max(a.usage.Output, u.Output)
	a.usage.OutputParts.Thinking = max(a.usage.OutputParts.Thinking, u.OutputParts.Thinking)
}

func (a *messagesAnswer) block(index int) *messageBlock {
	for i := len(a.blocks) - 1; i >= 0; i-- {
		if a.blocks[i].index == index {
			return a.blocks[i]
		}
	}
	return nil
}

func (a *messagesAnswer) start(index int, c *contentBlock) {
	b := &messageBlock{index: index, typ: c.Type, id: c.ID, name: c.Name, data: c.Data, startArgs: bytes.Clone(c.Input)}
	a.blocks = append(a.blocks, b)
	if b.typ == "tool_use" && a.emit != nil {
		a.emit(engine.ModelDelta{Kind: engine.DeltaToolCall, ToolName: b.name})
	}
	a.add(b, c.Text+c.Thinking, c.Signature)
}

func (a *messagesAnswer) add(b *messageBlock, text, signature string) {
	if b == nil {
		return
	}
	b.data += signature
	if text == "" {
		return
	}
	b.text.WriteString(text)
	if a.emit == nil {
		return
	}
	switch {
	case b.typ == "text":
		a.emit(engine.ModelDelta{Kind: engine.DeltaText, Text: text})
	case b.typ == "thinking" && !a.hideReasoning:
		a.emit(engine.ModelDelta{Kind: engine.DeltaReasoning, Text: text})
	}
}

// response is what has been received so far.
func (a *messagesAnswer) response() *engine.ModelResponse {
	r := &engine.ModelResponse{ResponseID: a.id, ProviderModel: a.model, UsageKnown: a.usageSeen}
	for _, b := range a.blocks {
		switch b.typ {
		case "text":
			r.Text += b.text.String()
		case "thinking":
			if !a.hideReasoning {
				r.Reasoning += b.text.String()
			}
			r.ReasoningDetails = append(r.ReasoningDetails, engine.ReasoningDetail{Type: "text", Text: b.text.String(), Data: b.data, Format: claudeFormat})
		case "redacted_thinking":
			r.ReasoningDetails = append(r.ReasoningDetails, engine.ReasoningDetail{Type: "encrypted", Data: b.data, Format: claudeFormat})
		case "tool_use":
			r.ToolCalls = append(r.ToolCalls, engine.ToolCall{ID: engine.ToolCallID(b.id), Name: b.name, Arguments: b.arguments()})
		}
	}
	u := a.usage
	prompt := u.Input + u.CacheWrite + u.CacheRead
	r.Usage = engine.Usage{PromptTokens: prompt, CompletionTokens: u.Output, TotalTokens: prompt + u.Output, CachedTokens: u.CacheRead, ReasoningTokens: u.OutputParts.Thinking}
	r.FinishReason = finishReason(a.finish, len(r.ToolCalls) > 0)
	return r
}

func (b *messageBlock) arguments() string {
	if s := b.text.String(); strings.TrimSpace(s) != "" {
		return s
	}
	if said(b.startArgs) {
		return string(b.startArgs)
	}
	return "{}"
}
