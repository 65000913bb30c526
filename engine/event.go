package engine

import (
	"encoding/json"
	"time"
)

// EventSchemaVersion is the version of the payloads in this package.
const EventSchemaVersion = "sideb-1"

// EventType is one of the Agent Runtime's event classes; the list is the
// schema's, nothing is added.
type EventType string

const (
	EventSessionCreated  EventType = "session.created"
	EventThreadStarted   EventType = "thread.started"
	EventThreadUpdated   EventType = "thread.updated"
	EventTurnSubmitted   EventType = "turn.submitted"
	EventTurnStarted     EventType = "turn.started"
	EventTurnCompleted   EventType = "turn.completed" // status completed or cancelled
	EventTurnFailed      EventType = "turn.failed"
	EventRunStatus       EventType = "run.status"
	EventModelRequested  EventType = "model.requested"
	EventModelDelta      EventType = "model.delta" // volatile
	EventModelCompleted  EventType = "model.completed"
	EventModelFailed     EventType = "model.failed"
	EventReasoningDelta  EventType = "reasoning.delta" // volatile
	EventReasoning       EventType = "reasoning.summary"
	EventToolStarted     EventType = "tool.started"
	EventToolProgress    EventType = "tool.progress" // volatile
	EventToolResult      EventType = "tool.result"
	EventToolFailed      EventType = "tool.failed"
	EventQueueChanged    EventType = "queue.changed"
	EventContextResolved EventType = "context.resolved"
	EventRuntimeWarning  EventType = "runtime.warning"
	EventRuntimeError    EventType = "runtime.error"
	EventSubagentSpawned EventType = "subagent.spawned"
	EventSubagentStatus  EventType = "subagent.status"
	EventSubagentInput   EventType = "subagent.input"
	EventSubagentDone    EventType = "subagent.completed"
	EventSubagentFailed  EventType = "subagent.failed"
	EventSubagentClosed  EventType = "subagent.closed"
	EventFallback        EventType = "routing.fallback.applied"
	EventNotPossible     EventType = "routing.not_possible"
	EventSingleCandidate EventType = "routing.single_candidate"
	EventRoutingDecided  EventType = "routing.decided"
	EventRateLimit       EventType = "rate_limit.hit"
	EventCostRecorded    EventType = "cost.recorded"
	EventOutputSpilled   EventType = "output.spilled"
	EventHookStarted     EventType = "hook.started"
	EventHookCompleted   EventType = "hook.completed"
	EventSandboxApplied  EventType = "sandbox.applied"
	EventHookFailed      EventType = "hook.failed"
	EventSnapshotUpdated EventType = "snapshot.updated" // volatile: another process changed something; read again
)

// Event is the Agent Runtime envelope. Sequence is monotonic per session and
// assigned by the store at commit; it is 0 for volatile events, which are never
// stored.
type Event struct {
	Type           EventType       `json:"type"`
	EventID        EventID         `json:"eventId"`
	Timestamp      time.Time       `json:"timestamp"`
	Sequence       int64           `json:"sequence"`
	SchemaVersion  string          `json:"schemaVersion"`
	RuntimeID      RuntimeID       `json:"runtimeId,omitempty"`
	SessionID      SessionID       `json:"sessionId"`
	ThreadID       ThreadID        `json:"threadId,omitempty"`
	TurnID         TurnID          `json:"turnId,omitempty"`
	RunID          RunID           `json:"runId,omitempty"`
	StepID         StepID          `json:"stepId,omitempty"`
	ToolCallID     ToolCallID      `json:"toolCallId,omitempty"`
	ActionID       ActionID        `json:"actionId,omitempty"`
	SubagentID     ThreadID        `json:"subagentId,omitempty"`
	ModelRequestID string          `json:"modelRequestId,omitempty"`
	QueueID        QueueID         `json:"queueId,omitempty"`
	OutputRef      OutputRef       `json:"outputRef,omitempty"`
	Status         string          `json:"status,omitempty"`
	StatusReason   string          `json:"statusReason,omitempty"`
	Payload        json.RawMessage `json:"payload,omitempty"`
	Refs           json.RawMessage `json:"refs,omitempty"`
}

// Volatile reports whether e is never stored and may be dropped.
func (e *Event) Volatile() bool {
	return e.Type == EventModelDelta || e.Type == EventReasoningDelta || e.Type == EventToolProgress || e.Type == EventSnapshotUpdated
}

// DeltaPayload is the payload of model.delta and reasoning.delta. Offset is the
// length in bytes of what was streamed of this message before Text.
type DeltaPayload struct {
	MessageID MessageID `json:"messageId"`
	Offset    int       `json:"offset"`
	Text      string    `json:"text"`
	Depth     int       `json:"depth,omitempty"`
}

// MessagePayload is the payload of thread.updated with kind "message" and part
// of model.completed and tool.result: it tells which message to read again.
type MessagePayload struct {
	Kind      string    `json:"kind,omitempty"`
	MessageID MessageID `json:"messageId"`
	Role      Role      `json:"role,omitempty"`
	Preview   string    `json:"preview,omitempty"`
	Bytes     int       `json:"bytes,omitempty"`
	Silent    bool      `json:"silent,omitempty"`
	Depth     int       `json:"depth,omitempty"`
	Deleted   bool      `json:"deleted,omitempty"`
}
