package engine

import (
	"encoding/json"
	"strings"
)

// view selects and turns a thread's history for one model request (runtime §4).
type view struct {
	side   Side
	dual   bool
	prompt *Prompt
	run    RunID                    // the running execution, whose own messages always count
	inner  MessageID                // not "": the context of a sub-prompt, whose messages have this parent
	args   json.RawMessage          // of a sub-prompt: over the thread's own in {{name}}
	image  func(*Attachment) []byte // loads an image, nil where it can't be
}

// assemble makes the request's messages from the thread's messages in order. Each
// side sees itself as assistant and the other as user, never the other's tool
// calls; orphaned calls and results are dropped, because providers reject them.
func (v view) assemble(history []*Message) []ModelMessage {
	visible := make([]*Message, 0, len(history))
	for _, m := range history {
		if v.shows(m) {
			visible = append(visible, m)
		}
	}
	results := make(map[ToolCallID]int, len(visible)) // that are still to come
	for _, m := range visible {
		if m.Role == RoleTool {
			results[m.ToolCallID]++
		}
	}
	shown := v.pictures(visible)
	out := make([]ModelMessage, 0, len(visible))
	answered := make(map[ToolCallID]bool, len(results))
	for _, m := range visible {
		if mm, ok := v.message(m, shown, results, answered); ok {
			out = append(out, mm)
		}
	}
	return out
}

// shows applies includeChat and includePastTools. Both hide only what is older
// than the running execution (decision A3).
func (v view) shows(m *Message) bool {
	if m.Status == MessagePending || m.Status == MessageFailed {
		return false
	}
	if v.inner != "" {
		if m.ParentID == v.inner {
			return true
		}
		return m.Depth == 0 && m.Role != RoleTool && v.prompt.IncludeChat
	}
	if m.Depth != 0 {
		return false
	}
	current := m.RunID == v.run && v.run != ""
	if !v.prompt.IncludeChat && !current {
		return false
	}
	return m.Role != RoleTool || current || v.prompt.IncludePastTools
}

// own reports whether this side spoke a user or assistant message: assistant is
// side A, user is side B.
func (v view) own(m *Message) bool {
	if !v.dual {
		return m.Role == RoleAssistant
	}
	return (m.Role == RoleAssistant) == (v.side == SideA)
}

func (v view) message(m *Message, shown pictures, results map[ToolCallID]int, answered map[ToolCallID]bool) (ModelMessage, bool) {
	switch m.Role {
	case RoleSystem:
		parts := shown.parts(m, false)
		return ModelMessage{Role: RoleSystem, Parts: parts}, len(parts) > 0
	case RoleTool:
		results[m.ToolCallID]--
		if !answered[m.ToolCallID] {
			return ModelMessage{}, false
		}
		answered[m.ToolCallID] = false // a second one would answer nothing
		return ModelMessage{Role: RoleTool, Parts: shown.parts(m, true), ToolCallID: m.ToolCallID,
			ToolName: m.Name, ToolError: m.ToolStatus == ToolError}, true
	case RoleUser, RoleAssistant:
	}
	if !v.own(m) {
		out := ModelMessage{Role: RoleUser, Parts: shown.parts(m, true)}
		return out, len(m.Attachments) > 0 || strings.TrimSpace(m.Text()) != ""
	}
	out := ModelMessage{Role: RoleAssistant}
	out.Parts = shown.parts(m, false)
	for _, c := range m.ToolCalls {
		if results[c.ID] > 0 {
			answered[c.ID] = true
			out.ToolCalls = append(out.ToolCalls, c)
		}
	}
	if v.prompt.Reasoning != nil && v.prompt.Reasoning.Include && m.Prompt == v.prompt.Name {
		out.Reasoning = m.Reasoning
	}
	if v.prompt.Reasoning == nil || !v.prompt.Reasoning.Exclude {
		out.ReasoningDetails = m.ReasoningDetails
	}
	return out, len(out.Parts) > 0 || len(out.ToolCalls) > 0
}
