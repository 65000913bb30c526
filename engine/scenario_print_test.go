package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// printRequest shows what a model saw on one line.
func printRequest(req *engine.ModelRequest) string {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s:", req.Model.Name)
	if req.System != "" {
		fmt.Fprintf(&b, " system %q", req.System)
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		fmt.Fprintf(&b, " · %s", m.Role)
		if len(m.Parts) > 0 {
			fmt.Fprintf(&b, " %q", m.Text())
		}
		b.WriteString(printImages(m.Parts))
		if m.Reasoning != "" {
			fmt.Fprintf(&b, " thought %q", m.Reasoning)
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments)
		}
	}
	if len(req.Tools) > 0 {
		b.WriteString(" [")
		for i, t := range req.Tools {
			if i > 0 {
				b.WriteString(" ")
			}
			b.WriteString(t.Name)
		}
		b.WriteString("]")
	}
	if req.ToolChoice != "" {
		b.WriteString(" choice=" + req.ToolChoice)
	}
	return b.String()
}

func printMessage(m *engine.Message) string {
	var b strings.Builder
	b.WriteString(strings.Repeat("  ", m.Depth) + string(m.Role))
	if m.Side != "" && m.Role != engine.RoleTool {
		b.WriteString("/" + string(m.Side))
	}
	if m.Name != "" {
		b.WriteString(" " + m.Name)
	}
	if m.ToolStatus == engine.ToolError {
		b.WriteString(" error")
	}
	if m.Silent {
		b.WriteString(" silent")
	}
	if m.SubagentID != "" {
		b.WriteString(" of " + string(m.SubagentID))
	}
	if m.Status != engine.MessageCompleted {
		b.WriteString(" " + string(m.Status))
	}
	if m.Content != nil {
		fmt.Fprintf(&b, " %q", *m.Content)
	}
	b.WriteString(printFiles(m.Attachments))
	for _, c := range m.ToolCalls {
		fmt.Fprintf(&b, " %s%s", c.Name, c.Arguments)
	}
	if m.Reasoning != "" {
		fmt.Fprintf(&b, " thought %q", m.Reasoning)
	}
	return b.String()
}

// printItem shows what waits in a queue.
func printItem(i *engine.QueueItem) string {
	switch {
	case i.Message != nil:
		return fmt.Sprintf("%s %s %q", i.TurnID, i.Message.Role, i.Message.Text())
	case i.Delivery != nil:
		return fmt.Sprintf("delivery of %s to %s: %s %q", i.Delivery.Child, i.Delivery.Call, i.Delivery.Status, i.Delivery.Text)
	default:
		return fmt.Sprintf("%s %s %s%s", i.TurnID, i.Kind, i.Tool, i.Arguments)
	}
}

func printTurn(t *engine.TurnRead) string {
	s := fmt.Sprintf("turn %s %s", t.TurnID, t.Status)
	if t.Origin != engine.OriginUser {
		s += " from " + string(t.Origin)
	}
	if t.JoinedTurnID != "" {
		s += " with " + string(t.JoinedTurnID)
	}
	if t.StopReason != "" {
		s += " " + string(t.StopReason)
	}
	if t.Steps > 0 {
		s += fmt.Sprintf(" steps=%d", t.Steps)
	}
	if t.Usage.TotalTokens > 0 {
		s += fmt.Sprintf(" tokens=%d", t.Usage.TotalTokens)
	}
	if t.Cost != nil {
		s += fmt.Sprintf(" cost=%g", *t.Cost)
	}
	if t.Error != "" {
		s += fmt.Sprintf(" %s %q", t.ErrorCode, t.Error)
	}
	return s
}

// printEvent shows an event without what every one has.
func printEvent(e *engine.Event) string {
	s := fmt.Sprintf("%d %s", e.Sequence, e.Type)
	for _, id := range []string{string(e.TurnID), string(e.ToolCallID), e.Status} {
		if id != "" {
			s += " " + id
		}
	}
	if len(e.Payload) > 0 {
		s += " " + string(e.Payload)
	}
	return s
}

func printThread(t *engine.ThreadRead) string {
	b, err := json.Marshal(struct {
		Agent, Title, Status, Side, Doing, Text any
		Queue, Steps                            int
		Outcome, Stop, Error                    any
		Terminated                              bool
	}{t.Agent, t.Title, t.Status, t.Side, t.Doing, t.StatusText, t.QueueLength, t.Steps, t.LastOutcome, t.LastStop, t.LastError, t.Terminated != 0})
	if err != nil {
		return err.Error()
	}
	return strings.NewReplacer(`"`, "", "{", "", "}", "", ",", " ").Replace(string(b))
}
