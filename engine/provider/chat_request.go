package provider

import (
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// encode writes the body of a chat completions request.
func (m *chatModel) encode(req *engine.ModelRequest, stream, withUsage bool) ([]byte, error) {
	x, err := readExtras(req.ProviderOptions)
	if err != nil {
		return nil, err
	}
	w := &jsonWriter{b: make([]byte, 0, sizeHint(req))}
	w.open('{')
	if !x.has("model") {
		w.str("model", req.Model.Model)
	}
	if !x.has("messages") {
		m.writeMessages(w, req)
	}
	m.writeTools(w, req, x)
	m.writeLimits(w, req, x)
	if !x.has("stream") && stream {
		w.bool("stream", true)
		if withUsage && !x.has("stream_options") {
			w.raw("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	if m.quirks.router {
		writeRouting(w, req, x)
	}
	x.write(w)
	w.close('}')
	return w.b, nil
}

// sizeHint is about the size of the body, so that it is allocated once.
func sizeHint(req *engine.ModelRequest) int {
	n := 512 + len(req.System) + len(req.ProviderOptions)
	for i := range req.Messages {
		msg := &req.Messages[i]
		n += 96
		for j := range msg.Parts {
			n += len(msg.Parts[j].Text) + len(msg.Parts[j].Data)*4/3
		}
		for j := range msg.ToolCalls {
			n += 96 + len(msg.ToolCalls[j].Arguments)
		}
	}
	for i := range req.Tools {
		n += 96 + len(req.Tools[i].Description) + len(req.Tools[i].Parameters)
	}
	return n + n/16
}

func (m *chatModel) writeTools(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if len(req.Tools) == 0 || !able(req.Model.Capabilities.SupportsToolCalls) {
		return
	}
	if !x.has("tools") {
		w.keyOpen("tools", '[')
		for i := range req.Tools {
			t := &req.Tools[i]
			w.open('{')
			w.str("type", "function")
			w.keyOpen("function", '{')
			w.str("name", t.Name)
			w.str("description", t.Description)
			w.raw("parameters", t.Parameters)
			w.close('}')
			w.close('}')
		}
		w.close(']')
	}
	if req.ToolChoice != "" && !x.has("tool_choice") {
		w.str("tool_choice", req.ToolChoice)
	}
	if req.ParallelToolCalls != nil && !x.has("parallel_tool_calls") {
		w.bool("parallel_tool_calls", *req.ParallelToolCalls)
	}
}

func (m *chatModel) writeLimits(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if req.MaxOutputTokens > 0 && !x.has("max_tokens") && !x.has("max_completion_tokens") {
		field := "max_tokens"
		if m.quirks.maxCompletion {
			field = "max_completion_tokens"
		}
		w.num(field, req.MaxOutputTokens)
	}
	if req.User != "" && m.quirks.user && !x.has("user") {
		w.str("user", req.User)
	}
	r := req.Reasoning
	if r == nil || x.has("reasoning_effort") || x.has("reasoning") {
		return
	}
	effort := reasoningLevel(r.Effort, req.Model.Capabilities.ReasoningLevels)
	switch {
	case m.quirks.router:
		w.keyOpen("reasoning", '{')
		if r.MaxTokens > 0 { // it takes one of the two
			w.num("max_tokens", r.MaxTokens)
		} else if effort != "" {
			w.str("effort", effort)
		}
		if r.Exclude {
			w.bool("exclude", true)
		}
		w.close('}')
	case effort != "":
		w.str("reasoning_effort", effort)
	}
}

// writeRouting writes what only OpenRouter reads.
func writeRouting(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if !x.has("usage") {
		w.raw("usage", []byte(`{"include":true}`))
	}
	if len(req.Model.IncludedProviders) > 0 && !x.has("provider") {
		w.keyOpen("provider", '{')
		w.keyOpen("only", '[')
		for _, p := range req.Model.IncludedProviders {
			w.text(p)
		}
		w.close(']')
		w.close('}')
	}
}

// reasoningLevel maps an effort to the model's own word for it: the level that
// is nearest to 33, 66 or 100. A model without levels gets the effort itself.
func reasoningLevel(effort string, levels map[int]*string) string {
	want, ok := map[string]int{"low": 33, "medium": 66, "high": 100}[effort]
	if !ok || len(levels) == 0 {
		return effort
	}
	best, distance := "", -1
	for level, word := range levels {
		d := max(level-want, want-level)
		if distance < 0 || d < distance || d == distance && word != nil && *word > best {
			distance, best = d, ""
			if word != nil {
				best = *word
			}
		}
	}
	return best
}

func (m *chatModel) writeMessages(w *jsonWriter, req *engine.ModelRequest) {
	images := able(req.Model.Capabilities.SupportsImages)
	w.keyOpen("messages", '[')
	if req.System != "" {
		w.open('{')
		w.str("role", "system")
		w.str("content", req.System)
		w.close('}')
	}
	var pending []engine.ContentPart // files of tool results, which only a user message can carry
	for i := range req.Messages {
		msg := &req.Messages[i]
		if msg.Role != engine.RoleTool {
			writeUserParts(w, pending)
			pending = nil
		}
		switch msg.Role {
		case engine.RoleTool:
			text, files := splitParts(msg.Parts, images)
			pending = append(pending, files...)
			w.open('{')
			w.str("role", "tool")
			w.str("tool_call_id", string(msg.ToolCallID))
			w.str("content", text)
			w.close('}')
		case engine.RoleAssistant:
			m.writeAssistant(w, msg)
		case engine.RoleSystem:
			w.open('{')
			w.str("role", "system")
			w.str("content", msg.Text())
			w.close('}')
		case engine.RoleUser:
			writeUserParts(w, keptParts(msg.Parts, images))
		}
	}
	writeUserParts(w, pending)
	w.close(']')
}

func (m *chatModel) writeAssistant(w *jsonWriter, msg *engine.ModelMessage) {
	text, _ := splitParts(msg.Parts, false)
	if text == "" && len(msg.ToolCalls) == 0 {
		return // servers reject a message that says nothing
	}
	w.open('{')
	w.str("role", "assistant")
	if text == "" {
		w.raw("content", []byte("null"))
	} else {
		w.str("content", text)
	}
	if m.quirks.reasoning != "" && msg.Reasoning != "" {
		w.str(m.quirks.reasoning, msg.Reasoning)
	}
	if m.quirks.router {
		writeRouterReasoning(w, msg.ReasoningDetails)
	}
	if len(msg.ToolCalls) > 0 {
		w.keyOpen("tool_calls", '[')
		for i := range msg.ToolCalls {
			m.writeToolCall(w, &msg.ToolCalls[i])
		}
		w.close(']')
	}
	w.close('}')
}

func (m *chatModel) writeToolCall(w *jsonWriter, call *engine.ToolCall) {
	w.open('{')
	w.str("id", string(call.ID))
	w.str("type", "function")
	if len(call.Extra) > 0 && !m.quirks.strict {
		w.raw("extra_content", call.Extra)
	}
	w.keyOpen("function", '{')
	w.str("name", call.Name)
	w.str("arguments", validArguments(call.Arguments))
	w.close('}')
	w.close('}')
}

// validArguments keeps a call whose arguments were malformed from making the
// rest of the conversation unsendable: many servers parse them.
func validArguments(s string) string {
	if strings.TrimSpace(s) == "" {
		return "{}"
	}
	if json.Valid([]byte(s)) {
		return s
	}
	return `{"malformed_arguments":` + string(appendString(nil, s)) + `}`
}

// writeRouterReasoning writes OpenRouter's reasoning_details.
func writeRouterReasoning(w *jsonWriter, details []engine.ReasoningDetail) {
	if len(details) == 0 {
		return
	}
	w.keyOpen("reasoning_details", '[')
	for i := range details {
		d := &details[i]
		w.open('{')
		w.str("type", "reasoning."+d.Type)
		switch d.Type {
		case "summary":
			w.str("summary", d.Text)
		case "encrypted":
			w.str("data", d.Data)
		default:
			w.str("text", d.Text)
			if d.Data != "" {
				w.str("signature", d.Data)
			}
		}
		if d.ID != "" {
			w.str("id", d.ID)
		}
		if d.Format != "" {
			w.str("format", d.Format)
		}
		w.num("index", i)
		w.close('}')
	}
	w.close(']')
}
