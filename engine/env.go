package engine

import (
	"context"
	"sync"
)

// envCache keeps the values set on threads, for the user and the instance, until
// any of them may have changed here or in another process.
type envCache struct {
	mu     sync.Mutex
	scopes map[envKey]map[string]EnvValue
	gen    int
}

type envKey struct {
	scope  EnvScope
	thread ThreadID
}

func (c *envCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.scopes = nil
	c.gen++
}

// scope reads one scope's values by name.
func (c *envCache) scope(ctx context.Context, store ValueReader, key envKey) (map[string]EnvValue, error) {
	c.mu.Lock()
	values, ok := c.scopes[key]
	gen := c.gen
	c.mu.Unlock()
	if ok {
		return values, nil
	}
	list, err := store.Env(ctx, key.scope, key.thread)
	if err != nil {
		return nil, err
	}
	values = make(map[string]EnvValue, len(list))
	for _, v := range list {
		values[v.Name] = v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if gen == c.gen {
		if c.scopes == nil {
			c.scopes = map[envKey]map[string]EnvValue{}
		}
		c.scopes[key] = values
	}
	return values, nil
}

// lookupEnv resolves a variable: thread, user, instance, agent, prompt (decision
// A1), then the process environment for what the project declares.
// Values of agents and prompts count as text: they stand in the source.
//
// A variable that the project declares as a secret is one wherever it is set.
func (x *execution) lookupEnv(ctx context.Context, name string) (EnvValue, bool) {
	v, ok := x.findEnv(ctx, name)
	if ok && v.Type == VariableText && v.Scope != EnvAgent && v.Scope != EnvPrompt {
		if typ, declared := declaredType(x.e.c.Project.Definitions(), name); declared {
			v.Type = typ
		}
	}
	if ok && v.Type == VariableSecret {
		x.e.secrets.add(v.Value)
	}
	return v, ok
}

func (x *execution) findEnv(ctx context.Context, name string) (EnvValue, bool) {
	defs := x.e.c.Project.Definitions()
	for _, key := range []envKey{{EnvThread, x.snap.thread.ID}, {EnvUser, ""}, {EnvInstance, ""}} {
		values, err := x.e.env.scope(ctx, x.e.c.Store, key)
		if err != nil {
			x.e.c.Logf("read env: %v", err)
			continue
		}
		if v, ok := values[name]; ok {
			return v, true
		}
	}
	agent := defs.Agents[x.snap.thread.Agent]
	if agent != nil {
		if v, ok := agent.Env[name]; ok {
			return EnvValue{Scope: EnvAgent, Name: name, Value: v, Type: VariableText}, true
		}
		if side := agent.Side(x.snap.state.Side); side != nil && defs.Prompts[side.Prompt] != nil {
			if v, ok := defs.Prompts[side.Prompt].Env[name]; ok {
				return EnvValue{Scope: EnvPrompt, Name: name, Value: v, Type: VariableText}, true
			}
		}
	}
	if typ, declared := declaredType(defs, name); declared {
		if v, ok := x.e.c.ProcessEnv(name); ok {
			return EnvValue{Scope: EnvProcess, Name: name, Value: v, Type: typ}, true
		}
	}
	return EnvValue{}, false
}

// declaredType is the type that the project declares for a variable.
func declaredType(defs *Definitions, name string) (VariableType, bool) {
	find := func(vars []Variable) (VariableType, bool) {
		for _, v := range vars {
			if v.Name == name {
				return v.Type, true
			}
		}
		return "", false
	}
	for _, a := range defs.Agents {
		if t, ok := find(a.Variables); ok {
			return t, true
		}
	}
	for _, p := range defs.Prompts {
		if t, ok := find(p.Variables); ok {
			return t, true
		}
	}
	for _, t := range defs.Tools {
		if t, ok := find(t.Variables); ok {
			return t, true
		}
	}
	return "", false
}

// requireVariables refuses to ask a model while a required variable of its prompt
// or agent has no value (decision A14).
func (x *execution) requireVariables(ctx context.Context, p *Prompt) error {
	vars := p.Variables
	if a := x.e.c.Project.Definitions().Agents[x.snap.thread.Agent]; a != nil {
		vars = append(vars[:len(vars):len(vars)], a.Variables...)
	}
	for _, v := range vars {
		if !v.Required {
			continue
		}
		if _, ok := x.lookupEnv(ctx, v.Name); !ok {
			return Errorf(CodeInvalid, "start step", "the variable %s is required and isn't set (set it with: sideb env set %s)", v.Name, v.Name)
		}
	}
	return nil
}

// passDown is a thread's variable for the thread and for its live descendants,
// each of which has a copy; a subtree that declares the name as scoped has values
// of its own (authoring surface §6).
func (e *Engine) passDown(ctx context.Context, v EnvValue) ([]EnvValue, error) {
	values := []EnvValue{v}
	defs := e.c.Project.Definitions()
	for i := 0; i < len(values); i++ {
		children, err := e.c.Store.Children(ctx, values[i].ThreadID)
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if a := defs.Agents[c.Name]; c.Status == childTerminated || a != nil && scopedNames(defs, a)[v.Name] {
				continue
			}
			copied := v
			copied.ThreadID = c.Reference
			values = append(values, copied)
		}
	}
	return values, nil
}
