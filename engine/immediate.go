package engine

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// immediates are the calls that a prompt makes by itself as soon as it becomes
// active, before the first model step (agents §7.6). They are run as calls of the
// runtime's own, so that history stays paired and a crash repeats none.
func (x *execution) immediates(ctx context.Context) []queuedTool {
	p := x.prompt()
	if p == nil {
		return nil
	}
	var calls []queuedTool
	for i := range p.Tools {
		e := &p.Tools[i]
		if e.Immediate == nil || !x.enabled(ctx, e) {
			continue
		}
		c := resolve(x.e.c.Project.Definitions(), e)
		if c.kind != kindSubagent {
			continue
		}
		if e.Immediate.Object {
			calls = append(calls, x.immediateGroups(ctx, c)...)
		} else if !x.hasInstance(ctx, e.Name) {
			calls = append(calls, immediateCall(c, "", "", nil))
		}
	}
	return calls
}

func (x *execution) hasInstance(ctx context.Context, agent string) bool {
	for _, c := range x.registry(ctx) {
		if c.Name == agent {
			return true
		}
	}
	return false
}

// immediateGroups makes one call for each group of variables that is set on the
// thread: NAME is the first instance, NAME__2 the second, and so on. Only the
// hints reach a model; the scoped values go straight to the child's env.
func (x *execution) immediateGroups(ctx context.Context, c callable) []queuedTool {
	im := c.entry.Immediate
	scoped := im.ScopedEnv
	if len(scoped) == 0 {
		for name := range scopedVariables(x.e.c.Project.Definitions(), c.agent) {
			scoped = append(scoped, name)
		}
	}
	values, err := x.e.env.scope(ctx, x.e.c.Store, envKey{EnvThread, x.snap.thread.ID})
	if err != nil {
		x.e.c.Logf("read env: %v", err)
		return nil
	}
	room := x.room(ctx, c.entry)
	var calls []queuedTool
	for n := 1; room < 0 || len(calls) < room; n++ {
		suffix := ""
		if n > 1 {
			suffix = "__" + strconv.Itoa(n)
		}
		transfer := map[string]string{}
		for _, name := range append([]string{im.NameEnv, im.DescriptionEnv}, scoped...) {
			if _, ok := values[name+suffix]; ok && name != "" {
				transfer[name] = name + suffix
			}
		}
		if len(transfer) == 0 {
			break
		}
		calls = append(calls, immediateCall(c, values[im.NameEnv+suffix].Value, values[im.DescriptionEnv+suffix].Value, transfer))
	}
	return calls
}

// room is how many more instances maxInstances allows; negative is any number.
func (x *execution) room(ctx context.Context, e *ToolEntry) int {
	if e.Resumable == nil || e.Resumable.MaxInstances <= 0 {
		return -1
	}
	n := e.Resumable.MaxInstances
	for _, c := range x.registry(ctx) {
		if c.Name == e.Name {
			n--
		}
	}
	return max(0, n)
}

// immediateCall is the call that boots one instance from its hints.
func immediateCall(c callable, name, description string, transfer map[string]string) queuedTool {
	if c.entry.Resumable != nil {
		if name == "" {
			name = c.agent.Name
		}
		if description == "" {
			description = "Start."
		}
		return queuedTool{Name: toolSubagentCreate, Transfer: transfer,
			Args: mustJSON(createArgs{Agent: c.agent.Name, Name: name, Message: description, Attachments: []string{}, Arguments: json.RawMessage("{}")})}
	}
	args := map[string]string{}
	if p := c.entry.InitAgentNameProperty; p != "" && name != "" {
		args[p] = name
	}
	if p := c.entry.InitUserMessageProperty; p != "" && description != "" {
		args[p] = description
	}
	return queuedTool{Name: c.entry.Name, Transfer: transfer, Args: mustJSON(args)}
}

// transferred moves the variables of an immediate call, child's name -> parent's,
// from the parent thread to the child. They arrive as secrets: nothing renders
// them into a prompt.
func (e *Engine) transferred(ctx context.Context, parent ThreadID, transfer map[string]string) ([]EnvValue, error) {
	if len(transfer) == 0 {
		return nil, nil
	}
	values, err := e.env.scope(ctx, e.c.Store, envKey{EnvThread, parent})
	var out []EnvValue
	for _, name := range slices.Sorted(maps.Keys(transfer)) {
		from := transfer[name]
		v, ok := values[from]
		if !ok {
			continue
		}
		out = append(out, EnvValue{Scope: EnvThread, Name: name, Value: v.Value, Type: VariableSecret},
			EnvValue{Scope: EnvThread, ThreadID: parent, Name: from, Delete: true})
	}
	return out, err
}

// fresh reports whether the conversation hasn't begun: nothing but silent and
// system messages.
func (x *execution) fresh() bool {
	for _, m := range x.history {
		if !m.Silent && m.Role != RoleSystem {
			return false
		}
	}
	return true
}

// bootsImmediately reports whether a new thread starts by itself: its prompt has an
// immediate entry, which is enabled by what the thread is created with or by what
// is set around it.
func (e *Engine) bootsImmediately(ctx context.Context, t *Thread, a *Agent, env []EnvValue) bool {
	p := e.c.Project.Definitions().Prompts[a.SideA.Prompt]
	if p == nil {
		return false
	}
	x := &execution{e: e, snap: snapshot{thread: *t, agent: a, state: execState{Side: SideA}}}
	for i := range p.Tools {
		entry := &p.Tools[i]
		if entry.Immediate == nil {
			continue
		}
		set := slices.IndexFunc(env, func(v EnvValue) bool { return v.Name == entry.Optional })
		if set >= 0 && truthy(env[set].Value) || set < 0 && x.enabled(ctx, entry) {
			return true
		}
	}
	return false
}
