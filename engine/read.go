package engine

// The read models: what clients show. They are folded from events by Apply
// inside the transaction that stores the events, so they never disagree with the
// log.

// ThreadStatus is the status of a thread's read model (agent runtime §4).
type ThreadStatus string

const (
	ThreadIdle      ThreadStatus = "idle"
	ThreadQueued    ThreadStatus = "queued"
	ThreadRunning   ThreadStatus = "running"
	ThreadBlocked   ThreadStatus = "blocked" // waits for a decision, a person or a resource
	ThreadCompleted ThreadStatus = "completed"
	ThreadFailed    ThreadStatus = "failed"
	ThreadCancelled ThreadStatus = "cancelled"
	ThreadUnknown   ThreadStatus = "unknown"
)

// TurnStatus is the status of a turn.
type TurnStatus string

const (
	TurnQueued    TurnStatus = "queued"
	TurnRunning   TurnStatus = "running"
	TurnCompleted TurnStatus = "completed"
	TurnFailed    TurnStatus = "failed"
	TurnCancelled TurnStatus = "cancelled"
)

// Ended reports whether the turn can't change any more.
func (s TurnStatus) Ended() bool {
	return s == TurnCompleted || s == TurnFailed || s == TurnCancelled
}

// StopReason says why an execution ended (authoring surface §14.4).
type StopReason string

const (
	StopSession         StopReason = "session_stop"
	StopSessionFail     StopReason = "session_fail"
	StopTool            StopReason = "stop_tool"
	StopOnResponse      StopReason = "stop_on_response"
	StopMaxSideSteps    StopReason = "max_side_steps"
	StopMaxTotalSteps   StopReason = "max_total_steps"
	StopMaxSessionTurns StopReason = "max_session_turns"
	StopAborted         StopReason = "aborted"
	StopAbortedByUser   StopReason = "aborted_by_user"
	StopStepError       StopReason = "step_error"
	StopRepeatedError   StopReason = "repeated_tool_error"
	StopHookBlocked     StopReason = "hook_blocked"
	StopRequested       StopReason = "stop_requested" // execution.stop()
	StopTerminated      StopReason = "terminated"
)

// Limit reports whether a documented cap ended the execution.
func (r StopReason) Limit() bool {
	switch r {
	case StopMaxSideSteps, StopMaxTotalSteps, StopMaxSessionTurns, StopRepeatedError:
		return true
	default:
		return false
	}
}

// ThreadRead is the read model of one thread. Costs are in USD; a nil Cost is
// unknown (a model without prices ran), a zero one is known to be free.
type ThreadRead struct {
	ThreadID       ThreadID     `json:"threadId"`
	SessionID      SessionID    `json:"sessionId"`
	ParentThreadID ThreadID     `json:"parentThreadId,omitempty"`
	Agent          string       `json:"agentId"`
	AgentType      AgentType    `json:"agentType,omitempty"`
	Project        string       `json:"project,omitempty"`
	Name           string       `json:"name,omitempty"`
	Title          string       `json:"title,omitempty"`
	Status         ThreadStatus `json:"status"`
	CreatedAt      Micros       `json:"createdAt"`
	UpdatedAt      Micros       `json:"updatedAt"`
	Terminated     Micros       `json:"terminated,omitempty"`

	ActiveTurns []TurnID   `json:"activeTurns,omitempty"` // the first one started the execution, the others joined
	RunID       RunID      `json:"runId,omitempty"`
	Side        Side       `json:"side,omitempty"`  // the side that speaks, "" at rest
	Model       string     `json:"model,omitempty"` // the model definition that was asked last
	Step        int        `json:"step,omitempty"`  // steps of the running execution
	Doing       string     `json:"doing,omitempty"` // what the thread does or waits for now: "model", "tool:<name>", "child:<id>"
	Since       Micros     `json:"since,omitempty"` // since when
	QueueLength int        `json:"queueLength"`
	LastOutcome TurnStatus `json:"lastOutcome,omitempty"`
	LastStop    StopReason `json:"lastStop,omitempty"`
	LastError   string     `json:"lastError,omitempty"`
	StatusText  string     `json:"statusText,omitempty"` // from sessionStatus or setStatus

	Steps       int        `json:"steps"` // all steps of the sides, ever
	Usage       Usage      `json:"usage"`
	Cost        *float64   `json:"cost"`
	CostUnknown bool       `json:"costUnknown,omitempty"` // some call had no price
	Incidents   []Incident `json:"incidents,omitempty"`   // the newest few warnings and errors
	Sequence    int64      `json:"sequence"`              // the last event that was folded in
}

// Child is one entry of the child registry (agents §7.11).
type Child struct {
	Reference           ThreadID  `json:"reference"`
	Name                string    `json:"name"`
	Title               string    `json:"title,omitempty"`
	Description         string    `json:"description"`
	Resumable           bool      `json:"resumable"`
	Blocking            bool      `json:"blocking"`
	ThreadName          string    `json:"threadName,omitempty"`
	SpawnGroupID        MessageID `json:"spawnGroupId,omitempty"`
	CreatedAt           Micros    `json:"createdAt,omitempty"`
	Status              string    `json:"status"`
	ParentCommunication string    `json:"parentCommunication,omitempty"`
}

// Incident is a warning or error that the user should see.
type Incident struct {
	At      Micros `json:"at"`
	Level   string `json:"level"` // warning, error
	Message string `json:"message"`
	TurnID  TurnID `json:"turnId,omitempty"`
}

// TurnRead is the read model of one turn. Steps counts those of the sides
// themselves, without sub-prompts and children; Usage and Cost include
// sub-prompts. A turn that joined a running execution has JoinedTurnID and no
// usage of its own.
type TurnRead struct {
	TurnID       TurnID     `json:"turnId"`
	ThreadID     ThreadID   `json:"threadId"`
	SessionID    SessionID  `json:"sessionId"`
	Origin       Origin     `json:"origin"`
	Status       TurnStatus `json:"status"`
	RunID        RunID      `json:"runId,omitempty"`
	JoinedTurnID TurnID     `json:"joinedTurnId,omitempty"`
	SubmittedAt  Micros     `json:"submittedAt"`
	StartedAt    Micros     `json:"startedAt,omitempty"`
	EndedAt      Micros     `json:"endedAt,omitempty"`
	Steps        int        `json:"steps"`
	Usage        Usage      `json:"usage"`
	Cost         *float64   `json:"cost"`
	CostUnknown  bool       `json:"costUnknown,omitempty"`
	StopReason   StopReason `json:"stopReason,omitempty"`
	Error        string     `json:"error,omitempty"`
	ErrorCode    Code       `json:"errorCode,omitempty"`
}

// SessionRead is the read model of one session.
type SessionRead struct {
	SessionID  SessionID `json:"sessionId"`
	RootThread ThreadID  `json:"rootThreadId"`
	Threads    int       `json:"threads"` // how many; list them by ThreadQuery.Session
	CreatedAt  Micros    `json:"createdAt"`
	UpdatedAt  Micros    `json:"updatedAt"`
	Sequence   int64     `json:"sequence"`
}

// ReadModels are the read models that one event may touch. A nil one is absent
// from the store; Apply creates it where the event does.
type ReadModels struct {
	Thread  *ThreadRead
	Turn    *TurnRead
	Session *SessionRead
	Child   *Child // the registry row of the event's threadId (the parent) and subagentId
}

// KnownCost is what the thread cost, nil where some call had no price. A thread
// that asked no model cost nothing.
func (t *ThreadRead) KnownCost() *float64 { return knownCost(t.Cost, t.CostUnknown) }

// KnownCost is what the turn cost, nil where some call had no price.
func (t *TurnRead) KnownCost() *float64 { return knownCost(t.Cost, t.CostUnknown) }

func knownCost(sum *float64, unknown bool) *float64 {
	switch {
	case unknown:
		return nil
	case sum == nil:
		return new(float64)
	default:
		return sum
	}
}
