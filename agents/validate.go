package agents

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/agents/lib"
	"github.com/sideb-dev/sideb/engine"
)

// validate follows the references between definitions and reports those that
// lead nowhere. A definition with such a reference stays usable: what it refers
// to may be added while the program runs.
func validate(defs *engine.Definitions, texts map[string]*text) []engine.Problem {
	v := &validation{defs: defs, texts: texts}
	for _, name := range slices.Sorted(maps.Keys(defs.Agents)) {
		v.agent(defs.Agents[name])
	}
	for _, name := range slices.Sorted(maps.Keys(defs.Prompts)) {
		v.prompt(defs.Prompts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(defs.Models)) {
		v.model(defs.Models[name])
	}
	for _, name := range slices.Sorted(maps.Keys(defs.Tools)) {
		v.tool(defs.Tools[name])
	}
	v.clashes()
	return v.problems
}

type validation struct {
	defs     *engine.Definitions
	texts    map[string]*text
	problems []engine.Problem
}

// at is where a problem is: a file, the properties that lead there, and the
// name that is written there.
type at struct {
	file  string
	path  []string
	value string
}

func (v *validation) report(s engine.Severity, where at, hint, message string, args ...any) {
	p := v.texts[where.file].find(where.path, where.value)
	v.problems = append(v.problems, engine.Problem{
		Severity: s, File: where.file, Line: p.line, Column: p.column, Message: fmt.Sprintf(message, args...), Hint: hint,
	})
}

func (v *validation) fail(where at, hint, message string, args ...any) {
	v.report(engine.SeverityError, where, hint, message, args...)
}

func (v *validation) warn(where at, hint, message string, args ...any) {
	v.report(engine.SeverityWarning, where, hint, message, args...)
}

func (v *validation) agent(a *engine.Agent) {
	what := fmt.Sprintf("agent %q", a.Name)
	v.hooks(what, a.File, a.Hooks)
	for _, s := range []engine.Side{engine.SideA, engine.SideB} {
		if side := a.Side(s); side != nil {
			v.side(a, "side"+strings.ToUpper(string(s)), side)
		}
	}
}

func (v *validation) side(a *engine.Agent, key string, s *engine.SideConfig) {
	what := fmt.Sprintf("`%s` of agent %q", key, a.Name)
	p := v.defs.Prompts[s.Prompt]
	if p == nil {
		v.fail(at{a.File, []string{key, "prompt"}, s.Prompt}, hintFor(s.Prompt, kindPrompt, v.defs.Prompts), "%s names the prompt %q, which doesn't exist", what, s.Prompt)
		return
	}
	stops := []struct {
		property string
		binding  *engine.SessionBinding
	}{{"sessionStop", s.SessionStop}, {"sessionFail", s.SessionFail}, {"sessionStatus", s.SessionStatus}}
	if s.StopTool != "" {
		stops = append(stops, struct {
			property string
			binding  *engine.SessionBinding
		}{"stopTool", &engine.SessionBinding{Name: s.StopTool}})
	}
	for _, stop := range stops {
		if stop.binding != nil {
			v.stopTool(a, key, stop.property, stop.binding.Name, p)
		}
	}
	if s.StopToolResponseProperty != "" && s.StopTool == "" {
		v.warn(at{a.File, []string{key, "stopToolResponseProperty"}, ""}, "add stopTool", "%s has a `stopToolResponseProperty` but no `stopTool`", what)
	}
}

// stopTool checks a tool that ends a turn or a session: it must exist, and the
// side's prompt should offer it, else nothing can ever call it.
func (v *validation) stopTool(a *engine.Agent, side, property, name string, p *engine.Prompt) {
	where := at{a.File, []string{side, property}, name}
	if !v.callable(name) {
		v.fail(where, hintFor(name, kindTool, v.defs.Tools), "`%s` in `%s` of agent %q names the tool %q, which doesn't exist", property, side, a.Name, name)
		return
	}
	listed := slices.ContainsFunc(p.Tools, func(e engine.ToolEntry) bool { return e.Name == name })
	if !listed {
		v.warn(where, fmt.Sprintf("add %q to the tools of prompt %q", name, p.Name),
			"`%s` in `%s` of agent %q names %q, which isn't among the tools of its prompt %q: the model can't call it", property, side, a.Name, name, p.Name)
	}
}

func (v *validation) callable(name string) bool {
	return v.defs.Tools[name] != nil || v.defs.Prompts[name] != nil || v.defs.Agents[name] != nil || foreign(name)
}

// foreign reports whether a name is resolved outside the project: tools that the
// provider executes, and the reserved prefix of MCP tools.
func foreign(name string) bool {
	return strings.HasPrefix(name, "provider:") || strings.HasPrefix(name, "mcp:")
}

func (v *validation) hooks(what, file string, ids []string) {
	for _, id := range ids {
		if v.defs.Hooks[id] == nil {
			v.fail(at{file, []string{"hooks"}, id}, hintFor(id, kindHook, v.defs.Hooks), "%s lists the hook %q, which doesn't exist", what, id)
		}
	}
}

func (v *validation) prompt(p *engine.Prompt) {
	what := fmt.Sprintf("prompt %q", p.Name)
	v.hooks(what, p.File, p.Hooks)
	if v.defs.Models[p.Model] == nil {
		v.fail(at{p.File, []string{"model"}, p.Model}, hintFor(p.Model, kindModel, v.defs.Models), "%s names the model %q, which doesn't exist", what, p.Model)
	}
	for _, part := range p.Parts {
		if part.Type == engine.PartInclude && v.defs.Prompts[part.Value] == nil {
			v.fail(at{p.File, []string{"prompt"}, part.Value}, hintFor(part.Value, kindPrompt, v.defs.Prompts), "%s includes the prompt %q, which doesn't exist", what, part.Value)
		}
	}
	if cycle := v.includeCycle(p.Name); cycle != nil {
		v.fail(at{p.File, []string{"prompt"}, cycle[1]}, "take one of the includes out", "%s includes itself: %s", what, strings.Join(cycle, " → "))
	}
	seen := map[string]bool{}
	for i := range p.Tools {
		e := &p.Tools[i]
		if seen[e.Name] {
			v.warn(at{p.File, []string{"tools"}, e.Name}, "remove one of them", "%s lists %q twice", what, e.Name)
		}
		seen[e.Name] = true
		v.entry(p, e)
	}
}

// includeCycle is the way from a prompt back to itself through includes, nil
// where there is none.
func (v *validation) includeCycle(name string) []string {
	visited := map[string]bool{}
	var walk func(string, []string) []string
	walk = func(n string, way []string) []string {
		p := v.defs.Prompts[n]
		if p == nil || visited[n] {
			return nil
		}
		visited[n] = true
		way = append(slices.Clone(way), n)
		for _, part := range p.Parts {
			if part.Type != engine.PartInclude {
				continue
			}
			if part.Value == name {
				return append(way, name)
			}
			if c := walk(part.Value, way); c != nil {
				return c
			}
		}
		return nil
	}
	return walk(name, nil)
}

// entry checks one entry of a prompt's tools by what its name resolves to.
func (v *validation) entry(p *engine.Prompt, e *engine.ToolEntry) {
	where := at{p.File, []string{"tools"}, e.Name}
	what := fmt.Sprintf("`tools` of prompt %q", p.Name)
	agent := v.defs.Agents[e.Name]
	switch {
	case strings.HasPrefix(e.Name, "mcp:"):
		v.warn(where, "write a tool that calls the server", "%s lists %q: MCP tools are not supported yet", what, e.Name)
	case foreign(e.Name):
	case agent != nil && agent.Type == engine.DualAI && subagentEntry(e): // the engine means it too, whatever else has the name
		v.agentEntry(where, what, e, agent)
	case v.defs.Tools[e.Name] != nil || v.defs.Prompts[e.Name] != nil:
		v.notSubagent(where, what, e)
	case agent != nil:
		v.agentEntry(where, what, e, agent)
	case strings.Contains(e.Name, "/"):
		v.fail(where, "copy the definition into the project", "%s lists %q: packed packages are not loaded", what, e.Name)
	default:
		v.fail(where, v.callableHint(e.Name), "%s lists %q, which is no tool, prompt or agent", what, e.Name)
	}
}

func (v *validation) callableHint(name string) string {
	all := map[string]bool{}
	for n := range v.defs.Tools {
		all[n] = true
	}
	for n := range v.defs.Prompts {
		all[n] = true
	}
	for n := range v.defs.Agents {
		all[n] = true
	}
	if n := nearest(name, slices.Sorted(maps.Keys(all))); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return fmt.Sprintf("add agents/tools/%s.ts, or take it out", name)
}

func subagentEntry(e *engine.ToolEntry) bool {
	return e.Resumable != nil || e.Immediate != nil || e.InitAgentNameProperty != "" || !e.Blocking
}

func (v *validation) notSubagent(where at, what string, e *engine.ToolEntry) {
	if subagentEntry(e) {
		v.fail(where, "name an exposed dual_ai agent, or take the subagent options out",
			"the entry %q in %s has options of a subagent (resumable, immediate, blocking, initAgentNameProperty), but it isn't an agent", e.Name, what)
	}
}

func (v *validation) agentEntry(where at, what string, e *engine.ToolEntry, a *engine.Agent) {
	expose := fmt.Sprintf("set exposeAsTool: true and toolDescription in %s", a.File)
	switch {
	case a.Type == engine.DualAI && !a.ExposeAsTool:
		v.fail(where, expose, "%s lists the agent %q, which isn't exposed as a tool", what, a.Name)
	case a.Type == engine.AIHuman && subagentEntry(e):
		v.fail(where, "make it a dual_ai agent, or take the subagent options out",
			"the entry %q in %s has options of a subagent, but that agent is ai_human: calling it hands the thread over", e.Name, what)
	case a.Type == engine.AIHuman && !a.ExposeAsTool:
		v.warn(where, expose, "%s lists the agent %q, which isn't exposed as a tool; it is callable all the same", what, a.Name)
	}
}

func (v *validation) model(m *engine.ModelDef) {
	what := fmt.Sprintf("model %q", m.Name)
	for _, name := range m.Fallbacks {
		where := at{m.File, []string{"fallbacks"}, name}
		switch {
		case name == m.Name:
			v.warn(where, "take it out", "%s falls back to itself", what)
		case v.defs.Models[name] == nil:
			v.fail(where, hintFor(name, kindModel, v.defs.Models), "%s falls back to the model %q, which doesn't exist", what, name)
		}
	}
	hosts := lib.Providers()
	if !m.Script && v.defs.Providers[m.Provider] == nil && !slices.Contains(hosts, m.Provider) {
		v.fail(at{m.File, []string{"provider"}, m.Provider}, "import a factory from '@standardagents/…', or define the provider in agents/providers/",
			"%s names the provider %q, which doesn't exist%s", what, m.Provider, didYouMean(m.Provider, hosts))
	}
}

func (v *validation) tool(t *engine.Tool) {
	for _, name := range t.Uses {
		if !v.callable(name) {
			v.fail(at{t.File, []string{"uses"}, name}, v.callableHint(name), "`uses` of tool %q names %q, which is no tool, prompt or agent", t.Name, name)
		}
	}
}

// reservedNames are tools that the runtime itself offers to models.
var reservedNames = []string{"subagent_create", "subagent_message", "send_to_agent"}

// clashes reports names that mean several callables: a name resolves to a tool,
// else to a prompt, else to an agent.
func (v *validation) clashes() {
	for _, name := range slices.Sorted(maps.Keys(v.defs.Prompts)) {
		if t := v.defs.Tools[name]; t != nil {
			p := v.defs.Prompts[name]
			v.warn(at{p.File, []string{"name"}, name}, "rename one of them", "the prompt %q has the name of a tool (%s): where it is called, the tool is meant", name, t.File)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v.defs.Agents)) {
		a, other, kind := v.defs.Agents[name], "", ""
		if t := v.defs.Tools[name]; t != nil {
			other, kind = t.File, "tool"
		} else if p := v.defs.Prompts[name]; p != nil {
			other, kind = p.File, "prompt"
		}
		if other != "" && a.ExposeAsTool {
			called := "called"
			if a.Type == engine.DualAI {
				called = "called without options of a subagent"
			}
			v.warn(at{a.File, []string{"name"}, name}, "rename one of them", "the exposed agent %q has the name of a %s (%s): where it is %s, the %s is meant", name, kind, other, called, kind)
		}
	}
	for _, name := range reservedNames {
		if t := v.defs.Tools[name]; t != nil {
			v.warn(at{t.File, nil, ""}, "rename the file", "the tool %q has the name of a tool of the runtime, which hides it where subagents can be created", name)
		}
	}
}
