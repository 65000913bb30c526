package engine

import "encoding/json"

// Role of a message. It encodes authorship: assistant is side A, user is side B,
// in dual_ai threads too; the perspective of a side is applied only when its
// context is assembled (runtime §4).
type Role string

const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// MessageStatus is the state of a message record.
type MessageStatus string

const (
	MessagePending   MessageStatus = "pending" // queued, not yet in the conversation
	MessageCompleted MessageStatus = "completed"
	MessageFailed    MessageStatus = "failed"
	MessagePartial   MessageStatus = "partial" // what was streamed before an interrupt
)

// ToolStatus is the outcome of a tool call.
type ToolStatus string

const (
	ToolSuccess ToolStatus = "success"
	ToolError   ToolStatus = "error"
)

// ToolCall is one call that a model asked for. Arguments is JSON text as the
// model wrote it, which may be malformed.
type ToolCall struct {
	ID        ToolCallID
	Name      string
	Arguments string
	Extra     json.RawMessage // opaque provider data that must be sent back with the call
}

type wireToolCall struct {
	ID       ToolCallID `json:"id"`
	Type     string     `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// MarshalJSON writes the chat-completions shape.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	w := wireToolCall{ID: c.ID, Type: "function", Extra: c.Extra}
	w.Function.Name, w.Function.Arguments = c.Name, c.Arguments
	return json.Marshal(w)
}

// UnmarshalJSON reads the chat-completions shape.
func (c *ToolCall) UnmarshalJSON(b []byte) error {
	var w wireToolCall
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*c = ToolCall{ID: w.ID, Name: w.Function.Name, Arguments: w.Function.Arguments, Extra: w.Extra}
	return nil
}

// Attachment refers to a file of the message's own thread (AttachmentRef). Size
// is in bytes.
type Attachment struct {
	ID          AttachmentID `json:"id"`
	Type        string       `json:"type"` // "file"
	Path        string       `json:"path"` // "/attachments/…"
	Name        string       `json:"name"`
	MimeType    string       `json:"mimeType"`
	Size        int64        `json:"size"`
	Width       int          `json:"width,omitempty"`
	Height      int          `json:"height,omitempty"`
	Description string       `json:"description,omitempty"`
}

// ReasoningDetail is provider reasoning that can be replayed to the same
// provider. Type is summary, text or encrypted.
type ReasoningDetail struct {
	Type   string `json:"type"`
	ID     string `json:"id,omitempty"`
	Text   string `json:"text,omitempty"`
	Data   string `json:"data,omitempty"`
	Format string `json:"format,omitempty"`
}

// Message is one message record of a thread (authoring surface §12.4). Ord orders
// a thread's messages; the store assigns it on insert.
type Message struct {
	ID               MessageID         `json:"id"`
	ThreadID         ThreadID          `json:"thread_id"`
	Ord              int64             `json:"-"`
	Role             Role              `json:"role"`
	Content          *string           `json:"content"`
	Name             string            `json:"name,omitempty"` // tool name of a tool message
	ToolCalls        []ToolCall        `json:"tool_calls,omitempty"`
	ToolCallID       ToolCallID        `json:"tool_call_id,omitempty"`
	CreatedAt        Micros            `json:"created_at"`
	ParentID         MessageID         `json:"parent_id,omitempty"` // a sub-prompt's messages name the assistant message that called it
	Depth            int               `json:"depth"`
	Silent           bool              `json:"silent,omitempty"` // hidden from default lists; still sent to the model
	Metadata         json.RawMessage   `json:"metadata,omitempty"`
	Status           MessageStatus     `json:"status"`
	ToolStatus       ToolStatus        `json:"tool_status,omitempty"`
	Attachments      []Attachment      `json:"attachments,omitempty"`
	Reasoning        string            `json:"reasoning_content,omitempty"`
	ReasoningDetails []ReasoningDetail `json:"reasoning_details,omitempty"`
	Prompt           string            `json:"prompt,omitempty"` // prompt that produced an assistant message
	Model            string            `json:"model,omitempty"`  // model definition that produced it
	Side             Side              `json:"side,omitempty"`
	TurnID           TurnID            `json:"turn_id,omitempty"`
	RunID            RunID             `json:"run_id,omitempty"`
	SubagentID       ThreadID          `json:"subagent_id,omitempty"`
	OutputRef        OutputRef         `json:"output_ref,omitempty"` // full content, where Content is a preview
}

// Text returns the content, "" where there is none.
func (m *Message) Text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// SetText sets the content.
func (m *Message) SetText(s string) { m.Content = &s }

// Usage counts tokens. Cached and Reasoning are parts of Prompt and Completion.
type Usage struct {
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
	TotalTokens      int64 `json:"totalTokens"`
	CachedTokens     int64 `json:"cachedTokens,omitempty"`
	ReasoningTokens  int64 `json:"reasoningTokens,omitempty"`
}

// Add adds o to u.
func (u *Usage) Add(o Usage) {
	u.PromptTokens += o.PromptTokens
	u.CompletionTokens += o.CompletionTokens
	u.TotalTokens += o.TotalTokens
	u.CachedTokens += o.CachedTokens
	u.ReasoningTokens += o.ReasoningTokens
}

// ToolResult is what a tool call came to. An error result is data for the model,
// not a Go error (runtime §5.2).
type ToolResult struct {
	Status      ToolStatus      `json:"status"`
	Result      string          `json:"result,omitempty"`
	Error       string          `json:"error,omitempty"`
	Stack       string          `json:"stack,omitempty"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorData   json.RawMessage `json:"error_data,omitempty"`
	Attachments []NewAttachment `json:"attachments,omitempty"`
	SubagentID  ThreadID        `json:"subagent_id,omitempty"`
}

// NewAttachment is an attachment that a tool returns: with Data a new file to
// store, without it a reference to a file that exists.
type NewAttachment struct {
	Attachment
	Data []byte `json:"data,omitempty"`
}

// ErrorResult is a failed tool call with the text that the model gets.
func ErrorResult(message string) *ToolResult {
	return &ToolResult{Status: ToolError, Error: message}
}
