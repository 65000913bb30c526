package provider

import (
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

const (
	// defaultMaxTokens is the answer's limit where neither the request nor the
	// model's capabilities say one: the Messages API requires a number.
	defaultMaxTokens = 8192
	minThinking      = 1024 // smallest thinking budget that the API takes
	claudeFormat     = "anthropic-claude-v1"
)

// encodeMessages writes the body of a Messages request.
func encodeMessages(req *engine.ModelRequest, stream bool) ([]byte, error) {
	x, err := readExtras(req.ProviderOptions)
	if err != nil {
		return nil, err
	}
	limit, budget := messageLimits(req)
	if !canThink(req.Messages) {
		budget = 0
	}
	thinking := budget > 0 || x.has("thinking")
	w := &jsonWriter{b: make([]byte, 0, sizeHint(req))}
	w.open('{')
	if !x.has("model") {
		w.str("model", req.Model.Model)
	}
	if !x.has("max_tokens") {
		w.num("max_tokens", limit)
	}
	if req.System != "" && !x.has("system") {
		w.str("system", req.System)
	}
	if !x.has("messages") {
		writeTurns(w, req, thinking)
	}
	writeMessagesTools(w, req, x, thinking)
	if budget > 0 && !x.has("thinking") {
		writeThinking(w, req, x, budget)
	}
	if req.User != "" && !x.has("metadata") {
		w.keyOpen("metadata", '{')
		w.str("user_id", req.User)
		w.close('}')
	}
	if stream && !x.has("stream") {
		w.bool("stream", true)
	}
	x.write(w)
	w.close('}')
	return w.b, nil
}

// writeThinking asks for thinking: by effort where the model's definition says
// which words it takes, else by budget, which older models want.
func writeThinking(w *jsonWriter, req *engine.ModelRequest, x extras, budget int) {
	word := reasoningLevel(req.Reasoning.Effort, req.Model.Capabilities.ReasoningLevels)
	adaptive := word != "" && len(req.Model.Capabilities.ReasoningLevels) > 0
	w.keyOpen("thinking", '{')
	if adaptive {
		w.str("type", "adaptive")
	} else {
		w.str("type", "enabled")
		w.num("budget_tokens", budget)
	}
	w.close('}')
	if adaptive && !x.has("output_config") {
		w.keyOpen("output_config", '{')
		w.str("effort", word)
		w.close('}')
	}
}

// messageLimits returns max_tokens and the thinking budget, 0 for no thinking.
// The API counts thinking within max_tokens.
func messageLimits(req *engine.ModelRequest) (limit, budget int) {
	ceiling := req.Model.Capabilities.MaxOutputTokens
	limit = req.MaxOutputTokens
	if limit == 0 {
		limit = ceiling
	}
	if limit == 0 {
		limit = defaultMaxTokens
	}
	r := req.Reasoning
	if r == nil || r.Effort == "" && r.MaxTokens == 0 {
		return limit, 0
	}
	budget = r.MaxTokens
	if budget == 0 {
		budget = map[string]int{"low": 2048, "medium": 8192, "high": 16384}[r.Effort]
	}
	budget = max(budget, minThinking)
	if limit <= budget {
		limit += budget
	}
	if ceiling > 0 && limit > ceiling {
		limit = ceiling
		budget = min(budget, limit/2)
	}
	if budget < minThinking {
		return limit, 0
	}
	return limit, budget
}

// canThink reports whether the API would accept thinking: while tools are being
// used the turn must hold the thinking that began it.
func canThink(msgs []engine.ModelMessage) bool {
	for i := len(msgs) - 1; i >= 0; i-- {
		switch msgs[i].Role {
		case engine.RoleTool, engine.RoleSystem:
			continue
		case engine.RoleAssistant:
			for _, d := range msgs[i].ReasoningDetails {
				if replayable(d) {
					return true
				}
			}
			return len(msgs[i].ToolCalls) == 0
		case engine.RoleUser:
			return true
		}
	}
	return true
}

// replayable tells the thinking that this API signed from that of others.
func replayable(d engine.ReasoningDetail) bool {
	return (d.Format == claudeFormat) && d.Data != "" && (d.Type == "text" || d.Type == "encrypted")
}

func writeMessagesTools(w *jsonWriter, req *engine.ModelRequest, x extras, thinking bool) {
	if len(req.Tools) == 0 || !able(req.Model.Capabilities.SupportsToolCalls) {
		return
	}
	if !x.has("tools") {
		w.keyOpen("tools", '[')
		for i := range req.Tools {
			t := &req.Tools[i]
			w.open('{')
			w.str("name", t.Name)
			if t.Description != "" {
				w.str("description", t.Description)
			}
			w.raw("input_schema", t.Parameters)
			w.close('}')
		}
		w.close(']')
	}
	choice := map[string]string{"auto": "auto", "required": "any", "none": "none"}[req.ToolChoice]
	if choice == "any" && thinking {
		choice = "auto" // the API doesn't take a forced tool together with thinking
	}
	single := req.ParallelToolCalls != nil && !*req.ParallelToolCalls
	if choice == "" && single {
		choice = "auto"
	}
	if choice == "" || x.has("tool_choice") {
		return
	}
	w.keyOpen("tool_choice", '{')
	w.str("type", choice)
	if single && choice != "none" {
		w.bool("disable_parallel_tool_use", true)
	}
	w.close('}')
}

// writeTurns writes messages; those of one role in a row become one, since the
// API wants the roles to alternate and a user to begin.
func writeTurns(w *jsonWriter, req *engine.ModelRequest, thinking bool) {
	t := turnWriter{w: w, images: able(req.Model.Capabilities.SupportsImages)}
	w.keyOpen("messages", '[')
	for i := range req.Messages {
		msg := &req.Messages[i]
		switch msg.Role {
		case engine.RoleAssistant:
			t.assistant(msg, thinking)
		case engine.RoleTool:
			t.toolResult(msg)
		case engine.RoleSystem:
			if text := msg.Text(); text != "" {
				t.begin("user")
				t.text("<system>\n" + text + "\n</system>")
			}
		case engine.RoleUser:
			for _, p := range keptParts(msg.Parts, t.images) {
				t.begin("user")
				t.part(&p)
			}
		}
	}
	if t.role == "" {
		t.begin("user")
		t.text(opening)
	}
	t.end()
	w.close(']')
}

// opening stands for the user's message where a conversation has none: APIs that
// want one reject the request otherwise.
const opening = "(The conversation begins.)"

type turnWriter struct {
	w      *jsonWriter
	role   string
	images bool
}

// begin makes role the author of what follows.
func (t *turnWriter) begin(role string) {
	if t.role == role {
		return
	}
	if t.role == "" && role == "assistant" {
		t.begin("user")
		t.text(opening)
	}
	t.end()
	t.role = role
	t.w.open('{')
	t.w.str("role", role)
	t.w.keyOpen("content", '[')
}

func (t *turnWriter) end() {
	if t.role != "" {
		t.w.close(']')
		t.w.close('}')
	}
}

func (t *turnWriter) text(s string) {
	t.w.open('{')
	t.w.str("type", "text")
	t.w.str("text", s)
	t.w.close('}')
}

// part writes text or a file as a content block.
func (t *turnWriter) part(p *engine.ContentPart) {
	if p.MediaType == "" {
		t.text(p.Text)
		return
	}
	w := t.w
	w.open('{')
	if strings.HasPrefix(p.MediaType, "image/") {
		w.str("type", "image")
	} else {
		w.str("type", "document")
	}
	w.keyOpen("source", '{')
	w.str("type", "base64")
	w.str("media_type", p.MediaType)
	w.base64("data", p.Data)
	w.close('}')
	w.close('}')
}

func (t *turnWriter) assistant(msg *engine.ModelMessage, thinking bool) {
	text, _ := splitParts(msg.Parts, false)
	text = strings.TrimRight(text, " \t\n") // the API refuses it at the end of a conversation
	if text == "" && len(msg.ToolCalls) == 0 {
		return
	}
	t.begin("assistant")
	if thinking {
		for _, d := range msg.ReasoningDetails {
			if replayable(d) {
				t.thinking(d)
			}
		}
	}
	if text != "" {
		t.text(text)
	}
	for i := range msg.ToolCalls {
		call := &msg.ToolCalls[i]
		t.w.open('{')
		t.w.str("type", "tool_use")
		t.w.str("id", plainID(call.ID))
		t.w.str("name", call.Name)
		t.w.raw("input", argumentsObject(call.Arguments))
		t.w.close('}')
	}
}

func (t *turnWriter) thinking(d engine.ReasoningDetail) {
	t.w.open('{')
	if d.Type == "encrypted" {
		t.w.str("type", "redacted_thinking")
		t.w.str("data", d.Data)
	} else {
		t.w.str("type", "thinking")
		t.w.str("thinking", d.Text)
		t.w.str("signature", d.Data)
	}
	t.w.close('}')
}

func (t *turnWriter) toolResult(msg *engine.ModelMessage) {
	t.begin("user")
	w := t.w
	w.open('{')
	w.str("type", "tool_result")
	w.str("tool_use_id", plainID(msg.ToolCallID))
	if parts := keptParts(msg.Parts, t.images); len(parts) > 0 {
		w.keyOpen("content", '[')
		for i := range parts {
			t.part(&parts[i])
		}
		w.close(']')
	}
	if msg.ToolError {
		w.bool("is_error", true)
	}
	w.close('}')
}

// plainID maps an id of another provider to the characters that the API takes.
func plainID(id engine.ToolCallID) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, string(id))
}

// argumentsObject is a call's arguments as a JSON object, whatever a model wrote.
func argumentsObject(s string) []byte {
	valid := []byte(strings.TrimSpace(validArguments(s)))
	if valid[0] == '{' {
		return valid
	}
	return append(append([]byte(`{"value":`), valid...), '}')
}

// decodeArguments is argumentsObject for a library that wants a map.
func decodeArguments(s string) map[string]any {
	var m map[string]any
	_ = json.Unmarshal(argumentsObject(s), &m) // it is an object
	return m
}
