package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// ThreadState is what project code sees of its thread (authoring surface §12):
// one call of one tool, hook or effect has one. Its methods are safe for
// concurrent use and end with the call that they were made for. What a method
// changes is durable before it returns.
type ThreadState struct {
	f     *frame
	entry *ToolEntry // the tool entry that was called, nil for a hook or effect
	tool  *Tool
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

// Info reads the properties of the state as they are now.
func (s *ThreadState) Info(ctx context.Context) (*Info, error) {
	leave, err := s.f.enter("read thread")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	children, err := x.e.c.Store.Children(ctx, x.snap.thread.ID)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t, st := &x.snap.thread, &x.snap.state
	children = liveChildren(children)
	info := &Info{ThreadID: t.ID, AgentID: t.Agent, CreatedAt: t.CreatedAt, Children: children, Arguments: t.Arguments}
	if info.Children == nil {
		info.Children = []Child{}
	}
	if t.UserID != "" {
		info.UserID = &t.UserID
	}
	if t.Terminated != 0 {
		info.Terminated = &t.Terminated
	}
	if info.Context, err = json.Marshal(x.context); err != nil {
		return nil, err
	}
	if s.f.root.effect != nil {
		return info, nil
	}
	info.Execution = &ExecutionInfo{
		FlowID: st.RunID, CurrentSide: st.Side, StepCount: st.Steps, SideAStepCount: st.StepsA, SideBStepCount: st.StepsB,
		Stopped: st.StopAsked, PromptPath: s.f.path,
	}
	if st.StopAsked {
		info.Execution.StoppedBy = StopRequested
	}
	return info, nil
}

// Messages lists the thread's messages, with what is queued at the end (status
// pending). The window is cut from the newest end, or from the oldest with order
// "asc"; it is chronological unless order is "desc".
func (s *ThreadState) Messages(ctx context.Context, o MessageListOptions) (*MessageList, error) {
	leave, err := s.f.enter("list messages")
	if err != nil {
		return nil, err
	}
	defer leave()
	all, err := s.visible(ctx, o)
	if err != nil {
		return nil, err
	}
	return o.window(all), nil
}

// window cuts the list that the options ask for out of all messages.
func (o MessageListOptions) window(all []Message) *MessageList {
	if o.Limit <= 0 {
		o.Limit = 100
	}
	o.Offset = min(max(o.Offset, 0), len(all))
	list := &MessageList{Total: len(all)}
	if o.Order == "asc" {
		window := all[o.Offset:]
		list.Messages = window[:min(o.Limit, len(window))]
	} else {
		window := all[:len(all)-o.Offset]
		list.Messages = window[max(0, len(window)-o.Limit):]
	}
	list.HasMore = len(list.Messages)+o.Offset < len(all)
	if o.Order == "desc" {
		slices.Reverse(list.Messages)
	}
	return list
}

func (s *ThreadState) visible(ctx context.Context, o MessageListOptions) ([]Message, error) {
	x := s.f.x
	var all []Message
	x.mu.Lock()
	for _, m := range x.history {
		if (o.IncludeSilent || !m.Silent) && m.Depth <= o.MaxDepth {
			all = append(all, *m)
		}
	}
	x.mu.Unlock()
	queue, err := x.e.c.Store.Queue(ctx, x.snap.thread.ID)
	if err != nil {
		return nil, err
	}
	return append(all, pendingMessages(queue, o.IncludeSilent)...), nil
}

// pendingMessages are the messages that wait in a queue.
func pendingMessages(queue []QueueItem, silent bool) []Message {
	var out []Message
	for i := range queue {
		if m := queue[i].Message; m != nil && (silent || !m.Silent) {
			out = append(out, *m)
		}
	}
	return out
}

// Message reads one message; nil where there is none.
func (s *ThreadState) Message(ctx context.Context, id MessageID) (*Message, error) {
	leave, err := s.f.enter("read message")
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := s.f.x.e.c.Store.Message(ctx, s.f.x.snap.thread.ID, id)
	if CodeOf(err) == CodeNotFound && err != nil {
		return nil, nil
	}
	return m, err
}

// newMessage checks and makes a message that project code wants to add.
func (s *ThreadState) newMessage(in NewMessage, roles ...Role) (*Message, error) {
	if !slices.Contains(roles, in.Role) {
		return nil, Errorf(CodeInvalid, "add message", "the role %q isn't possible here; use one of %v", in.Role, roles)
	}
	if len(in.Content) > MaxContent {
		return nil, Errorf(CodeLimit, "add message", "the content has %d bytes; the limit is %d", len(in.Content), MaxContent)
	}
	m := s.f.x.message(s.f.x.newMessageID(), in.Role)
	m.SetText(in.Content)
	m.Silent, m.Metadata, m.Attachments = in.Silent, in.Metadata, in.Attachments
	if eff := s.f.root.effect; eff != nil {
		m.Metadata = mergeObjects(m.Metadata, mustJSON(map[string]any{"scheduledEffect": map[string]any{"id": eff.ID, "name": eff.Name}}))
	}
	return &m, nil
}

// InjectMessage adds a message to the conversation without starting anything.
func (s *ThreadState) InjectMessage(ctx context.Context, in NewMessage) (*Message, error) {
	leave, err := s.f.enter("inject message")
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := s.newMessage(in, RoleSystem, RoleUser, RoleAssistant)
	if err != nil {
		return nil, err
	}
	x := s.f.x
	if err := s.f.create(ctx, &Commit{Live: true, Events: []Event{x.messageEvent(m)}}, m); err != nil {
		return nil, err
	}
	return m, nil
}

// QueueMessage puts a message into the thread's durable queue: it is injected
// before the next model call, or starts the next execution (runtime §9).
func (s *ThreadState) QueueMessage(ctx context.Context, in NewMessage) error {
	leave, err := s.f.enter("queue message")
	if err != nil {
		return err
	}
	defer leave()
	m, err := s.newMessage(in, RoleUser, RoleAssistant)
	if err != nil {
		return err
	}
	x := s.f.x
	origin := OriginQueue
	if s.f.root.effect != nil {
		origin = OriginEffect
	}
	c := x.e.enqueue(&x.snap.thread, m, QueueItem{Origin: origin})
	return x.record(ctx, c)
}

// UpdateMessage changes content or metadata of a message; metadata is merged.
func (s *ThreadState) UpdateMessage(ctx context.Context, id MessageID, u MessageUpdate) (*Message, error) {
	leave, err := s.f.enter("update message")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	m, err := x.e.c.Store.Message(ctx, x.snap.thread.ID, id)
	if err != nil {
		return nil, err
	}
	if !s.f.root.hook {
		events, _ := hookValue(ctx, x, hookBeforeUpdate, &u, mustJSON(id))
		s.f.add(Commit{Events: events})
	}
	if u.Content != nil {
		m.Content = u.Content
	}
	m.Metadata = mergeObjects(m.Metadata, u.Metadata)
	if err := x.record(ctx, &Commit{Events: []Event{x.messageEvent(m)}}, m); err != nil {
		return nil, err
	}
	if !s.f.root.hook {
		_, events, _ := x.runHooks(ctx, hookAfterUpdate, mustJSON(m))
		s.f.add(Commit{Events: events})
	}
	return m, nil
}

// DeleteMessage removes a message; false where there is none.
func (s *ThreadState) DeleteMessage(ctx context.Context, id MessageID) (bool, error) {
	leave, err := s.f.enter("delete message")
	if err != nil {
		return false, err
	}
	defer leave()
	x := s.f.x
	if _, err := x.e.c.Store.Message(ctx, x.snap.thread.ID, id); err != nil {
		if CodeOf(err) == CodeNotFound {
			return false, nil
		}
		return false, err
	}
	if id == x.snap.state.StepMessage || slices.ContainsFunc(x.snap.done, func(m *Message) bool { return m.ID == id }) {
		return false, Errorf(CodeConflict, "delete message", "the message's own tool calls are running")
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateMessage, MessageID: id, Deleted: true})
	if err := x.record(ctx, &Commit{DropMessages: []MessageID{id}, Events: []Event{ev}}); err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.history = slices.DeleteFunc(x.history, func(m *Message) bool { return m.ID == id })
	return true, nil
}

// Logs lists the thread's model requests and log lines, newest first unless order
// is "asc".
func (s *ThreadState) Logs(ctx context.Context, limit, offset int, order string) ([]LogEntry, error) {
	leave, err := s.f.enter("read logs")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	var entries []LogEntry
	for after := int64(0); ; {
		events, err := x.e.c.Store.Events(ctx, EventQuery{Session: x.snap.thread.SessionID, Thread: x.snap.thread.ID, After: after})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		for i := range events {
			ev := &events[i]
			after = ev.Sequence
			entries = append(entries, LogEntry{ID: string(ev.EventID), Type: string(ev.Type), Data: ev.Payload,
				CreatedAt: MicrosOf(ev.Timestamp), ParentID: string(ev.StepID)})
		}
	}
	if order != "asc" {
		slices.Reverse(entries)
	}
	if limit <= 0 {
		limit = 100
	}
	entries = entries[min(max(offset, 0), len(entries)):]
	return entries[:min(limit, len(entries))], nil
}

// Definitions is what the project declares now, for loadModel, loadPrompt,
// loadAgent and the name lists.
func (s *ThreadState) Definitions() *Definitions { return s.f.x.e.c.Project.Definitions() }

// Env resolves a variable; CodeNotFound where nothing does. The tool entry's own
// env stands before the prompt's and the agent's.
func (s *ThreadState) Env(ctx context.Context, name string) (string, error) {
	v, err := s.lookup(ctx, name)
	return v.Value, err
}

// EnvType says whether a variable is text or secret.
func (s *ThreadState) EnvType(ctx context.Context, name string) (VariableType, error) {
	v, err := s.lookup(ctx, name)
	return v.Type, err
}

func (s *ThreadState) lookup(ctx context.Context, name string) (EnvValue, error) {
	leave, err := s.f.enter("read env")
	if err != nil {
		return EnvValue{}, err
	}
	defer leave()
	v, ok := s.f.x.lookupEnv(ctx, name)
	if s.entry != nil && (!ok || v.Scope == EnvAgent || v.Scope == EnvPrompt || v.Scope == EnvProcess) {
		if own, has := s.entry.Env[name]; has {
			return EnvValue{Scope: EnvPrompt, Name: name, Value: own, Type: VariableText}, nil
		}
	}
	if !ok {
		return v, Errorf(CodeNotFound, "read env", "the variable %s isn't set (set it with: sideb env set %s)", name, name)
	}
	return v, nil
}

// SetEnv sets a variable of this thread. An empty typ keeps the one that it has;
// a new name is secret.
func (s *ThreadState) SetEnv(ctx context.Context, name, value string, typ VariableType) error {
	leave, err := s.f.enter("set env")
	if err != nil {
		return err
	}
	defer leave()
	x := s.f.x
	if typ == "" {
		typ = VariableSecret
		if v, ok := x.lookupEnv(ctx, name); ok && v.Scope == EnvThread {
			typ = v.Type
		}
	}
	v := EnvValue{Scope: EnvThread, ThreadID: x.snap.thread.ID, Name: name, Value: value, Type: typ}
	if err := checkEnv(v); err != nil {
		return err
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateEnv, Name: name})
	return x.record(ctx, &Commit{Env: []EnvValue{v}, Events: []Event{ev}})
}

// Value reads a key of the thread's key-value store; nil where there is none.
func (s *ThreadState) Value(ctx context.Context, key string) (json.RawMessage, error) {
	leave, err := s.f.enter("read value")
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.f.x.e.c.Store.Value(ctx, s.f.x.snap.thread.ID, key)
}

// SetValue sets a key of the thread's key-value store, durable before it returns;
// nil or null deletes the key (runtime §14.1).
func (s *ThreadState) SetValue(ctx context.Context, key string, value json.RawMessage) error {
	leave, err := s.f.enter("set value")
	if err != nil {
		return err
	}
	defer leave()
	x := s.f.x
	if string(value) == "null" {
		value = nil
	}
	if err := x.checkValue(ctx, key, value); err != nil {
		return err
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateValue, Name: clip(key, EventPreview), Deleted: value == nil})
	return x.record(ctx, &Commit{Values: []Value{{Key: key, Value: value}}, Events: []Event{ev}})
}

// checkValue applies the documented caps (runtime §14.2).
func (x *execution) checkValue(ctx context.Context, key string, value json.RawMessage) error {
	const op = "set value"
	switch {
	case key == "":
		return Errorf(CodeInvalid, op, "the key is empty")
	case len(key) > MaxKeyLength:
		return Errorf(CodeLimit, op, "the key has %d bytes; the limit for keys is %d", len(key), MaxKeyLength)
	case len(value) > MaxValueSize:
		return Errorf(CodeLimit, op, "the value of %q has %d bytes of JSON; the limit for values is %d", key, len(value), MaxValueSize)
	case value == nil:
		return nil
	case !json.Valid(value):
		return Errorf(CodeInvalid, op, "the value of %q isn't JSON", key)
	}
	n, err := x.e.c.Store.Values(ctx, x.snap.thread.ID)
	if err != nil {
		return err
	}
	if n < MaxKeys {
		return nil
	}
	old, err := x.e.c.Store.Value(ctx, x.snap.thread.ID, key)
	if err == nil && old == nil {
		return Errorf(CodeLimit, op, "the thread has %d keys, which is the limit; delete some first", n)
	}
	return err
}

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
	s.f.tell(s.f.x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateEmit, Name: event, Data: data}))
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
	x.e.c.Logf("thread %s: console.%s: %s", x.snap.thread.ID, level, text)
	leave, err := s.f.enter("log")
	if err != nil {
		return
	}
	defer leave()
	s.f.tell(x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateLog, Level: level, Text: clip(text, PreviewSize)}))
}
