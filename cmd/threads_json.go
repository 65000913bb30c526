package cmd

import (
	"encoding/json"

	"github.com/sideb-dev/sideb/engine"
)

// threadJSON is the shape of a thread that scripts rely on. Times are in
// microseconds, cost in USD (null: unknown). Keys are never left out.
type threadJSON struct {
	ThreadID       engine.ThreadID     `json:"threadId"`
	SessionID      engine.SessionID    `json:"sessionId"`
	AgentID        string              `json:"agentId"`
	Title          string              `json:"title"`
	Status         engine.ThreadStatus `json:"status"`
	ParentThreadID *engine.ThreadID    `json:"parentThreadId"`
	CreatedAt      engine.Micros       `json:"createdAt"`
	Terminated     *engine.Micros      `json:"terminated"`
	Usage          engine.Usage        `json:"usage"`
	Cost           *float64            `json:"cost"`
}

func toThreadJSON(t *engine.ThreadRead) threadJSON {
	return threadJSON{
		ThreadID:       t.ThreadID,
		SessionID:      t.SessionID,
		AgentID:        t.Agent,
		Title:          t.Title,
		Status:         t.Status,
		ParentThreadID: orNull(t.ParentThreadID),
		CreatedAt:      t.CreatedAt,
		Terminated:     orNull(t.Terminated),
		Usage:          t.Usage,
		Cost:           t.KnownCost(),
	}
}

// messageJSON is the shape of a message that scripts rely on. created_at is in
// microseconds; tool_calls has the chat-completions shape; status is pending for
// a message that still waits in the queue.
type messageJSON struct {
	ID          engine.MessageID     `json:"id"`
	Role        engine.Role          `json:"role"`
	Content     *string              `json:"content"`
	ToolCalls   []engine.ToolCall    `json:"tool_calls"`
	ToolCallID  *engine.ToolCallID   `json:"tool_call_id"`
	Name        *string              `json:"name"`
	ToolStatus  *engine.ToolStatus   `json:"tool_status"`
	Status      engine.MessageStatus `json:"status"`
	Silent      bool                 `json:"silent"`
	Side        *engine.Side         `json:"side"`
	TurnID      *engine.TurnID       `json:"turnId"`
	Attachments []engine.Attachment  `json:"attachments"`
	Metadata    json.RawMessage      `json:"metadata"`
	CreatedAt   engine.Micros        `json:"created_at"`
	Prompt      *string              `json:"prompt"`
	Depth       int                  `json:"depth"`
}

func toMessageJSON(m *engine.Message) messageJSON {
	return messageJSON{
		ID:          m.ID,
		Role:        m.Role,
		Content:     m.Content,
		ToolCalls:   orEmpty(m.ToolCalls),
		ToolCallID:  orNull(m.ToolCallID),
		Name:        orNull(m.Name),
		ToolStatus:  orNull(m.ToolStatus),
		Status:      m.Status,
		Silent:      m.Silent,
		Side:        orNull(m.Side),
		TurnID:      orNull(m.TurnID),
		Attachments: orEmpty(m.Attachments),
		Metadata:    m.Metadata,
		CreatedAt:   m.CreatedAt,
		Prompt:      orNull(m.Prompt),
		Depth:       m.Depth,
	}
}

// orNull makes the zero value null in JSON.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// orEmpty makes no elements [] in JSON.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
