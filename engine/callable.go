package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// toolKind is what the name of a tool entry stands for.
type toolKind string

const (
	kindFunction toolKind = "function"
	kindPrompt   toolKind = "prompt"
	kindHandoff  toolKind = "handoff"  // an ai_human agent
	kindSubagent toolKind = "subagent" // a dual_ai agent
)

// callable is a resolved tool entry; kind is "" where the name stands for
// nothing.
type callable struct {
	entry       *ToolEntry
	kind        toolKind
	tool        *Tool
	prompt      *Prompt
	agent       *Agent
	description string
	schema      json.RawMessage
}

// resolve looks a name up as function tool, prompt, agent, in that order
// (authoring surface §1). An entry with options that only a subagent has means
// the agent of that name.
func resolve(defs *Definitions, entry *ToolEntry) callable {
	c := callable{entry: entry, schema: emptySchema}
	if a := defs.Agents[entry.Name]; a != nil && a.Type == DualAI && entry.forSubagent() {
		return c.toAgent(defs, a)
	}
	if t := defs.Tools[entry.Name]; t != nil {
		c.kind, c.tool, c.description = kindFunction, t, t.Description
		if len(t.Args) > 0 {
			c.schema = t.Args
		}
		return c
	}
	if p := defs.Prompts[entry.Name]; p != nil {
		c.kind, c.prompt, c.description = kindPrompt, p, p.ToolDescription
		c.take(p)
		return c
	}
	if a := defs.Agents[entry.Name]; a != nil {
		return c.toAgent(defs, a)
	}
	return c
}

func (c callable) toAgent(defs *Definitions, a *Agent) callable {
	c.kind, c.agent, c.description = kindHandoff, a, a.ToolDescription
	if a.Type == DualAI {
		c.kind = kindSubagent
	}
	if c.description == "" {
		c.description = a.Description
	}
	if p := defs.Prompts[a.SideA.Prompt]; p != nil {
		c.take(p)
	}
	return c
}

func (c *callable) take(p *Prompt) {
	if len(p.RequiredSchema) > 0 {
		c.schema = p.RequiredSchema
	}
}

// run executes one call. Whatever goes wrong is an error result (runtime §5.2);
// a panic too.
func (f *frame) run(ctx context.Context, call ToolCall, unbound bool) (res *ToolResult) {
	defer func() {
		if p := recover(); p != nil {
			f.x.e.c.Logf("tool %s panicked: %v", call.Name, p)
			res = ErrorResult(fmt.Sprintf("the tool panicked: %v", p))
		}
	}()
	if ctx.Err() != nil { // inside a call that was aborted
		return ErrorResult("cancelled before it was run")
	}
	args, err := callArguments(call.Arguments)
	if err != nil {
		return ErrorResult(err.Error())
	}
	if res := f.lifecycle(ctx, call.Name, args); res != nil {
		return res
	}
	entry := f.entry(ctx, call.Name, unbound)
	if entry == nil {
		return ErrorResult(f.unknownTool(ctx, call.Name))
	}
	res = f.dispatch(ctx, resolve(f.x.e.c.Project.Definitions(), entry), args)
	if res == nil {
		return ErrorResult("the tool returned nothing")
	}
	return res
}

// lifecycle runs the tools that resumable subagents bring along; nil where the
// name isn't one of them or the prompt has none.
func (f *frame) lifecycle(ctx context.Context, name string, args json.RawMessage) *ToolResult {
	switch name {
	case toolSubagentCreate, toolSubagentMessage, toolSendToAgent:
	default:
		return nil
	}
	if len(f.x.resumable(ctx, f.prompt)) == 0 {
		return nil
	}
	if name == toolSubagentCreate {
		return f.createSubagent(ctx, args)
	}
	return f.messageSubagent(ctx, args)
}

// entry finds what a call means. A call that isn't bound to the prompt's list
// (queueTool, invokeTool) may name anything but a branch that the prompt has
// switched off (agents §7.5).
func (f *frame) entry(ctx context.Context, name string, unbound bool) *ToolEntry {
	if f.prompt != nil {
		e := f.prompt.entry(name)
		switch {
		case e == nil:
		case !f.x.enabled(ctx, e):
			return nil
		case e.Resumable == nil:
			return e
		}
	}
	if unbound {
		return &ToolEntry{Name: name, IncludeTextResponse: true, IncludeToolCalls: true, IncludeErrors: true, Blocking: true}
	}
	return nil
}

// unknownTool tells which tools the model was offered.
func (f *frame) unknownTool(ctx context.Context, name string) string {
	var known []string
	if f.prompt != nil {
		for _, t := range f.x.modelTools(ctx, f.prompt) {
			known = append(known, t.Name)
		}
	}
	if len(known) == 0 {
		return fmt.Sprintf("there is no tool named %q: this prompt has no tools", name)
	}
	return fmt.Sprintf("there is no tool named %q; the tools are: %s", name, strings.Join(known, ", "))
}

// dispatch runs a resolved callable.
func (f *frame) dispatch(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	switch c.kind {
	case kindFunction:
		return f.function(ctx, c, args)
	case kindPrompt:
		return f.subPrompt(ctx, c, args)
	case kindHandoff:
		return f.handoff(ctx, c, args)
	case kindSubagent:
		return f.subagent(ctx, c, args)
	default:
		return ErrorResult(fmt.Sprintf("the tool %q isn't defined in this project (or its file is broken: see `sideb check`)", c.entry.Name))
	}
}

func (f *frame) function(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	x := f.x
	if x.e.c.Scripts == nil {
		return ErrorResult("this host can't run project tools")
	}
	state := &ThreadState{f: f, entry: c.entry, tool: c.tool}
	for _, v := range c.tool.Variables {
		if _, err := state.Env(ctx, v.Name); v.Required && err != nil {
			return ErrorResult(fmt.Sprintf("the tool %s needs the variable %s, which isn't set (set it with: sideb env set %s)", c.tool.Name, v.Name, v.Name))
		}
	}
	res, err := x.e.c.Scripts.CallTool(ctx, c.tool, args, state)
	if err != nil {
		return ErrorResult(err.Error())
	}
	return res
}

// handoff takes effect when the step's calls are done.
func (f *frame) handoff(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	to := &handoff{Agent: c.agent.Name}
	_ = json.Unmarshal(args, &to.Args)
	if v, ok := property(args, c.entry.InitUserMessageProperty); ok {
		to.Text = v
	}
	files, err := f.x.attached(ctx, args, c.entry.InitAttachmentsProperty)
	if err != nil {
		return ErrorResult(err.Error())
	}
	to.Files = f.x.e.references(files)
	f.x.mu.Lock()
	f.x.snap.state.Handoff = to
	f.x.mu.Unlock()
	return &ToolResult{Status: ToolSuccess, Result: "Handoff complete"}
}

// callArguments reads the arguments as the model wrote them; nothing means none.
func callArguments(s string) (json.RawMessage, error) {
	if strings.TrimSpace(s) == "" {
		return json.RawMessage("{}"), nil
	}
	var o jsonObject
	if err := json.Unmarshal([]byte(s), &o); err != nil {
		return nil, fmt.Errorf("the arguments aren't a JSON object: %w; send the call again with valid JSON", err)
	}
	if o == nil {
		return json.RawMessage("{}"), nil
	}
	return json.RawMessage(s), nil
}

func truthy(v string) bool {
	switch strings.ToLower(strings.TrimSpace(v)) {
	case "true", "1", "yes":
		return true
	default:
		return false
	}
}
