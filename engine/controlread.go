package engine

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// The reads of the control plane hand out read models and primary data as the
// store has them.

// Thread reads one thread's read model.
func (c *ControlPlane) Thread(ctx context.Context, id ThreadID) (*ThreadRead, error) {
	rec, err := c.e.c.Store.Thread(ctx, id)
	if err != nil {
		return nil, err
	}
	return &rec.Read, nil
}

// Threads lists threads by last activity, newest first.
func (c *ControlPlane) Threads(ctx context.Context, q ThreadQuery) (*ThreadPage, error) {
	return c.e.c.Store.Threads(ctx, q)
}

// Messages reads a window of a thread's messages.
func (c *ControlPlane) Messages(ctx context.Context, q MessageQuery) (*MessagePage, error) {
	return c.e.c.Store.Messages(ctx, q)
}

// Message reads one message.
func (c *ControlPlane) Message(ctx context.Context, thread ThreadID, id MessageID) (*Message, error) {
	return c.e.c.Store.Message(ctx, thread, id)
}

// Turn reads one turn.
func (c *ControlPlane) Turn(ctx context.Context, id TurnID) (*TurnRead, error) {
	return c.e.c.Store.Turn(ctx, id)
}

// Turns lists the newest limit turns of a thread, newest first.
func (c *ControlPlane) Turns(ctx context.Context, thread ThreadID, limit int) ([]TurnRead, error) {
	return c.e.c.Store.Turns(ctx, thread, limit)
}

// Queue lists what waits for a thread, first in line first.
func (c *ControlPlane) Queue(ctx context.Context, thread ThreadID) ([]QueueItem, error) {
	if _, err := c.e.c.Store.Thread(ctx, thread); err != nil {
		return nil, err
	}
	return c.e.c.Store.Queue(ctx, thread)
}

// Children lists a thread's child registry.
func (c *ControlPlane) Children(ctx context.Context, parent ThreadID) ([]Child, error) {
	return c.e.c.Store.Children(ctx, parent)
}

// Session reads a session's read model.
func (c *ControlPlane) Session(ctx context.Context, id SessionID) (*SessionRead, error) {
	return c.e.c.Store.Session(ctx, id)
}

// Events reads the log.
func (c *ControlPlane) Events(ctx context.Context, q EventQuery) ([]Event, error) {
	return c.e.c.Store.Events(ctx, q)
}

// Env lists the values that are set in one scope. Secrets come decrypted: never
// log them.
func (c *ControlPlane) Env(ctx context.Context, scope EnvScope, thread ThreadID) ([]EnvValue, error) {
	return c.e.c.Store.Env(ctx, scope, thread)
}

// Output reads a stored output.
func (c *ControlPlane) Output(ctx context.Context, ref OutputRef) (*Output, error) {
	return c.e.c.Store.Output(ctx, ref)
}

// Definitions is what the project declares now.
func (c *ControlPlane) Definitions() *Definitions { return c.e.c.Project.Definitions() }

// ToolInfo is one entry of a thread's tool inventory.
type ToolInfo struct {
	Name        string          `json:"name"`
	Kind        string          `json:"kind"` // function, prompt, handoff, subagent
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Enabled     bool            `json:"enabled"`
	Reason      string          `json:"reason,omitempty"` // why it isn't
}

// ToolInventory lists what the active prompt of a thread's side A offers.
func (c *ControlPlane) ToolInventory(ctx context.Context, thread ThreadID) ([]ToolInfo, error) {
	rec, err := c.e.c.Store.Thread(ctx, thread)
	if err != nil {
		return nil, err
	}
	defs := c.Definitions()
	agent := defs.Agents[rec.Agent]
	if agent == nil || defs.Prompts[agent.SideA.Prompt] == nil {
		return nil, Errorf(CodeNotFound, "list tools", "the agent %q or its prompt isn't defined in this project", rec.Agent)
	}
	x := &execution{e: c.e, snap: snapshot{thread: rec.Thread, agent: agent, state: execState{Side: SideA}}}
	prompt := defs.Prompts[agent.SideA.Prompt]
	tools := make([]ToolInfo, 0, len(prompt.Tools))
	for i := range prompt.Tools {
		entry := &prompt.Tools[i]
		t := resolve(defs, entry)
		info := ToolInfo{Name: entry.Name, Kind: string(t.kind), Description: t.description, InputSchema: t.schema, Enabled: true}
		switch {
		case t.kind == "":
			info.Enabled, info.Reason = false, "not defined in this project"
		case !x.enabled(ctx, entry):
			info.Enabled, info.Reason = false, "the variable "+entry.Optional+" isn't true, 1 or yes"
		}
		tools = append(tools, info)
	}
	return tools, nil
}

// LiveHost reports whether another process hosts the thread.
func (c *ControlPlane) LiveHost(ctx context.Context, thread ThreadID) (bool, error) {
	return c.e.c.Store.LiveHost(ctx, thread)
}

// Subscription delivers a session's events in order. Durable events are never
// lost: one that lags is filled up from the log. Volatile ones may be dropped.
type Subscription struct{ s *subscriber }

// Subscribe follows a session after a sequence (0: from its start; negative: from
// now), or every session where session is "" (then only from now, and
// snapshot.updated says that another process changed something). End it with
// Close.
func (c *ControlPlane) Subscribe(session SessionID, after int64) *Subscription {
	c.e.relay()
	if after < 0 {
		after = 0
		if r, err := c.e.c.Store.Session(context.Background(), session); err == nil {
			after = r.Sequence
		}
	}
	return &Subscription{c.e.broker.add(session, after)}
}

// Next blocks for events and returns all that are ready. It fails with ctx's
// error, or with CodeCanceled once the subscription is closed.
func (s *Subscription) Next(ctx context.Context) ([]Event, error) { return s.s.next(ctx) }

// Close ends the subscription.
func (s *Subscription) Close() { s.s.close() }

// WaitTurn returns the turn once it has ended (following joins), or ctx's error,
// or why its thread can't go on.
func (c *ControlPlane) WaitTurn(ctx context.Context, id TurnID) (*TurnRead, error) {
	t, err := c.e.c.Store.Turn(ctx, id)
	if err != nil {
		return nil, err
	}
	thread := t.ThreadID // t changes below, while publishers ask
	ends := c.watch(func(e *Event) bool { return e.ThreadID == thread })
	defer ends.close()
	for {
		if t, err = c.e.c.Store.Turn(ctx, id); err != nil || t.Status.Ended() {
			return t, err
		}
		if err := c.e.faultOf(t.ThreadID); err != nil {
			return t, err
		}
		if err := ends.wait(ctx); err != nil {
			return t, err
		}
	}
}

// watch wakes whenever a turn or an execution ends of which match is true, and
// when something happens that events of this process don't tell.
func (c *ControlPlane) watch(match func(*Event) bool) *subscriber {
	c.e.relay()
	return c.e.broker.signal(func(e *Event) bool {
		switch e.Type {
		case EventTurnCompleted, EventTurnFailed:
			return match(e)
		case EventRunStatus:
			return e.Status != "running" && match(e)
		default:
			return false
		}
	})
}

func (e *Engine) faultOf(id ThreadID) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.faults[id]
}

// WaitSettled returns once no thread of the session has work that a host could go
// on with, or ctx's error.
func (c *ControlPlane) WaitSettled(ctx context.Context, session SessionID) error {
	ends := c.watch(func(e *Event) bool { return e.SessionID == session })
	defer ends.close()
	for {
		page, err := c.e.c.Store.Threads(ctx, ThreadQuery{Session: session, Working: true, Limit: 1})
		if err != nil || len(page.Threads) == 0 {
			return err
		}
		if err := c.e.faultOf(page.Threads[0].ThreadID); err != nil {
			return err
		}
		if err := ends.wait(ctx); err != nil {
			return err
		}
	}
}

func names[T any](m map[string]T) string {
	if len(m) == 0 {
		return "(none)"
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
