package agents

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// described is what the worker says of one definition file.
type described struct {
	File    string          `json:"file"`
	Kind    string          `json:"kind,omitempty"`  // what the define function says it is; "" without one
	Value   json.RawMessage `json:"value,omitempty"` // the default export; see glue/define.ts for what JSON can't say
	Missing bool            `json:"missing,omitempty"`
	Exports []string        `json:"exports,omitempty"`
	Error   *worker.Thrown  `json:"error,omitempty"` // what the file threw while it was evaluated
	died    bool            // Error tells that the worker ended
	slow    bool            // Error tells that the evaluation took too long
}

// definition is one converted file: exactly one of the pointers is set, none
// where the file doesn't define anything usable.
type definition struct {
	source   source
	text     *text
	problems []engine.Problem

	agent    *engine.Agent
	prompt   *engine.Prompt
	model    *engine.ModelDef
	tool     *engine.Tool
	hook     *engine.Hook
	effect   *engine.EffectDef
	endpoint *engine.Endpoint
	provider *engine.ProviderDef
}

func (d *definition) usable() bool {
	return d.agent != nil || d.prompt != nil || d.model != nil || d.tool != nil ||
		d.hook != nil || d.effect != nil || d.endpoint != nil || d.provider != nil
}

// convert makes a definition of what a file was described as. src is the text
// of the file, for places.
func convert(s source, src *text, is described) *definition {
	d := &definition{source: s, text: src}
	r := &reporter{file: s.Rel, src: d.text}
	if is.Missing {
		r.report(engine.SeverityError, place{1, 1}, "write: export default "+defineName(s.Kind)+"(…)", "the file has no default export")
	} else if d.belongs(r, is.Kind) {
		d.read(r, is.Value)
	}
	d.problems = r.problems
	return d
}

// belongs reports whether a definition lies in the directory of its kind.
func (d *definition) belongs(r *reporter, kindOf string) bool {
	dirs := map[string]kind{
		"agent": kindAgent, "prompt": kindPrompt, "model": kindModel, "tool": kindTool, "hook": kindHook,
		"effect": kindEffect, "threadEndpoint": kindEndpoint, "controller": kindEndpoint, "provider": kindProvider,
	}
	dir, known := dirs[kindOf]
	if !known || dir == d.source.Kind {
		return true
	}
	r.report(engine.SeverityError, r.src.definition(), "move it to agents/"+string(dir)+"/",
		fmt.Sprintf("the file defines a %s, but agents/%s/ is for %s(…)", kindOf, d.source.Kind, defineName(d.source.Kind)))
	return false
}

func (d *definition) read(r *reporter, v json.RawMessage) {
	switch d.source.Kind {
	case kindAgent:
		d.agent = readAgent(r, v)
	case kindPrompt:
		d.prompt = readPrompt(r, v)
	case kindModel:
		d.model = readModel(r, v)
	case kindTool:
		d.tool = readTool(r, d.source.Name, v)
	case kindHook:
		d.hook = readHook(r, v)
	case kindEffect:
		d.effect = readEffect(r, d.source.Name, v)
	case kindEndpoint:
		d.endpoint = readEndpoint(r, d.source, v)
	case kindProvider:
		d.provider = readProvider(r, v)
	}
}

func defineName(k kind) string {
	switch k {
	case kindAgent:
		return "defineAgent"
	case kindPrompt:
		return "definePrompt"
	case kindModel:
		return "defineModel"
	case kindTool:
		return "defineTool"
	case kindHook:
		return "defineHook"
	case kindEffect:
		return "defineEffect"
	case kindEndpoint:
		return "defineThreadEndpoint"
	case kindProvider:
		return "defineProvider"
	default:
		return string(k)
	}
}

// assemble puts definitions into maps and reports names that are taken. The
// first file keeps a name.
func assemble(list []*definition) *engine.Definitions {
	defs := &engine.Definitions{
		Agents: map[string]*engine.Agent{}, Prompts: map[string]*engine.Prompt{}, Models: map[string]*engine.ModelDef{},
		Tools: map[string]*engine.Tool{}, Hooks: map[string]*engine.Hook{}, Effects: map[string]*engine.EffectDef{},
		Providers: map[string]*engine.ProviderDef{},
	}
	a := assembly{defs: defs, owner: map[string]string{}}
	for _, d := range list {
		defs.Problems = append(defs.Problems, d.problems...)
		a.add(d)
	}
	for _, m := range defs.Models { // a model may name a provider of the project
		m.Script = m.Script || defs.Providers[m.Provider] != nil
	}
	return defs
}

type assembly struct {
	defs  *engine.Definitions
	owner map[string]string // kind and name -> file
}

func (a assembly) add(d *definition) {
	f := d.source.Rel
	switch {
	case d.agent != nil:
		d.agent.File = f
		put(a, d, "agent", "name", d.agent.Name, a.defs.Agents, d.agent)
	case d.prompt != nil:
		d.prompt.File = f
		put(a, d, "prompt", "name", d.prompt.Name, a.defs.Prompts, d.prompt)
	case d.model != nil:
		d.model.File = f
		put(a, d, "model", "name", d.model.Name, a.defs.Models, d.model)
	case d.tool != nil:
		d.tool.File = f
		put(a, d, "tool", "", d.tool.Name, a.defs.Tools, d.tool)
	case d.hook != nil:
		d.hook.File = f
		put(a, d, "hook", "id", d.hook.ID, a.defs.Hooks, d.hook)
	case d.effect != nil:
		d.effect.File = f
		put(a, d, "effect", "", d.effect.Name, a.defs.Effects, d.effect)
	case d.provider != nil:
		d.provider.File = f
		put(a, d, "provider", "name", d.provider.Name, a.defs.Providers, d.provider)
	case d.endpoint != nil:
		d.endpoint.File = f
		a.addEndpoint(d)
	}
}

func put[V any](a assembly, d *definition, what, key, name string, into map[string]V, v V) {
	if other := a.owner[what+" "+name]; other != "" {
		at := d.text.find([]string{key}, name)
		a.defs.Problems = append(a.defs.Problems, engine.Problem{
			Severity: engine.SeverityError, File: d.source.Rel, Line: at.line, Column: at.column,
			Message: fmt.Sprintf("the %s %q is already defined in %s", what, name, other),
			Hint:    "give one of them another name; until then the first one is used",
		})
		return
	}
	a.owner[what+" "+name] = d.source.Rel
	into[name] = v
}

func (a assembly) addEndpoint(d *definition) {
	e := d.endpoint
	id := "endpoint " + e.Method + " " + e.Path
	if other := a.owner[id]; other != "" {
		a.defs.Problems = append(a.defs.Problems, engine.Problem{
			Severity: engine.SeverityError, File: d.source.Rel, Line: 1, Column: 1,
			Message: fmt.Sprintf("%s %s is already defined in %s", e.Method, e.Path, other),
			Hint:    "remove or rename one of the files; until then the first one is used",
		})
		return
	}
	a.owner[id] = d.source.Rel
	a.defs.Endpoints = append(a.defs.Endpoints, *e)
}

// sortProblems orders problems by file and line and drops repetitions.
func sortProblems(list []engine.Problem) []engine.Problem {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
	out := list[:0]
	for i, p := range list {
		if i == 0 || p != list[i-1] {
			out = append(out, p)
		}
	}
	return out
}
