package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// QueueTool appends a call of a tool to the running step, past the prompt's tool
// list. It commits with the running tool's result.
func (s *ThreadState) QueueTool(name string, args json.RawMessage) error {
	leave, err := s.f.enter("queue tool")
	if err != nil {
		return err
	}
	defer leave()
	if err := s.mayUse(name); err != nil {
		return err
	}
	x := s.f.x
	if s.f.root.effect != nil { // at rest it starts an execution
		c := x.e.enqueue(&x.snap.thread, nil, QueueItem{Kind: QueueTool, Tool: name, Arguments: args, Origin: OriginEffect})
		return x.record(context.Background(), c)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.snap.state.Queued) >= MaxQueuedTools {
		return Errorf(CodeLimit, "queue tool", "one step may queue at most %d tools", MaxQueuedTools)
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	x.snap.state.Queued = append(x.snap.state.Queued, queuedTool{Name: name, Args: args})
	return nil
}

// mayUse checks that the name can be called at all and that the tool's uses list
// allows it.
func (s *ThreadState) mayUse(name string) error {
	if c := resolve(s.Definitions(), &ToolEntry{Name: name}); c.kind == "" {
		return Errorf(CodeNotFound, "call tool", "there is no tool, prompt or agent named %q in this project", name)
	}
	if s.tool != nil && len(s.tool.Uses) > 0 && !slices.Contains(s.tool.Uses, name) {
		return Errorf(CodeInvalid, "call tool", "the tool %s declares in uses what it may call, and %q isn't among it", s.tool.Name, name)
	}
	return nil
}

// InvokeTool runs any callable now and returns its result, which isn't stored as
// a tool message.
func (s *ThreadState) InvokeTool(ctx context.Context, name string, args json.RawMessage) (*ToolResult, error) {
	leave, err := s.f.enter("invoke tool")
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.mayUse(name); err != nil {
		return nil, err
	}
	if s.f.depth+1 > MaxPromptDepth {
		return nil, Errorf(CodeLimit, "invoke tool", "calls may nest at most %d levels deep", MaxPromptDepth)
	}
	inner := s.f.nested(s.f.prompt, s.f.x.newMessageID(), s.f.path)
	return inner.run(ctx, ToolCall{ID: s.f.x.newCallID(), Name: name, Arguments: string(args)}, true), nil
}

// Emit tells an event of the project's own; it commits with the tool's result.
func (s *ThreadState) Emit(event string, data json.RawMessage) error {
	leave, err := s.f.enter("emit event")
	if err != nil {
		return err
	}
	defer leave()
	if len(data) > SpillSize {
		return Errorf(CodeLimit, "emit event", "the event %q has %d bytes of data; the limit is %d", event, len(data), SpillSize)
	}
	s.f.tell(s.f.x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateEmit, Name: event, Data: json.RawMessage(s.f.x.e.secrets.redact(string(data)))}))
	return nil
}

// SetContext replaces state.context, which lives as long as the execution.
func (s *ThreadState) SetContext(object json.RawMessage) error {
	leave, err := s.f.enter("set context")
	if err != nil {
		return err
	}
	defer leave()
	var o jsonObject
	if err := json.Unmarshal(object, &o); err != nil {
		return Errorf(CodeInvalid, "set context", "the context isn't a JSON object: %w", err)
	}
	s.f.x.mu.Lock()
	s.f.x.context = o
	s.f.x.mu.Unlock()
	return nil
}

// ForceTurn decides which side of a dual_ai thread acts next.
func (s *ThreadState) ForceTurn(side Side) error {
	return s.setState("force turn", func(x *execution) error {
		if x.snap.agent.Type != DualAI {
			return Errorf(CodeInvalid, "force turn", "only dual_ai threads have two sides that act")
		}
		if side != SideA && side != SideB {
			return Errorf(CodeInvalid, "force turn", "the side must be 'a' or 'b'")
		}
		x.snap.state.Force = side
		return nil
	})
}

// Stop ends the execution when the running step is complete.
func (s *ThreadState) Stop() error {
	return s.setState("stop", func(x *execution) error {
		x.snap.state.StopAsked = true
		return nil
	})
}

func (s *ThreadState) setState(op string, set func(*execution) error) error {
	leave, err := s.f.enter(op)
	if err != nil {
		return err
	}
	defer leave()
	s.f.x.mu.Lock()
	defer s.f.x.mu.Unlock()
	return set(s.f.x)
}

// RunAgent queues an execution of another agent on this thread.
func (s *ThreadState) RunAgent(ctx context.Context, agent string) error {
	leave, err := s.f.enter("run agent")
	if err != nil {
		return err
	}
	defer leave()
	if s.Definitions().Agents[agent] == nil {
		return Errorf(CodeNotFound, "run agent", "there is no agent named %q in this project", agent)
	}
	x := s.f.x
	return x.record(ctx, x.e.enqueue(&x.snap.thread, nil, QueueItem{Kind: QueueRun, Tool: agent, Origin: OriginTool}))
}

// Terminate shuts the thread down for good (runtime §10): it is told at once,
// and the execution ends when the running tool returns.
func (s *ThreadState) Terminate(ctx context.Context) error {
	leave, err := s.f.enter("terminate")
	if err != nil {
		return err
	}
	defer leave()
	return s.f.x.e.Control().Terminate(ctx, s.f.x.snap.thread.ID)
}

// NotifyParent queues a silent message on the parent thread (runtime §8.2). A
// thread without parent ignores it.
func (s *ThreadState) NotifyParent(ctx context.Context, content string) error {
	leave, err := s.f.enter("notify parent")
	if err != nil {
		return err
	}
	defer leave()
	if strings.TrimSpace(content) == "" {
		return Errorf(CodeInvalid, "notify parent", "the text is empty")
	}
	x := s.f.x
	t := &x.snap.thread
	if t.ParentID == "" {
		return nil
	}
	parent := &Thread{ID: t.ParentID, SessionID: t.SessionID}
	if !x.e.alive(ctx, parent.ID) {
		return Errorf(CodeConflict, "notify parent", "the parent thread %s is terminated", parent.ID)
	}
	m := &Message{ID: x.newMessageID(), ThreadID: parent.ID, Role: authorOf(t.spawnInfo().Side.Other()), Silent: true, SubagentID: t.ID}
	m.SetText(content)
	m.Metadata = mustJSON(map[string]any{"subagent_id": t.ID})
	q := x.e.enqueue(parent, m, QueueItem{Origin: OriginChild})
	return x.record(ctx, &Commit{Enqueue: q.Enqueue, Events: q.Events})
}

// SetStatus publishes a status text in the parent's registry without ending
// anything (runtime §8.3).
func (s *ThreadState) SetStatus(ctx context.Context, status string) error {
	leave, err := s.f.enter("set status")
	if err != nil {
		return err
	}
	defer leave()
	if strings.TrimSpace(status) == "" {
		return Errorf(CodeInvalid, "set status", "the text is empty")
	}
	return s.f.x.record(ctx, &Commit{Events: s.f.x.statusEvents(strings.TrimSpace(status))})
}

// Log keeps a console line of project code, in the diagnostic log and with the
// result of the running tool.
func (s *ThreadState) Log(level, text string) {
	x := s.f.x
	text = x.e.secrets.redact(text)
	x.e.c.Logf("thread %s: console.%s: %s", x.snap.thread.ID, level, text)
	leave, err := s.f.enter("log")
	if err != nil {
		return
	}
	defer leave()
	s.f.tell(x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateLog, Level: level, Text: clip(text, PreviewSize)}))
}

// SandboxApplied tells what confines code that the call runs (acceptance scenario
// 10); it commits with the call's result.
func (s *ThreadState) SandboxApplied(profile json.RawMessage) error {
	leave, err := s.f.enter("tell sandbox")
	if err != nil {
		return err
	}
	defer leave()
	ev := s.f.x.event(EventSandboxApplied, "", nil)
	ev.Payload, ev.StepID = profile, StepID(s.f.root.message)
	s.f.tell(ev)
	return nil
}
