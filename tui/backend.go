package tui

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// Backend is the part of the control plane that the interface uses. Its methods
// are those of *engine.ControlPlane; see ForControlPlane.
type Backend interface {
	Reads
	Details
	Turns
	Queues
	Waits
	// Subscribe follows a session after a sequence, or with "" every session
	// from now on.
	Subscribe(session engine.SessionID, after int64) EventSource
}

// Reads are the read models of threads.
type Reads interface {
	Definitions() *engine.Definitions
	Thread(ctx context.Context, id engine.ThreadID) (*engine.ThreadRead, error)
	Threads(ctx context.Context, q engine.ThreadQuery) (*engine.ThreadPage, error)
	Messages(ctx context.Context, q engine.MessageQuery) (*engine.MessagePage, error)
}

// Details are read when they are asked for.
type Details interface {
	Turn(ctx context.Context, id engine.TurnID) (*engine.TurnRead, error)
	Output(ctx context.Context, ref engine.OutputRef) (*engine.Output, error)
}

// Turns start and end work.
type Turns interface {
	CreateThread(ctx context.Context, in engine.CreateThread) (*engine.ThreadRead, error)
	SubmitTurn(ctx context.Context, in engine.SubmitTurn) (*engine.TurnRead, error)
	InterruptTurn(ctx context.Context, thread engine.ThreadID, turn engine.TurnID, reason string) error
	DeleteThread(ctx context.Context, thread engine.ThreadID) error
}

// Queues read and change what waits for a thread.
type Queues interface {
	Queue(ctx context.Context, thread engine.ThreadID) ([]engine.QueueItem, error)
	RemoveQueuedTurn(ctx context.Context, thread engine.ThreadID, id engine.QueueID) error
	PromoteQueuedTurn(ctx context.Context, thread engine.ThreadID, id engine.QueueID) error
}

// Waits are the subagents that need variables before they can start.
type Waits interface {
	Requests(ctx context.Context, thread engine.ThreadID) ([]engine.RequestInfo, error)
	ProvideEnv(ctx context.Context, id engine.RequestID, values map[string]string) (engine.ThreadID, error)
}

// EventSource delivers events in order: Next blocks and returns all that are
// ready, as *engine.Subscription does.
type EventSource interface {
	Next(ctx context.Context) ([]engine.Event, error)
	Close()
}

// ForControlPlane makes a control plane a Backend.
func ForControlPlane(cp *engine.ControlPlane) Backend { return controlPlane{cp} }

type controlPlane struct{ *engine.ControlPlane }

func (c controlPlane) Subscribe(session engine.SessionID, after int64) EventSource {
	return c.ControlPlane.Subscribe(session, after)
}
