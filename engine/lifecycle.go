package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
