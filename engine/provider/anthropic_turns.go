package provider

import (
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

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
