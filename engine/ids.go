package engine

// The ids of the runtime's things. They are distinct types so that one can't be
// passed for another; as text they are UUIDv7 (time-ordered) unless a caller or a
// model supplied them.
type (
	RuntimeID    string // one installation (data directory)
	SessionID    string // a root thread and all its descendants
	ThreadID     string
	TurnID       string // may be supplied by the caller of SubmitTurn
	RunID        string // one execution of a thread
	StepID       string // one ordered item of a turn: a model call, a tool call
	ToolCallID   string // the model's id, made unique per thread
	MessageID    string
	EventID      string
	QueueID      string
	HostID       string // one process that runs threads
	OutputRef    string // content address of a stored output: "sha256:<hex>"
	ActionID     string // one pending decision
	ScheduleID   string // one scheduled effect
	RequestID    string // one deferred subagent that waits for variables
	AttachmentID string
)

// Fence is the fencing number of a lease. It grows with every claim of a thread,
// so that a commit of an earlier owner is recognised.
type Fence int64

// ContentID is what a file's bytes are known by in the store.
type ContentID int64

// Micros is a time in microseconds since the Unix epoch, the unit of the
// Standard Agents surface.
type Micros int64
