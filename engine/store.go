package engine

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps everything durable. storage implements it on SQLite; enginetest has
// the conformance suite that any implementation must pass. All methods are safe
// for concurrent use. Reads see every commit that returned before they began.
type Store interface {
	Committer
	ThreadReader
	TurnReader
	ValueReader
	EventLog
	RequestStore
	EffectStore
	FileStore
	Hosts
}

// Committer is the only way to change stored state.
type Committer interface {
	// Commit applies c whole or not at all, and returns once it is durable. It
	// fails with CodeConflict where the lease that c names is lost or the thread
	// is terminated, with CodeBusy where c claims a thread of a live host, and
	// with CodeNotFound where its thread doesn't exist. Commits of concurrent
	// callers may share one disk flush; a failing one takes no other with it.
	Commit(ctx context.Context, c *Commit) (*Committed, error)
}

// Commit is one atomic change: state, and the events that tell of it. The zero
// value of a field changes nothing.
type Commit struct {
	Now     time.Time
	Thread  ThreadID // the thread that Fence, Claim, Live, Exec, Agent, … speak of
	Fence   Fence    // not 0: the lease under which the thread runs, checked by rows affected
	Claim   *Claim   // take the lease in the same transaction
	Live    bool     // fail with CodeConflict when the thread is terminated
	NewTurn TurnID   // fail with CodeConflict and change nothing when this turn exists already

	Create    []Thread   // new threads, before anything else
	Exec      *Exec      // replaces the thread's runtime state
	Agent     string     // re-points the thread (handoff)
	Terminate Micros     // sets the terminated timestamp
	Release   bool       // gives up the lease at the end of this commit
	Delete    []ThreadID // removes threads with all that is theirs

	Messages     []Message // inserted, or replaced where the id exists (Ord is kept)
	DropMessages []MessageID
	Enqueue      []QueueItem // appended; each names its own thread
	Dequeue      []QueueID   // removed; a missing one fails the commit with CodeConflict
	Promote      QueueID     // moved to the front of its thread's queue

	Values     []Value  // key-value entries of Thread
	Files      []FileOp // in this order; each names its own thread
	Env        []EnvValue
	Outputs    []Output
	Requests   []Request   // new deferred subagents
	Schedule   []Scheduled // added, or replaced by ID
	Unschedule []ScheduleID
	Fulfil     RequestID // removed; a missing one fails the commit with CodeNotFound
	Signals    []Signal  // appended intents for the owners of other threads
	Handled    []int64   // signals that were acted on and go

	Events []Event // the store assigns Sequence per session, in this order, and folds each into the read models by Apply
}

// Claim asks for a thread's lease. It succeeds only where the thread's fence
// still is Fence (nobody else claimed it since it was read) and its owner, if
// any, is this host or no longer alive.
type Claim struct{ Fence Fence }

// Committed tells what a commit came to.
type Committed struct {
	Fence    Fence     // the lease's fence after the commit, where it named a thread
	Events   []Event   // with their sequences
	Messages []Message // inserted messages with their Ord
}

// Exec is the durable runtime state of a thread: what a new owner needs to go on.
// Active says that some host must run the thread now; a thread that only waits
// (for a person, a child, a timer) isn't active. State is the engine's own.
type Exec struct {
	Active bool
	State  json.RawMessage
}

// Thread is the identity of a thread; what changes while it runs is in Exec and
// in its read model.
type Thread struct {
	ID         ThreadID
	SessionID  SessionID // the root thread's; a root thread's session is created with it
	ParentID   ThreadID  // "" for a root thread
	Agent      string
	Project    string // absolute directory of the project that defines it, "" for the built-in one
	UserID     string
	Name       string          // display name given at creation, "" for none
	Arguments  json.RawMessage // initial arguments of a child thread
	Spawn      json.RawMessage // how the parent spawned it (mode, communication, tool call); the engine's own
	CreatedAt  Micros
	Terminated Micros // 0 while it lives
}

// ThreadRecord is all of a thread but its messages.
type ThreadRecord struct {
	Thread
	Fence Fence
	Owner HostID // "" when nobody holds the lease
	Exec  Exec
	Read  ThreadRead
}

// open reports whether an execution is open: it runs, should run, or waits for a
// child.
func (r *ThreadRecord) open() bool { return r.Exec.Active || r.Read.Status == ThreadBlocked }

// ThreadReader reads threads and messages. A missing thread is CodeNotFound.
type ThreadReader interface {
	Thread(ctx context.Context, id ThreadID) (*ThreadRecord, error)
	// Threads lists by last activity, newest first.
	Threads(ctx context.Context, q ThreadQuery) (*ThreadPage, error)
	Messages(ctx context.Context, q MessageQuery) (*MessagePage, error)
	// Message reads one; CodeNotFound where it isn't there.
	Message(ctx context.Context, thread ThreadID, id MessageID) (*Message, error)
}

// ThreadQuery selects threads. Empty fields select all.
type ThreadQuery struct {
	Project *string
	Agent   string
	Parent  *ThreadID // direct children of this thread; pointing to "" means root threads
	Session SessionID
	Search  string // in title, name, agent, or the start of the id
	Cursor  string // from an earlier page
	Limit   int    // 0 means 50
	Working bool   // only threads with an active Exec or a queue
}

// ThreadPage is one page of a listing; Cursor is "" on the last.
type ThreadPage struct {
	Threads []ThreadRead
	Cursor  string
}

// MessageQuery selects messages of one thread in the order of Ord. With Before
// (or nothing) the window is the newest Limit messages below it; with After it
// is the oldest Limit above it. The result is always chronological.
type MessageQuery struct {
	Thread        ThreadID
	Before, After int64 // exclusive bounds on Ord; 0 is none
	Limit         int   // 0 means 100, negative means all
	IncludeSilent bool
	MaxDepth      int   // negative means any
	Run           RunID // only of this execution
}

// MessagePage is a window of messages; Total counts all that match the filter,
// whatever the window, and More says that the window leaves some out.
type MessagePage struct {
	Messages []Message
	Total    int
	More     bool
}

// TurnReader reads turns and queues.
type TurnReader interface {
	Turn(ctx context.Context, id TurnID) (*TurnRead, error)
	// Turns lists the newest limit turns of a thread, newest first.
	Turns(ctx context.Context, thread ThreadID, limit int) ([]TurnRead, error)
	// Queue lists what waits for a thread, first in line first.
	Queue(ctx context.Context, thread ThreadID) ([]QueueItem, error)
	// Children lists a thread's child registry in order of creation.
	Children(ctx context.Context, parent ThreadID) ([]Child, error)
	// Session reads the session's read model.
	Session(ctx context.Context, id SessionID) (*SessionRead, error)
}

// QueueKind is what a queue item carries.
type QueueKind string

const (
	QueueMessage  QueueKind = "message"
	QueueTool     QueueKind = "tool"     // a tool queued at rest
	QueueDelivery QueueKind = "delivery" // a blocking child's result for the open tool call
	QueueBoot     QueueKind = "boot"     // a new thread's immediate calls
	QueueRun      QueueKind = "run"      // run an agent on this thread
)

// QueueItem is one entry of a thread's durable queue. Ord is assigned by the
// store.
type QueueItem struct {
	ID        QueueID         `json:"queueId"`
	ThreadID  ThreadID        `json:"threadId"`
	Ord       int64           `json:"-"`
	Kind      QueueKind       `json:"kind"`
	TurnID    TurnID          `json:"turnId,omitempty"`
	Origin    Origin          `json:"origin"`
	Message   *Message        `json:"message,omitempty"`
	Preface   []Message       `json:"preface,omitempty"` // come before Message, in the same turn
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Reply     *Reply          `json:"reply,omitempty"`    // of a message: who waits for what comes of it
	Delivery  *Delivery       `json:"delivery,omitempty"` // of a delivery
	Options   TurnOptions     `json:"options"`
	CreatedAt Micros          `json:"createdAt"`
}

// Reply names the parent's open tool call that waits for a child's result.
type Reply struct {
	Call ToolCallID `json:"call"`
}

// Delivery is a blocking child's result on its way to the parent's open call
// (DESIGN §11).
type Delivery struct {
	Child       ThreadID     `json:"child"`
	Call        ToolCallID   `json:"call"`
	Status      ToolStatus   `json:"status"`
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// Origin says what triggered a turn.
type Origin string

const (
	OriginUser      Origin = "user"
	OriginQueue     Origin = "queue"
	OriginEffect    Origin = "effect"
	OriginChild     Origin = "child"
	OriginTool      Origin = "tool"
	OriginImmediate Origin = "immediate"
)

// ValueReader reads values and outputs.
type ValueReader interface {
	// Value reads a key of a thread's key-value store; nil where there is none
	// (runtime §14).
	Value(ctx context.Context, thread ThreadID, key string) (json.RawMessage, error)
	// Values counts a thread's keys.
	Values(ctx context.Context, thread ThreadID) (int, error)
	// Env lists the values set on one thread, or for the user or the instance
	// (thread ""). Secrets come decrypted: never log them.
	Env(ctx context.Context, scope EnvScope, thread ThreadID) ([]EnvValue, error)
	// Output reads a stored output by reference.
	Output(ctx context.Context, ref OutputRef) (*Output, error)
}

// Value is one entry of a thread's key-value store; a nil Value deletes the key.
type Value struct {
	Key   string
	Value json.RawMessage
}

// EnvScope is where an environment value is set.
type EnvScope string

const (
	EnvThread   EnvScope = "thread"
	EnvUser     EnvScope = "user"
	EnvInstance EnvScope = "instance"
	EnvAgent    EnvScope = "agent"
	EnvPrompt   EnvScope = "prompt"
	EnvProcess  EnvScope = "process"
)

// EnvValue is one set variable. Secret values are encrypted at rest.
type EnvValue struct {
	Scope    EnvScope
	ThreadID ThreadID // for EnvThread
	Name     string
	Value    string
	Type     VariableType
	Delete   bool // in a Commit: unset
}

// Output is a large result, stored once by content.
type Output struct {
	Ref       OutputRef
	MediaType string
	Data      []byte
}

// EventLog reads the durable log and learns of other processes' commits.
type EventLog interface {
	// Events reads up to Limit events of a session after a sequence, in order.
	Events(ctx context.Context, q EventQuery) ([]Event, error)
	// Changes returns a channel that gets a value (never blocking the sender, so
	// several changes may fold into one) within 100 ms after another process
	// committed. It is closed with the store.
	Changes() <-chan struct{}
	// Runtime is the id of this data directory.
	Runtime() RuntimeID
}

// EventQuery selects events.
type EventQuery struct {
	Session SessionID
	Thread  ThreadID // "" for the whole session
	After   int64
	Limit   int // 0 means 1000
}

// Hosts registers this process as a host and finds work for it.
type Hosts interface {
	// Register makes this process a host for as long as the store is open. A
	// host is alive while its OS lock is held; where the platform can't tell,
	// while its heartbeat is younger than 5 s.
	Register(ctx context.Context, scope HostScope) (HostID, error)
	// Runnable lists the threads in scope that have work (an active Exec or a
	// queue) and no live owner, oldest work first.
	Runnable(ctx context.Context, scope HostScope) ([]ThreadID, error)
	// Signals lists intents for threads that this host owns, or that nobody
	// alive owns.
	Signals(ctx context.Context) ([]Signal, error)
	// LiveHost reports whether another live host's scope covers the thread.
	LiveHost(ctx context.Context, thread ThreadID) (bool, error)
}

// HostScope is what a host runs: every thread of a project, or one session.
type HostScope struct {
	Project string
	Session SessionID // "" for the whole project
}

// SignalKind is what a Signal asks of a thread's owner.
type SignalKind string

const (
	SignalInterrupt SignalKind = "interrupt" // end the running turn as cancelled
	SignalTerminate SignalKind = "terminate"
	SignalAbandon   SignalKind = "abandon" // to a child whose blocking parent is gone: interrupt, and terminate unless resumable
)

// Signal is an intent that one process leaves for the owner of a thread.
type Signal struct {
	ID        int64
	ThreadID  ThreadID
	Kind      SignalKind
	TurnID    TurnID // "" for whichever runs
	Reason    string
	CreatedAt Micros
}
