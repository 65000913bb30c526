package engine

import "encoding/json"

// llmMessage is one message of a request as prefilter_llm_history sees it: the
// ProviderMessage shape of authoring surface §10. Images and a provider's own
// reasoning are not handed to hooks; a message that comes back with its index
// keeps those that it had.
type llmMessage struct {
	Role       Role       `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []llmCall  `json:"toolCalls,omitempty"`
	ToolCallID ToolCallID `json:"toolCallId,omitempty"`
	ToolName   string     `json:"toolName,omitempty"`
	ToolError  bool       `json:"toolError,omitempty"`
	Reasoning  string     `json:"reasoning,omitempty"`
	Index      int        `json:"index,omitempty"` // 1 + the place that the message had
}

type llmCall struct {
	ID        ToolCallID      `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Extra     json.RawMessage `json:"extraContent,omitempty"`
}

// wireMessages is a request's conversation for hooks, the system prompt first.
func wireMessages(system string, messages []ModelMessage) []llmMessage {
	list := make([]llmMessage, 0, len(messages)+1)
	if system != "" {
		list = append(list, llmMessage{Role: RoleSystem, Content: &system})
	}
	for i, m := range messages {
		text := m.Text()
		w := llmMessage{Role: m.Role, Content: &text, ToolCallID: m.ToolCallID, ToolName: m.ToolName,
			ToolError: m.ToolError, Reasoning: m.Reasoning, Index: i + 1}
		for _, c := range m.ToolCalls {
			args := json.RawMessage(c.Arguments)
			if !json.Valid(args) {
				args = mustJSON(c.Arguments)
			}
			w.ToolCalls = append(w.ToolCalls, llmCall{ID: c.ID, Name: c.Name, Arguments: args, Extra: c.Extra})
		}
		list = append(list, w)
	}
	return list
}

// unwireMessages is the way back; a system message at the start is the system
// prompt.
func unwireMessages(list []llmMessage, before []ModelMessage) (system string, messages []ModelMessage) {
	for i, w := range list {
		text := ""
		if w.Content != nil {
			text = *w.Content
		}
		if i == 0 && w.Role == RoleSystem {
			system = text
			continue
		}
		m := ModelMessage{Role: w.Role, ToolCallID: w.ToolCallID, ToolName: w.ToolName, ToolError: w.ToolError, Reasoning: w.Reasoning}
		if w.Index > 0 && w.Index <= len(before) {
			m.ReasoningDetails = before[w.Index-1].ReasoningDetails
			m.Parts = images(before[w.Index-1].Parts)
		}
		if text != "" {
			m.Parts = append(TextParts(text), m.Parts...)
		}
		for _, c := range w.ToolCalls {
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: c.ID, Name: c.Name, Arguments: plain(c.Arguments), Extra: c.Extra})
		}
		messages = append(messages, m)
	}
	return system, messages
}

func images(parts []ContentPart) []ContentPart {
	var out []ContentPart
	for _, p := range parts {
		if p.MediaType != "" {
			out = append(out, p)
		}
	}
	return out
}
