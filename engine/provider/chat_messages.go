package provider

import (
	"encoding/json"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

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
