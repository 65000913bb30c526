package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The hooks of authoring surface §7.
const (
	hookThreadCreated   = "after_thread_created"
	hookSubagentCreated = "after_subagent_created"
	hookSystemMessage   = "after_system_message"
	hookFilterMessages  = "filter_messages"
	hookPrefilter       = "prefilter_llm_history"
	hookBeforeCreate    = "before_create_message"
	hookAfterCreate     = "after_create_message"
	hookBeforeUpdate    = "before_update_message"
	hookAfterUpdate     = "after_update_message"
	hookBeforeStore     = "before_store_tool_result"
	hookToolSuccess     = "after_tool_call_success"
	hookToolFailure     = "after_tool_call_failure"
)

// HookPayload is the payload of the hook.* events.
type HookPayload struct {
	Hook       string `json:"hook"`
	ID         string `json:"id"`
	Changed    bool   `json:"changed,omitempty"` // it returned another value than it was given
	Error      string `json:"error,omitempty"`
	Blocked    bool   `json:"blocked,omitempty"`
	DurationMs int64  `json:"durationMs,omitempty"`
}

// HookBlocked is the failure of a hook that asks to stop the execution; Scripts
// returns it where the thrown error has block: true.
type HookBlocked struct{ Reason string }

func (e *HookBlocked) Error() string { return e.Reason }

// hooks lists what runs at one point: the active prompt's hooks where it lists
// any, else the agent's, in their order.
func (x *execution) hooks(name string) []*Hook {
	if x.snap.agent == nil {
		return nil // the agent is gone and nothing runs
	}
	defs := x.e.c.Project.Definitions()
	var ids []string
	if side := x.snap.agent.Side(x.hookSide()); side != nil {
		if p := defs.Prompts[side.Prompt]; p != nil {
			ids = p.Hooks
		}
	}
	if len(ids) == 0 {
		ids = x.snap.agent.Hooks
	}
	var list []*Hook
	for _, id := range ids {
		if h := defs.Hooks[id]; h != nil && h.Hook == name {
			list = append(list, h)
		}
	}
	return list
}

// hookSide is the side whose prompt's hooks run: the one that speaks, the one that
// has just ended the execution, and side A of a thread at rest.
func (x *execution) hookSide() Side {
	switch {
	case x.snap.state.Side != "":
		return x.snap.state.Side
	case x.ended != "":
		return x.ended
	default:
		return SideA
	}
}

// runHooks passes value through the hooks of one point, each getting what the one
// before returned; extra arguments stand before it. A hook that fails is told and
// its input is kept (authoring surface §7); one that blocks ends the chain.
func (x *execution) runHooks(ctx context.Context, name string, value json.RawMessage, extra ...json.RawMessage) (json.RawMessage, []Event, error) {
	list := x.hooks(name)
	if len(list) == 0 || x.e.c.Scripts == nil {
		return value, nil, nil
	}
	var events []Event
	for _, h := range list {
		args := append([]json.RawMessage{}, extra...)
		if value != nil {
			args = append(args, value)
		}
		out, ev, err := x.runHook(ctx, h, args)
		events = append(events, ev...)
		var blocked *HookBlocked
		if errors.As(err, &blocked) && name == hookPrefilter {
			return value, events, err
		}
		if err != nil {
			if name == hookBeforeCreate {
				return value, events, err
			}
			continue
		}
		if len(out) > 0 && (string(out) != "null" || name == hookToolSuccess || name == hookToolFailure) {
			value = out
		}
	}
	return value, events, nil
}

// runHook calls one hook within its time limit.
func (x *execution) runHook(ctx context.Context, h *Hook, args []json.RawMessage) (out json.RawMessage, events []Event, err error) {
	limit := x.e.c.HookTimeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := x.e.c.Now()
	f := newFrame(x, x.prompt(), x.newMessageID(), x.promptName())
	f.hook, f.outside = true, h.Hook == hookThreadCreated
	out, err = x.callHook(ctx, h, args, f)
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		err = fmt.Errorf("the hook took longer than %s", limit)
	}
	cancel()
	f.close()
	p := HookPayload{Hook: h.Hook, ID: h.ID}
	events = append(events, x.hookEvent(EventHookStarted, "", p))
	change := f.take()
	if len(change.Create)+len(change.Requests)+len(change.Enqueue)+len(change.Files) > 0 {
		// What the hook began for other threads can't wait for a commit that
		// may still be dropped.
		if e := x.record(context.WithoutCancel(ctx), change); e != nil && err == nil {
			err = e
		}
	} else {
		events = append(events, change.Events...)
	}
	p.DurationMs = x.e.c.Now().Sub(began).Milliseconds()
	if err != nil {
		var blocked *HookBlocked
		p.Error, p.Blocked = err.Error(), errors.As(err, &blocked)
		x.e.c.Logf("thread %s: hook %s (%s): %v", x.snap.thread.ID, h.ID, h.Hook, err)
		return nil, append(events, x.hookEvent(EventHookFailed, "failed", p)), err
	}
	p.Changed = len(out) > 0 && (len(args) == 0 || string(out) != string(args[len(args)-1]))
	return out, append(events, x.hookEvent(EventHookCompleted, "completed", p)), nil
}

// hookEvent is an event of the turn that a hook belongs to, which may have ended
// just now.
func (x *execution) hookEvent(t EventType, status string, p HookPayload) Event {
	ev := x.event(t, status, p)
	if ev.TurnID == "" {
		ev.TurnID, ev.RunID = x.lastTurn, x.lastRun
	}
	return ev
}

func (x *execution) callHook(ctx context.Context, h *Hook, args []json.RawMessage, f *frame) (out json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the hook panicked: %v", p)
		}
	}()
	return x.e.c.Scripts.CallHook(ctx, h, args, &ThreadState{f: f})
}

// hookValue runs hooks over a Go value; it comes back changed in place. A result
// that doesn't fit the type is the hook's failure.
func hookValue[T any](ctx context.Context, x *execution, name string, v *T, extra ...json.RawMessage) ([]Event, error) {
	if len(x.hooks(name)) == 0 {
		return nil, nil
	}
	in, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	out, events, err := x.runHooks(ctx, name, in, extra...)
	if err != nil {
		return events, err
	}
	var next T
	if err := json.Unmarshal(out, &next); err != nil {
		p := HookPayload{Hook: name, Error: "its result doesn't fit: " + err.Error()}
		return append(events, x.event(EventHookFailed, "failed", p)), nil
	}
	*v = next
	return events, nil
}

// createHooks runs before_create_message over messages that are about to be
// stored. What identifies a message stays as it is.
func (x *execution) createHooks(ctx context.Context, messages []*Message) ([]Event, error) {
	var all []Event
	for _, m := range messages {
		next := *m
		events, err := hookValue(ctx, x, hookBeforeCreate, &next)
		all = append(all, events...)
		if err != nil {
			return all, err
		}
		next.Attachments = x.knownAttachments(ctx, m.Attachments, next.Attachments)
		next.ID, next.ThreadID, next.Ord, next.RunID, next.TurnID, next.Status = m.ID, m.ThreadID, m.Ord, m.RunID, m.TurnID, m.Status
		*m = next
	}
	return all, nil
}

// createdHooks runs after_create_message over messages that were stored.
func (x *execution) createdHooks(ctx context.Context, messages []*Message) []Event {
	if len(x.hooks(hookAfterCreate)) == 0 {
		return nil
	}
	var all []Event
	for _, m := range messages {
		_, events, _ := x.runHooks(ctx, hookAfterCreate, mustJSON(m))
		all = append(all, events...)
	}
	return all
}

// childHooks runs after_subagent_created over children that came to life.
func (x *execution) childHooks(ctx context.Context, children []Thread) []Event {
	if len(x.hooks(hookSubagentCreated)) == 0 {
		return nil
	}
	var all []Event
	for i := range children {
		_, events, _ := x.runHooks(ctx, hookSubagentCreated, mustJSON(children[i].ID))
		all = append(all, events...)
	}
	return all
}

// hooksToolResults reports whether a hook sees the results of calls.
func (x *execution) hooksToolResults() bool {
	return len(x.hooks(hookToolSuccess))+len(x.hooks(hookToolFailure))+len(x.hooks(hookBeforeStore)) > 0
}

// toolHooks runs the hooks of a finished call, in the order of authoring surface
// §7. It returns nil where a hook takes the call and its result out of the
// history.
func (x *execution) toolHooks(ctx context.Context, call ToolCall, res *ToolResult) (*ToolResult, []Event) {
	name := hookToolSuccess
	if res.Status == ToolError {
		name = hookToolFailure
	}
	about := mustJSON(call)
	ptr := res
	events, _ := hookValue(ctx, x, name, &ptr, about)
	if ptr == nil {
		return nil, events
	}
	stored := *ptr
	more, _ := hookValue(ctx, x, hookBeforeStore, &stored, about)
	return &stored, append(events, more...)
}

// birthHooks runs after_thread_created before a thread's first execution.
func (x *execution) birthHooks(ctx context.Context, c *Commit) {
	if !x.born {
		return
	}
	x.born = false
	_, events, _ := x.runHooks(ctx, hookThreadCreated, nil)
	c.Events = append(c.Events, events...)
}
