package engine

import (
	"context"
	"encoding/json"
)

// ThreadState is what project code sees of its thread (authoring surface §12):
// one call of one tool, hook or effect has one. Its methods are safe for
// concurrent use and end with the call that they were made for. What a method
// changes is durable before it returns.
type ThreadState struct {
	x *execution
}

// Info is the part of ThreadState that doesn't need a call.
type Info struct {
	ThreadID   ThreadID        `json:"threadId"`
	AgentID    string          `json:"agentId"`
	UserID     *string         `json:"userId"`
	CreatedAt  Micros          `json:"createdAt"`
	Terminated *Micros         `json:"terminated"`
	Children   []Child         `json:"children"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Context    json.RawMessage `json:"context"`   // object, in memory for this execution only
	Execution  *ExecutionInfo  `json:"execution"` // nil outside an execution
}

// ExecutionInfo is ThreadState.execution (authoring surface §12.6).
type ExecutionInfo struct {
	FlowID         RunID      `json:"flowId"`
	CurrentSide    Side       `json:"currentSide"`
	StepCount      int        `json:"stepCount"`
	SideAStepCount int        `json:"sideAStepCount"`
	SideBStepCount int        `json:"sideBStepCount"`
	Stopped        bool       `json:"stopped"`
	StoppedBy      StopReason `json:"stoppedBy,omitempty"`
	PromptPath     []string   `json:"promptPath"`
}

// MessageListOptions are the options of getMessages; Offset counts from the
// newest end, or from the oldest with Order "asc".
type MessageListOptions struct {
	Limit         int    `json:"limit"`
	Offset        int    `json:"offset"`
	Order         string `json:"order"`
	IncludeSilent bool   `json:"includeSilent"`
	MaxDepth      int    `json:"maxDepth"`
}

// MessageList is the result of getMessages.
type MessageList struct {
	Messages []Message `json:"messages"`
	Total    int       `json:"total"`
	HasMore  bool      `json:"hasMore"`
}

// NewMessage is the input of injectMessage and queueMessage.
type NewMessage struct {
	Role        Role            `json:"role"`
	Content     string          `json:"content"`
	Silent      bool            `json:"silent"`
	Metadata    json.RawMessage `json:"metadata"`
	Attachments []Attachment    `json:"attachments"`
}

// MessageUpdate is the input of updateMessage; nil fields stay. Metadata is
// merged.
type MessageUpdate struct {
	Content  *string         `json:"content"`
	Metadata json.RawMessage `json:"metadata"`
}

// LogEntry is one entry of getLogs.
type LogEntry struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
	CreatedAt Micros          `json:"created_at"`
	ParentID  string          `json:"parent_id,omitempty"`
}

func (s *ThreadState) Info(ctx context.Context) (*Info, error) { panic("pending") }
func (s *ThreadState) Messages(ctx context.Context, o MessageListOptions) (*MessageList, error) {
	panic("pending")
}

// nil, nil where there is none
func (s *ThreadState) Message(ctx context.Context, id MessageID) (*Message, error) { panic("pending") }
func (s *ThreadState) InjectMessage(ctx context.Context, m NewMessage) (*Message, error) {
	panic("pending")
}
func (s *ThreadState) QueueMessage(ctx context.Context, m NewMessage) error { panic("pending") }
func (s *ThreadState) UpdateMessage(ctx context.Context, id MessageID, u MessageUpdate) (*Message, error) {
	panic("pending")
}
func (s *ThreadState) DeleteMessage(ctx context.Context, id MessageID) (bool, error) {
	panic("pending")
}
func (s *ThreadState) Logs(ctx context.Context, limit, offset int, order string) ([]LogEntry, error) {
	panic("pending")
}

// for loadModel, loadPrompt, loadAgent and the name lists
func (s *ThreadState) Definitions() *Definitions { panic("pending") }

// CodeNotFound where nothing resolves
func (s *ThreadState) Env(ctx context.Context, name string) (string, error) { panic("pending") }
func (s *ThreadState) EnvType(ctx context.Context, name string) (VariableType, error) {
	panic("pending")
}

// typ "" keeps or means secret
func (s *ThreadState) SetEnv(ctx context.Context, name, value string, typ VariableType) error {
	panic("pending")
}

// nil where there is none
func (s *ThreadState) Value(ctx context.Context, key string) (json.RawMessage, error) {
	panic("pending")
}

// nil or null deletes
func (s *ThreadState) SetValue(ctx context.Context, key string, value json.RawMessage) error {
	panic("pending")
}
func (s *ThreadState) QueueTool(name string, args json.RawMessage) error { panic("pending") }
func (s *ThreadState) InvokeTool(ctx context.Context, name string, args json.RawMessage) (*ToolResult, error) {
	panic("pending")
}
func (s *ThreadState) Emit(event string, data json.RawMessage) error { panic("pending") }

// replaces state.context when the script's call ends or hands over
func (s *ThreadState) SetContext(object json.RawMessage) error          { panic("pending") }
func (s *ThreadState) ForceTurn(side Side) error                        { panic("pending") }
func (s *ThreadState) Stop() error                                      { panic("pending") }
func (s *ThreadState) RunAgent(ctx context.Context, agent string) error { panic("pending") }
func (s *ThreadState) Terminate(ctx context.Context) error              { panic("pending") }

// Log keeps a console line of project code.
func (s *ThreadState) Log(level, text string) { panic("pending") }
