package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// spawn is how a child thread came to be (Thread.Spawn): what its reports to the
// parent depend on.
type spawn struct {
	Side          Side   `json:"side"` // of the parent that spawned it
	Depth         int    `json:"depth"`
	Blocking      bool   `json:"blocking"`
	Resumable     bool   `json:"resumable"`
	Receives      Side   `json:"receives,omitempty"` // whom the parent's messages are for
	Communication string `json:"communication"`
}

func (t *Thread) spawnInfo() spawn {
	var s spawn
	_ = json.Unmarshal(t.Spawn, &s)
	return s
}

// explicit reports whether completion and failure are not queued by themselves.
func (s spawn) explicit() bool { return s.Communication == "explicit" }

const (
	toolSubagentCreate  = "subagent_create"
	toolSubagentMessage = "subagent_message"
	toolSendToAgent     = "send_to_agent" // older name of subagent_message
)

// birth is a child to be spawned.
type birth struct {
	parent  *Thread
	side    Side      // of the parent that spawns
	group   MessageID // the parent's message of the spawning step
	agent   *Agent
	entry   *ToolEntry
	name    string
	message string
	args    json.RawMessage
	files   []FileRecord      // of the parent, which the child gets copies of
	env     []EnvValue        // of the child, and what goes from the parent
	moved   map[string]string // of env: the child's name -> the parent's
	reply   *Reply            // who waits
}

// subagent runs a direct call of a subagent: one that isn't resumable (agents
// §7.3).
func (f *frame) subagent(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	b := birth{agent: c.agent, entry: c.entry, args: args}
	if v, ok := property(args, c.entry.InitUserMessageProperty); ok {
		b.message = v
	} else {
		b.message = indented(withoutProperty(args, c.entry.InitAttachmentsProperty))
	}
	if v, ok := property(args, c.entry.InitAgentNameProperty); ok {
		b.name = v
	}
	var err error
	if b.files, err = f.x.attached(ctx, args, c.entry.InitAttachmentsProperty); err != nil {
		return ErrorResult(err.Error())
	}
	child, failed := f.spawn(ctx, b)
	if failed != nil {
		return failed
	}
	if b.entry.Blocking {
		return f.await(ctx, child)
	}
	return initiated(child)
}

// withoutProperty leaves a property out of a JSON object: the parent's paths mean nothing
// to a child, which has files of its own.
func withoutProperty(object json.RawMessage, name string) json.RawMessage {
	var o jsonObject
	if name == "" || json.Unmarshal(object, &o) != nil {
		return object
	}
	delete(o, name)
	return mustJSON(o)
}

// spawnBatch is how many children may be spawned by one commit.
const spawnBatch = 32

// spawnsOnly reports whether all that a call does is to spawn a child that nobody
// waits for. Such a call needs nothing from outside: its effect and its result
// are one commit, which the next such call may share.
func (x *execution) spawnsOnly(ctx context.Context, call ToolCall) bool {
	p := x.prompt()
	if p == nil {
		return false
	}
	e := p.entry(call.Name)
	return e != nil && !x.hooksToolResults() && !e.Blocking && e.Resumable == nil && x.enabled(ctx, e) &&
		resolve(x.e.c.Project.Definitions(), e).kind == kindSubagent
}

func (x *execution) spawnInline(ctx context.Context, c *Commit, call ToolCall) {
	x.announceTool(c, call)
	f := newFrame(x, x.prompt(), x.snap.state.ResultID, x.promptName())
	res := f.run(ctx, call, false)
	f.close()
	d := f.take()
	c.Create, c.Env = append(c.Create, d.Create...), append(c.Env, d.Env...)
	c.Requests, c.Files = append(c.Requests, d.Requests...), append(c.Files, d.Files...)
	c.Enqueue, c.Events = append(c.Enqueue, d.Enqueue...), append(c.Events, d.Events...)
	x.finishTool(c, call, res)
}

func initiated(child ThreadID) *ToolResult {
	return &ToolResult{Status: ToolSuccess, SubagentID: child,
		Result: "The subagent was initiated successfully. Reference: " + string(child)}
}

// spawn adds the child, its first message and its registry entry to the commit of
// the running call, so that a crash leaves all of it or nothing.
func (f *frame) spawn(ctx context.Context, b birth) (ThreadID, *ToolResult) {
	x := f.x
	b.parent, b.side, b.group = &x.snap.thread, x.snap.state.Side, x.snap.state.StepMessage
	if depth := b.parent.spawnInfo().Depth + 1; depth > MaxThreadDepth {
		return "", ErrorResult(fmt.Sprintf("subagents may nest at most %d levels deep; do this part of the work yourself", MaxThreadDepth))
	}
	var err error
	b.moved = x.snap.state.Transfers[x.snap.state.Started]
	if b.env, err = x.e.childEnv(ctx, b.parent.ID, b.agent, b.moved, x.snap.state.Transfers); err != nil {
		return "", ErrorResult("copy the variables of the parent: " + err.Error())
	}
	if failed := f.missingEnv(ctx, b); failed != nil {
		return "", failed
	}
	if b.entry.Blocking {
		b.reply = &Reply{Call: f.callID()}
	}
	child, c, err := x.e.bear(b)
	if err != nil {
		return "", ErrorResult(err.Error())
	}
	x.pin(&c)
	f.add(c)
	x.children = true
	return child.ID, nil
}

// bear makes the commit that a child comes to life with.
func (e *Engine) bear(b birth) (*Thread, Commit, error) {
	s := spawn{Side: b.side, Depth: b.parent.spawnInfo().Depth + 1, Blocking: b.entry.Blocking, Communication: "implicit"}
	if r := b.entry.Resumable; r != nil {
		s.Resumable, s.Receives, s.Communication = true, r.ReceivesMessages, cmp.Or(r.ParentCommunication, s.Communication)
	}
	how, err := json.Marshal(s)
	if err != nil {
		return nil, Commit{}, Errorf(CodeInternal, "spawn subagent", "%w", err)
	}
	now := MicrosOf(e.c.Now())
	child := &Thread{ID: ThreadID(e.c.NewID()), SessionID: b.parent.SessionID, ParentID: b.parent.ID, Agent: b.agent.Name,
		Project: b.parent.Project, UserID: b.parent.UserID, Name: b.name, Arguments: b.args, Spawn: how, CreatedAt: now}
	c := Commit{Create: []Thread{*child}, Events: []Event{threadEvent(child, EventThreadStarted, "",
		ThreadPayload{Agent: child.Agent, AgentType: b.agent.Type, Name: b.name, Parent: b.parent.ID})}}
	for _, v := range b.env {
		if v.ThreadID == "" {
			v.ThreadID = child.ID
		}
		c.Env = append(c.Env, v)
	}
	entry := Child{Reference: child.ID, Name: b.agent.Name, Title: b.agent.Title, Description: describe(b.agent),
		Resumable: s.Resumable, Blocking: s.Blocking, ThreadName: b.name, CreatedAt: now, Status: childRunning,
		ParentCommunication: s.Communication, SpawnGroupID: b.group}
	ev := threadEvent(b.parent, EventSubagentSpawned, childRunning, SubagentPayload{Child: &entry})
	ev.SubagentID = child.ID
	c.Events = append(c.Events, ev)
	e.send(&c, child, b.message, RoleUser, b.reply, e.hand(&c, b.parent.ID, child, b.files))
	return child, c, nil
}

// send queues a message of the parent for a child; before it, a silent one for
// each file that the child has been given.
func (e *Engine) send(c *Commit, child *Thread, text string, role Role, reply *Reply, files []Attachment) {
	m := &Message{ID: MessageID(e.c.NewID()), ThreadID: child.ID, Role: role}
	m.SetText(text)
	item := QueueItem{Origin: OriginTool, Reply: reply}
	for i := range files {
		p := Message{ID: MessageID(e.c.NewID()), ThreadID: child.ID, Role: role, Silent: true, Status: MessagePending,
			CreatedAt: MicrosOf(e.c.Now()), Attachments: files[i : i+1]}
		p.SetText(attachmentLine(&files[i]))
		item.Preface = append(item.Preface, p)
	}
	q := e.enqueue(child, m, item)
	c.Enqueue, c.Events = append(c.Enqueue, q.Enqueue...), append(c.Events, q.Events...)
}

func describe(a *Agent) string {
	if a.Description != "" {
		return a.Description
	}
	return a.ToolDescription
}

// callID is the call that a blocking child's result is for: the step's own, or
// one of invokeTool's, which waits in this process.
func (f *frame) callID() ToolCallID {
	if f.root == f {
		return f.x.snap.state.Started
	}
	return ToolCallID(f.message)
}

// await waits for a blocking child. The step's own call becomes rows; a nested
// one, which a running script awaits, waits here.
func (f *frame) await(ctx context.Context, child ThreadID) *ToolResult {
	if f.root == f {
		f.waits = &waiting{Call: f.callID(), Child: child}
		return &ToolResult{Status: ToolSuccess, SubagentID: child}
	}
	born := f.take()
	if err := f.x.record(ctx, born); err != nil {
		return ErrorResult(err.Error())
	}
	f.add(Commit{Events: f.x.childHooks(ctx, born.Create)})
	res := f.x.awaitHere(ctx, f.callID())
	if errors.Is(context.Cause(ctx), errInterrupted) {
		f.x.abandon(ctx, child)
	}
	return res
}

// abandon stops a child that a script waited for when it was interrupted.
func (x *execution) abandon(ctx context.Context, child ThreadID) {
	if err := x.record(ctx, &Commit{Signals: []Signal{abandonment(child, x.e.c.Now())}}); err != nil {
		x.e.c.Logf("abandon subagent %s: %v", child, err)
	}
}

// awaitHere takes the delivery for a call out of the thread's queue once it is
// there.
func (x *execution) awaitHere(ctx context.Context, call ToolCallID) *ToolResult {
	ends := x.e.broker.signal(func(e *Event) bool { return e.Type == EventQueueChanged && e.ThreadID == x.snap.thread.ID })
	defer ends.close()
	for {
		queue, err := x.e.c.Store.Queue(ctx, x.snap.thread.ID)
		if err != nil {
			return ErrorResult(err.Error())
		}
		for i := range queue {
			d := queue[i].Delivery
			if d == nil || d.Call != call {
				continue
			}
			ev := x.event(EventQueueChanged, "", QueuePayload{Op: "injected", Items: []QueueID{queue[i].ID}, Delta: -1})
			if err := x.record(ctx, &Commit{Dequeue: []QueueID{queue[i].ID}, Events: []Event{ev}}); err != nil {
				return ErrorResult(err.Error())
			}
			return d.result()
		}
		if err := ends.wait(ctx); err != nil {
			return ErrorResult("interrupted while it waited for a subagent")
		}
	}
}

func (d *Delivery) result() *ToolResult {
	var files []NewAttachment
	for _, a := range d.Attachments {
		files = append(files, NewAttachment{Attachment: a})
	}
	if d.Status == ToolError {
		return &ToolResult{Status: ToolError, Error: d.Text, SubagentID: d.Child, Attachments: files}
	}
	return &ToolResult{Status: ToolSuccess, Result: d.Text, SubagentID: d.Child, Attachments: files}
}

// createArgs are the arguments of subagent_create (authoring surface §15.2).
type createArgs struct {
	Agent       string          `json:"agent"`
	Name        string          `json:"name"`
	Message     string          `json:"message"`
	Attachments []string        `json:"attachments"`
	Arguments   json.RawMessage `json:"arguments"`
}

// createSubagent is the tool subagent_create.
func (f *frame) createSubagent(ctx context.Context, args json.RawMessage) *ToolResult {
	var in createArgs
	if err := json.Unmarshal(args, &in); err != nil {
		return ErrorResult("the arguments don't fit: " + err.Error())
	}
	entries := f.x.resumable(ctx, f.prompt)
	var known []string
	var entry *ToolEntry
	for _, c := range entries {
		known = append(known, c.entry.Name)
		if c.entry.Name == in.Agent {
			entry = c.entry
		}
	}
	switch {
	case entry == nil:
		return ErrorResult(fmt.Sprintf("there is no agent %q to create; the agents are: %s", in.Agent, strings.Join(known, ", ")))
	case strings.TrimSpace(in.Name) == "":
		return ErrorResult("name must not be empty: give this instance a name that tells it from others")
	case strings.TrimSpace(in.Message) == "":
		return ErrorResult("message must not be empty: it is the child's first input")
	}
	children, err := f.x.e.c.Store.Children(ctx, f.x.snap.thread.ID)
	if err != nil {
		return ErrorResult(err.Error())
	}
	if full := instancesFull(entry, children); full != "" {
		return ErrorResult(full)
	}
	files, err := f.x.e.findFiles(ctx, f.x.snap.thread.ID, in.Attachments)
	if err != nil {
		return ErrorResult(err.Error())
	}
	agent := f.x.e.c.Project.Definitions().Agents[in.Agent]
	child, failed := f.spawn(ctx, birth{agent: agent, entry: entry, files: files, name: clip(strings.TrimSpace(in.Name), MaxThreadName), message: in.Message, args: in.Arguments})
	if failed != nil {
		return failed
	}
	if entry.Blocking {
		return f.await(ctx, child)
	}
	return initiated(child)
}

// instancesFull says why no more instances of an agent may be created and what to
// do instead; "" where there is room (runtime §7.2).
func instancesFull(entry *ToolEntry, children []Child) string {
	limit := entry.Resumable.MaxInstances
	if limit <= 0 {
		return ""
	}
	var live []string
	for _, c := range children {
		if c.Name == entry.Name && c.Status != childTerminated {
			live = append(live, string(c.Reference)+" ("+c.ThreadName+")")
		}
	}
	if len(live) < limit {
		return ""
	}
	return fmt.Sprintf("the agent %q may have at most %d instances, and these exist: %s. Send a message to one of them with %s instead.",
		entry.Name, limit, strings.Join(live, ", "), toolSubagentMessage)
}

// messageSubagent is the tool subagent_message.
func (f *frame) messageSubagent(ctx context.Context, args json.RawMessage) *ToolResult {
	var in struct {
		Reference   ThreadID `json:"referenceId"`
		Message     string   `json:"message"`
		Attachments []string `json:"attachments"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return ErrorResult("the arguments don't fit: " + err.Error())
	}
	if strings.TrimSpace(in.Message) == "" {
		return ErrorResult("message must not be empty")
	}
	rec, err := f.x.e.c.Store.Thread(ctx, in.Reference)
	if err != nil || rec.ParentID != f.x.snap.thread.ID || rec.Terminated != 0 || !rec.spawnInfo().Resumable {
		return ErrorResult(fmt.Sprintf("there is no subagent with the reference %q that takes messages; the registry in your context lists them", in.Reference))
	}
	files, err := f.filesFor(ctx, in.Reference, in.Attachments)
	if err != nil {
		return ErrorResult(err.Error())
	}
	s := rec.spawnInfo()
	role := RoleUser
	if s.Receives == SideB {
		role = RoleAssistant
	}
	c := Commit{Events: []Event{f.x.childEvent(EventSubagentInput, in.Reference, SubagentPayload{Text: preview(in.Message)}),
		f.x.childEvent(EventSubagentStatus, in.Reference, SubagentPayload{Status: "running"})}}
	var reply *Reply
	if s.Blocking {
		reply = &Reply{Call: f.callID()}
	}
	f.x.e.send(&c, &rec.Thread, in.Message, role, reply, f.x.e.hand(&c, f.x.snap.thread.ID, &rec.Thread, files))
	f.x.pin(&c)
	f.add(c)
	if s.Blocking {
		return f.await(ctx, in.Reference)
	}
	return &ToolResult{Status: ToolSuccess, SubagentID: in.Reference, Result: "Message sent to subagent " + string(in.Reference) + "."}
}

// filesFor finds files of this thread that a child which exists is to get.
func (f *frame) filesFor(ctx context.Context, child ThreadID, paths []string) ([]FileRecord, error) {
	files, err := f.x.e.findFiles(ctx, f.x.snap.thread.ID, paths)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	var size int64
	for i := range files {
		size += files[i].Size
	}
	return files, f.x.e.checkRoom(ctx, child, len(files), size)
}

func (x *execution) childEvent(t EventType, child ThreadID, p SubagentPayload) Event {
	ev := x.event(t, p.Status, p)
	ev.SubagentID = child
	return ev
}

// resumable lists the prompt's enabled entries that are created by
// subagent_create.
func (x *execution) resumable(ctx context.Context, p *Prompt) []callable {
	var list []callable
	if p == nil {
		return nil
	}
	for i := range p.Tools {
		if p.Tools[i].Resumable == nil || !x.enabled(ctx, &p.Tools[i]) {
			continue
		}
		if c := resolve(x.e.c.Project.Definitions(), &p.Tools[i]); c.kind == kindSubagent {
			list = append(list, c)
		}
	}
	return list
}

// lifecycleTools are the tools that resumable subagents bring along.
func (x *execution) lifecycleTools(ctx context.Context, p *Prompt) []ModelTool {
	list := x.resumable(ctx, p)
	if len(list) == 0 {
		return nil
	}
	var about strings.Builder
	agents := make([]string, len(list))
	for i, c := range list {
		agents[i] = c.entry.Name
		fmt.Fprintf(&about, "\n- %s: %s", c.entry.Name, describe(c.agent))
		if c.entry.Blocking {
			about.WriteString(" Waits for its result.")
		}
		if n := c.entry.Resumable.MaxInstances; n > 0 {
			fmt.Fprintf(&about, " At most %d instances.", n)
		}
	}
	tools := []ModelTool{{Name: toolSubagentCreate, Parameters: createSchema(agents),
		Description: "Create a subagent that stays and can be sent more messages later. Agents:" + about.String()}}
	if slices.ContainsFunc(x.registry(ctx), takesMessages) {
		tools = append(tools, ModelTool{Name: toolSubagentMessage, Parameters: messageSchema,
			Description: "Send a message to a subagent that exists."})
	}
	return tools
}

func createSchema(agents []string) json.RawMessage {
	names, err := json.Marshal(agents)
	if err != nil {
		return emptySchema
	}
	return json.RawMessage(`{"type":"object","properties":{"agent":{"type":"string","enum":` + string(names) + `},` +
		`"name":{"type":"string","minLength":1,"description":"what to call this instance"},` +
		`"message":{"type":"string","description":"its first input"},` +
		`"attachments":{"type":"array","items":{"type":"string"},"description":"paths of files to give it, [] for none"},` +
		`"arguments":{"type":"object","description":"initial arguments, where the agent asks for any"}},` +
		`"required":["agent","message","attachments","name"],"additionalProperties":false}`)
}

var messageSchema = json.RawMessage(`{"type":"object","properties":{"referenceId":{"type":"string","description":"the subagent's reference"},` +
	`"message":{"type":"string"},"attachments":{"type":"array","items":{"type":"string"}}},` +
	`"required":["referenceId","message","attachments"],"additionalProperties":false}`)

// registry lists the thread's children that can be talked to or still run.
func (x *execution) registry(ctx context.Context) []Child {
	children, err := x.e.c.Store.Children(ctx, x.snap.thread.ID)
	if err != nil {
		x.e.c.Logf("read child registry: %v", err)
		return nil
	}
	return slices.DeleteFunc(children, func(c Child) bool { return c.Status == childTerminated })
}

// registryText is the request-only system message that lists the children
// (agents §7.11); "" where there are none. reachable says that the model has the
// tool to send them messages.
func registryText(children []Child, reachable bool) string {
	if len(children) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Active subagent instances:\n")
	for _, c := range children {
		name := c.ThreadName
		if name == "" {
			name = c.Name
		}
		fmt.Fprintf(&b, "- reference: %s, name: %s, agent: %s, status: %s (%s)\n", c.Reference, name, c.Name, c.Status, c.Description)
	}
	if reachable {
		b.WriteString("Use " + toolSubagentMessage + " with a reference to send one of them a message.")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// takesMessages reports whether a child can be addressed: one that isn't resumable
// has its one input and ends (agents §7.7).
func takesMessages(c Child) bool { return c.Resumable }

// childEnv is what a child gets of the parent thread's variables: what moved names,
// and copies of all others but those that the child's graph declares as scoped, or
// that are on their way to another child (authoring surface §6, §15.7).
func (e *Engine) childEnv(ctx context.Context, parent ThreadID, agent *Agent, moved map[string]string, others transfers) ([]EnvValue, error) {
	values, err := e.env.scope(ctx, e.c.Store, envKey{EnvThread, parent})
	if err != nil || len(values) == 0 {
		return nil, err
	}
	keep := scopedNames(e.c.Project.Definitions(), agent)
	for _, transfer := range others {
		for _, from := range transfer {
			keep[from] = true
		}
	}
	var out []EnvValue
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; !keep[name] && !keep[groupName(name)] {
			v.ThreadID = "" // the child's, whose id isn't known yet
			out = append(out, v)
		}
	}
	transferred, err := e.transferred(ctx, parent, moved)
	return append(out, transferred...), err
}

// groupName is the name of a numbered variable, NAME of NAME__2.
func groupName(name string) string {
	base, n, ok := strings.Cut(name, "__")
	if _, err := strconv.Atoi(n); !ok || err != nil {
		return name
	}
	return base
}
