package engine

// graph visits everything that an agent can reach: its prompts, their tools,
// sub-prompts and agents, and what tools declare in uses.
type graph struct {
	defs *Definitions
	seen map[string]bool
	vars func([]Variable)
}

func (g *graph) agent(a *Agent) {
	if a == nil || g.mark("agent:"+a.Name) {
		return
	}
	g.vars(a.Variables)
	g.prompt(g.defs.Prompts[a.SideA.Prompt])
	if a.SideB != nil {
		g.prompt(g.defs.Prompts[a.SideB.Prompt])
	}
}

func (g *graph) prompt(p *Prompt) {
	if p == nil || g.mark("prompt:"+p.Name) {
		return
	}
	g.vars(p.Variables)
	for i := range p.Tools {
		g.name(p.Tools[i].Name)
	}
	for _, part := range p.Parts {
		if part.Type == PartInclude {
			g.prompt(g.defs.Prompts[part.Value])
		}
	}
}

func (g *graph) name(name string) {
	c := resolve(g.defs, &ToolEntry{Name: name})
	switch {
	case c.tool != nil:
		if g.mark("tool:" + name) {
			return
		}
		g.vars(c.tool.Variables)
		for _, used := range c.tool.Uses {
			g.name(used)
		}
	case c.prompt != nil && c.agent == nil:
		g.prompt(c.prompt)
	case c.agent != nil:
		g.agent(c.agent)
	}
}

func (g *graph) mark(key string) (seen bool) {
	seen = g.seen[key]
	g.seen[key] = true
	return seen
}

// scopedVariables lists the scoped variables of an agent's graph by name.
func scopedVariables(defs *Definitions, a *Agent) map[string]Variable {
	out := map[string]Variable{}
	g := graph{defs: defs, seen: map[string]bool{}, vars: func(vars []Variable) {
		for _, v := range vars {
			if old, ok := out[v.Name]; v.Scoped && (!ok || v.Required && !old.Required) {
				out[v.Name] = v
			}
		}
	}}
	g.agent(a)
	return out
}

func scopedNames(defs *Definitions, a *Agent) map[string]bool {
	names := map[string]bool{}
	for name := range scopedVariables(defs, a) {
		names[name] = true
	}
	return names
}
