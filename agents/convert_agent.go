package agents

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

func readAgent(r *reporter, v json.RawMessage) *engine.Agent {
	o := readObject(r, "the agent", nil, v)
	if o == nil {
		return nil
	}
	a := &engine.Agent{Name: o.required("name", "add name: '…', unique among agents")}
	if a.Name != "" {
		o.what = fmt.Sprintf("agent %q", a.Name)
	}
	a.Type = engine.AgentType(o.oneOf("type", string(engine.AIHuman), string(engine.DualAI)))
	if a.Type == "" {
		a.Type = engine.AIHuman
	}
	a.Title, a.Description, a.Icon = o.str("title"), o.str("description"), o.str("icon")
	a.ExposeAsTool, a.ToolDescription = o.boolean("exposeAsTool", false), o.str("toolDescription")
	a.MaxSessionTurns = o.count("maxSessionTurns")
	a.Hooks, a.Env, a.Variables = o.strings("hooks"), o.env(), readVariables(o)
	readSides(o, a)
	for _, key := range []string{"packageName", "version", "author", "license"} {
		o.raw(key)
	}
	o.rest("primary", "subagents", "users", "skills", "handler")
	if a.ExposeAsTool && a.ToolDescription == "" {
		o.warn("exposeAsTool", "add toolDescription: what it does and when to call it", o.what+" is exposed as a tool without a `toolDescription`")
	}
	if a.Type == engine.DualAI && a.MaxSessionTurns == 0 {
		o.warn("type", "add maxSessionTurns: 20 or so, so that two models can't talk for ever", o.what+" is dual_ai and has no `maxSessionTurns`")
	}
	if r.fails() {
		return nil
	}
	return a
}

func readSides(o *object, a *engine.Agent) {
	if v := o.raw("sideA"); v == nil {
		o.fail("sideA", "add sideA: { prompt: '…' }", o.what+" has no `sideA`")
	} else if side := readSide(o, "sideA", v); side != nil {
		a.SideA = *side
	}
	v := o.raw("sideB")
	if a.Type == engine.DualAI && v == nil {
		o.fail("sideB", "add sideB: { prompt: '…' }, or make it an ai_human agent", o.what+" is dual_ai and has no `sideB`")
	}
	if v == nil {
		return
	}
	if a.Type == engine.DualAI {
		a.SideB = readSide(o, "sideB", v)
		return
	}
	if !strings.Contains(string(v), `"human"`) {
		o.warn("sideB", "set type: 'dual_ai' if a model shall be side B, else remove sideB", o.what+" is ai_human: a person is side B and its `sideB` has no effect")
	}
}

func readSide(parent *object, key string, v json.RawMessage) *engine.SideConfig {
	o := readObject(parent.r, fmt.Sprintf("`%s` of %s", key, parent.what), []string{key}, v)
	if o == nil {
		return nil
	}
	s := &engine.SideConfig{
		Prompt:                   o.required("prompt", "add prompt: '…', the name of a prompt"),
		Label:                    o.str("label"),
		StopOnResponse:           o.boolean("stopOnResponse", true),
		StopTool:                 o.str("stopTool"),
		StopToolResponseProperty: o.str("stopToolResponseProperty"),
		MaxSteps:                 o.count("maxSteps"),
		SessionStop:              readBinding(o, "sessionStop", "endSessionTool"),
		SessionFail:              readBinding(o, "sessionFail", "failSessionTool"),
		SessionStatus:            readBinding(o, "sessionStatus", "statusTool"),
	}
	if o.raw("manualStopCondition") != nil {
		o.warn("manualStopCondition", "use stopTool", fmt.Sprintf("`manualStopCondition` of %s has no effect", o.what))
	}
	o.rest("handler", "human", "subagents", "stopSession", "as", "hidden")
	return s
}

// readBinding reads a SessionToolBinding in its string or object form, under
// its name or the older alias.
func readBinding(o *object, key, alias string) *engine.SessionBinding {
	old := o.raw(alias)
	v := o.raw(key)
	if v == nil {
		key, v = alias, old
	}
	if v == nil {
		return nil
	}
	var name string
	if json.Unmarshal(v, &name) == nil {
		if name == "" {
			return nil
		}
		return &engine.SessionBinding{Name: name}
	}
	b := readObject(o.r, fmt.Sprintf("`%s` of %s", key, o.what), append(append([]string{}, o.path...), key), v)
	if b == nil {
		return nil
	}
	out := &engine.SessionBinding{
		Name:                b.required("name", "add name: '…', the name of a tool"),
		MessageProperty:     b.str("messageProperty"),
		AttachmentsProperty: b.str("attachmentsProperty"),
	}
	b.rest()
	return out
}

func readVariables(o *object) []engine.Variable {
	var list []json.RawMessage
	if !o.read("variables", "an array", &list) {
		return nil
	}
	var out []engine.Variable
	for i, raw := range list {
		v := readObject(o.r, fmt.Sprintf("variable %d of %s", i+1, o.what), append(append([]string{}, o.path...), "variables"), raw)
		if v == nil {
			continue
		}
		typ := v.oneOf("type", string(engine.VariableText), string(engine.VariableSecret))
		if typ == "" {
			typ = string(engine.VariableSecret)
		}
		out = append(out, engine.Variable{
			Name: v.required("name", "add name: 'MY_VARIABLE'"), Type: engine.VariableType(typ),
			Required: v.boolean("required", false), Scoped: v.boolean("scoped", false), Description: v.str("description"),
		})
		v.rest()
	}
	return out
}
