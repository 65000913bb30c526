package engine

import "encoding/json"

// The payloads of durable events. Each is what Apply and clients read; anything
// larger than a preview stays in primary data and is named by id.

// ThreadPayload is the payload of thread.started.
type ThreadPayload struct {
	Agent     string    `json:"agentId"`
	AgentType AgentType `json:"agentType"`
	Name      string    `json:"name,omitempty"`
	Parent    ThreadID  `json:"parentThreadId,omitempty"`
}

// UpdateKind says what a thread.updated event tells of.
type UpdateKind string

const (
	UpdateMessage    UpdateKind = "message"
	UpdateTitle      UpdateKind = "title"
	UpdateAgent      UpdateKind = "agent"
	UpdateStatus     UpdateKind = "status_text"
	UpdateTerminated UpdateKind = "terminated"
	UpdateEnv        UpdateKind = "env"
	UpdateValue      UpdateKind = "value"
	UpdateEmit       UpdateKind = "emit"
	UpdateLog        UpdateKind = "log"
	UpdateEffect     UpdateKind = "effect"
	UpdateFile       UpdateKind = "file"
)

// UpdatePayload is the payload of thread.updated; which fields are set depends on
// Kind.
type UpdatePayload struct {
	Kind      UpdateKind      `json:"kind"`
	MessageID MessageID       `json:"messageId,omitempty"`
	Role      Role            `json:"role,omitempty"`
	Preview   string          `json:"preview,omitempty"`
	Silent    bool            `json:"silent,omitempty"`
	Deleted   bool            `json:"deleted,omitempty"`
	Title     string          `json:"title,omitempty"`
	Agent     string          `json:"agentId,omitempty"`
	AgentType AgentType       `json:"agentType,omitempty"`
	Text      string          `json:"text,omitempty"`
	At        Micros          `json:"at,omitempty"`
	Name      string          `json:"name,omitempty"`  // of a variable, key, file or emitted event
	Level     string          `json:"level,omitempty"` // of a log line
	ID        string          `json:"id,omitempty"`    // of a scheduled effect
	Error     string          `json:"error,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
}

// TurnPayload is the payload of turn.submitted, turn.started, turn.completed and
// turn.failed.
type TurnPayload struct {
	Origin       Origin     `json:"origin,omitempty"`
	Role         Role       `json:"role,omitempty"`
	Preview      string     `json:"preview,omitempty"`
	JoinedTurnID TurnID     `json:"joinedTurnId,omitempty"`
	StopReason   StopReason `json:"stopReason,omitempty"`
	Error        string     `json:"error,omitempty"`
	ErrorCode    Code       `json:"errorCode,omitempty"`
}

// RunPayload is the payload of run.status.
type RunPayload struct {
	Agent      string     `json:"agentId,omitempty"`
	Side       Side       `json:"side,omitempty"`
	Prompt     string     `json:"prompt,omitempty"`
	Resumed    bool       `json:"resumed,omitempty"` // another host had begun it
	Waits      string     `json:"waits,omitempty"`   // status blocked: what for
	StopReason StopReason `json:"stopReason,omitempty"`
	Error      string     `json:"error,omitempty"`
}

// QueuePayload is the payload of queue.changed. Delta is by how much the queue
// grew.
type QueuePayload struct {
	Op    string    `json:"op"` // added, injected, removed, promoted
	Items []QueueID `json:"items,omitempty"`
	Delta int       `json:"delta"`
}

// ModelPayload is the payload of the model.* and routing.fallback.applied events.
type ModelPayload struct {
	MessageID    MessageID      `json:"messageId,omitempty"` // of the answer, known before it exists
	ParentID     MessageID      `json:"parentId,omitempty"`
	Model        string         `json:"model,omitempty"`
	Provider     string         `json:"provider,omitempty"`
	Prompt       string         `json:"prompt,omitempty"`
	Side         Side           `json:"side,omitempty"`
	Step         int            `json:"step,omitempty"`
	Depth        int            `json:"depth,omitempty"`
	Attempt      int            `json:"attempt,omitempty"`
	Role         Role           `json:"role,omitempty"`
	Preview      string         `json:"preview,omitempty"`
	ToolCalls    int            `json:"toolCalls,omitempty"`
	FinishReason FinishReason   `json:"finishReason,omitempty"`
	Usage        *Usage         `json:"usage,omitempty"` // absent: unknown
	Cost         *float64       `json:"cost,omitempty"`  // USD; absent: unknown
	LatencyMs    int64          `json:"latencyMs,omitempty"`
	Error        string         `json:"error,omitempty"`
	ErrorKind    ModelErrorKind `json:"errorKind,omitempty"`
	RetryInMs    int64          `json:"retryInMs,omitempty"`
	From         string         `json:"from,omitempty"`
	Partial      bool           `json:"partial,omitempty"`
}

// ToolPayload is the payload of the tool.* events. Bytes is the length of the
// whole result, of which Preview is the start.
type ToolPayload struct {
	Name       string    `json:"name"`
	MessageID  MessageID `json:"messageId,omitempty"` // of the result, known before it exists
	ParentID   MessageID `json:"parentId,omitempty"`
	Depth      int       `json:"depth,omitempty"`
	Arguments  string    `json:"arguments,omitempty"` // a preview
	Preview    string    `json:"preview,omitempty"`
	Bytes      int       `json:"bytes,omitempty"`
	ErrorCode  string    `json:"errorCode,omitempty"`
	DurationMs int64     `json:"durationMs,omitempty"`
}

// SubagentPayload is the payload of the subagent.* events.
type SubagentPayload struct {
	Child  *Child `json:"child,omitempty"`
	Status string `json:"status,omitempty"`
	Text   string `json:"text,omitempty"`
}

// WarningPayload is the payload of runtime.warning and runtime.error.
type WarningPayload struct {
	Message string `json:"message"`
	Code    Code   `json:"code,omitempty"`
}

// mustJSON encodes a value that can't fail to encode.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
