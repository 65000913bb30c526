package engine

import (
	"context"
	"encoding/json"
	"time"
)

// ControlPlane is the only way to change runtime state from outside a step (agent
// runtime §3). CLI, TUI and HTTP are its clients; each declares the few methods
// that it uses as an interface of its own.
type ControlPlane struct{ e *Engine }

// CreateThread is the input of ControlPlane.CreateThread.
type CreateThread struct {
	ThreadID ThreadID // "" makes one; an existing one is CodeConflict
	Agent    string
	UserID   string
	Name     string
	Env      []EnvValue
}

// SubmitTurn is the input of ControlPlane.SubmitTurn. A TurnID that exists is not
// submitted again: the existing turn is returned.
type SubmitTurn struct {
	ThreadID    ThreadID
	TurnID      TurnID
	Role        Role // user (side B speaks, default) or assistant
	Content     string
	Attachments []Attachment
	Silent      bool
	Metadata    json.RawMessage
	Options     TurnOptions
}

// TurnOptions bound one execution from outside.
type TurnOptions struct {
	MaxSteps int `json:"maxSteps,omitempty"` // 0 is the agent's own; stops with max_total_steps
}

func (c *ControlPlane) CreateThread(ctx context.Context, in CreateThread) (*ThreadRead, error) {
	panic("pending")
}
func (c *ControlPlane) SubmitTurn(ctx context.Context, in SubmitTurn) (*TurnRead, error) {
	panic("pending")
}

// InterruptTurn ends the running turn (or turn, if it isn't "") as cancelled. It
// returns once the intent is recorded; the end is an event. CodeConflict where
// nothing runs.
func (c *ControlPlane) InterruptTurn(ctx context.Context, thread ThreadID, turn TurnID, reason string) error {
	panic("pending")
}

// ResumeThread makes a host of this process take up what is open or queued.
// It reports false where there is nothing to do.
func (c *ControlPlane) ResumeThread(ctx context.Context, thread ThreadID) (bool, error) {
	panic("pending")
}
func (c *ControlPlane) RemoveQueuedTurn(ctx context.Context, thread ThreadID, id QueueID) error {
	panic("pending")
}
func (c *ControlPlane) PromoteQueuedTurn(ctx context.Context, thread ThreadID, id QueueID) error {
	panic("pending")
}
func (c *ControlPlane) Terminate(ctx context.Context, thread ThreadID) error { panic("pending") }

// DeleteThread removes a thread and its descendants. CodeBusy while it runs.
func (c *ControlPlane) DeleteThread(ctx context.Context, thread ThreadID) error { panic("pending") }
func (c *ControlPlane) SetEnv(ctx context.Context, values []EnvValue) error     { panic("pending") }

// Reads.
func (c *ControlPlane) Thread(ctx context.Context, id ThreadID) (*ThreadRead, error) {
	panic("pending")
}
func (c *ControlPlane) Threads(ctx context.Context, q ThreadQuery) (*ThreadPage, error) {
	panic("pending")
}
func (c *ControlPlane) Messages(ctx context.Context, q MessageQuery) (*MessagePage, error) {
	panic("pending")
}
func (c *ControlPlane) Turn(ctx context.Context, id TurnID) (*TurnRead, error) { panic("pending") }
func (c *ControlPlane) Turns(ctx context.Context, thread ThreadID, limit int) ([]TurnRead, error) {
	panic("pending")
}
func (c *ControlPlane) Queue(ctx context.Context, thread ThreadID) ([]QueueItem, error) {
	panic("pending")
}
func (c *ControlPlane) Children(ctx context.Context, parent ThreadID) ([]Child, error) {
	panic("pending")
}
func (c *ControlPlane) Session(ctx context.Context, id SessionID) (*SessionRead, error) {
	panic("pending")
}
func (c *ControlPlane) Events(ctx context.Context, q EventQuery) ([]Event, error) { panic("pending") }
func (c *ControlPlane) Env(ctx context.Context, scope EnvScope, thread ThreadID) ([]EnvValue, error) {
	panic("pending")
}
func (c *ControlPlane) Output(ctx context.Context, ref OutputRef) (*Output, error) { panic("pending") }
func (c *ControlPlane) Definitions() *Definitions                                  { panic("pending") }
func (c *ControlPlane) ToolInventory(ctx context.Context, thread ThreadID) ([]ToolInfo, error) {
	panic("pending")
}

// WaitTurn returns the turn once it has ended (following joins), or ctx's error.
func (c *ControlPlane) WaitTurn(ctx context.Context, id TurnID) (*TurnRead, error) { panic("pending") }

// WaitSettled returns once the session has no work that a host of this process
// could go on with, or ctx's error.
func (c *ControlPlane) WaitSettled(ctx context.Context, session SessionID) error { panic("pending") }

// LiveHost reports whether another process hosts the thread.
func (c *ControlPlane) LiveHost(ctx context.Context, thread ThreadID) (bool, error) { panic("pending") }

// ToolInfo is one entry of a thread's tool inventory.
type ToolInfo struct {
	Name        string          `json:"name"`
	Kind        string          `json:"kind"` // function, prompt, handoff, subagent, builtin
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Enabled     bool            `json:"enabled"`
	Reason      string          `json:"reason,omitempty"` // why it isn't
}

// Subscription delivers a session's events in order. Durable events are never
// lost: one that lags is filled up from the log. Volatile ones may be dropped.
type Subscription struct{ s *subscriber }

// Subscribe follows a session after a sequence (0: from its start; negative: from
// now), or every session where session is "" (then only from now). End it with
// Close.
func (c *ControlPlane) Subscribe(session SessionID, after int64) *Subscription { panic("pending") }

// Next blocks for events and returns all that are ready. It fails with ctx's
// error, or with CodeCanceled once the subscription is closed.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) { panic("pending") }
func (s *Subscription) Close()                                    { panic("pending") }

// Config is what an Engine is built from. Store, Project and the functions are
// required; a nil Models or Scripts makes every call of one an error.
type Config struct {
	Store   Store
	Project Project
	Models  Models
	Scripts Scripts
	Now     func() time.Time
	NewID   func() string
	// After delivers once after d: the clock's timer (retry back-off).
	After func(d time.Duration) <-chan time.Time
	// ProcessEnv reads a variable of this process that a provider or the project
	// declares.
	ProcessEnv func(name string) (string, bool)
	// Logf gets one line per thing worth a diagnosis; never a secret.
	Logf func(format string, args ...any)
}

// New builds an Engine. It does nothing until Start; the control plane works at
// once.
func New(c Config) *Engine { panic("pending") }

// Control returns the control plane.
func (e *Engine) Control() *ControlPlane { panic("pending") }

// Start registers this process as a host of scope and runs its threads until
// Stop.
func (e *Engine) Start(ctx context.Context, scope HostScope) error { panic("pending") }

// Stop interrupts nothing durable: it aborts calls in flight, releases every
// lease and waits for the threads to end. What was open is taken up by the next
// host.
func (e *Engine) Stop(ctx context.Context) error { panic("pending") }
