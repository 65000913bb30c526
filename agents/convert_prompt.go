package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

func readPrompt(r *reporter, v json.RawMessage) *engine.Prompt {
	o := readObject(r, "the prompt", nil, v)
	if o == nil {
		return nil
	}
	p := &engine.Prompt{Name: o.required("name", "add name: '…', unique among prompts")}
	if p.Name != "" {
		o.what = fmt.Sprintf("prompt %q", p.Name)
	}
	p.ToolDescription = o.str("toolDescription")
	p.Parts = readParts(o)
	p.Model = o.required("model", "add model: '…', the name of a model in agents/models/")
	p.IncludeChat, p.IncludePastTools = o.boolean("includeChat", false), o.boolean("includePastTools", false)
	if o.raw("parallelToolCalls") != nil {
		parallel := o.boolean("parallelToolCalls", false)
		p.ParallelToolCalls = &parallel
	}
	p.ToolChoice = o.oneOf("toolChoice", "auto", "none", "required")
	p.RequiredSchema = readSchema(o, "requiredSchema")
	p.Tools = readEntries(o)
	p.Variables, p.Env, p.Hooks = readVariables(o), o.env(), o.strings("hooks")
	p.Reasoning = readReasoning(o)
	p.RecentImageThreshold = 10
	if o.raw("recentImageThreshold") != nil {
		p.RecentImageThreshold = o.count("recentImageThreshold")
	}
	p.ProviderOptions = readOptions(o, "providerOptions")
	o.raw("exposeAsTool") // older projects: every prompt is callable where it is listed
	o.rest("skills", "subagents", "parentHooks")
	if r.fails() {
		return nil
	}
	return p
}

// readParts reads the prompt text: a string, a list of parts, or a string that
// holds such a list as JSON.
func readParts(o *object) []engine.PromptPart {
	v := o.raw("prompt")
	if v == nil {
		o.fail("prompt", "add prompt: '…', the instructions for the model", o.what+" has no `prompt`")
		return nil
	}
	var list []json.RawMessage
	var s string
	if json.Unmarshal(v, &s) == nil {
		if !strings.HasPrefix(strings.TrimSpace(s), "[") || json.Unmarshal([]byte(s), &list) != nil || !allObjects(list) {
			return []engine.PromptPart{{Type: engine.PartText, Value: s}}
		}
	} else if json.Unmarshal(v, &list) != nil {
		o.wrong("prompt", "a string or an array of parts", v)
		return nil
	}
	out := make([]engine.PromptPart, 0, len(list))
	for i, raw := range list {
		if part, ok := readPart(o, i, raw); ok {
			out = append(out, part)
		}
	}
	return out
}

func allObjects(list []json.RawMessage) bool {
	return !slices.ContainsFunc(list, func(v json.RawMessage) bool { return len(v) == 0 || v[0] != '{' })
}

func readPart(o *object, i int, raw json.RawMessage) (engine.PromptPart, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return engine.PromptPart{Type: engine.PartText, Value: text}, true
	}
	p := readObject(o.r, fmt.Sprintf("part %d of %s", i+1, o.what), []string{"prompt"}, raw)
	if p == nil {
		return engine.PromptPart{}, false
	}
	types := []string{"text", "include", "env", "string", "prompt", "variable"}
	out := engine.PromptPart{}
	switch p.oneOf("type", types...) {
	case "text":
		out = engine.PromptPart{Type: engine.PartText, Value: p.str("content")}
	case "include":
		out = engine.PromptPart{Type: engine.PartInclude, Value: p.required("prompt", "add prompt: '…', the name of the prompt to include")}
	case "env":
		out = engine.PromptPart{Type: engine.PartEnv, Value: p.required("property", "add property: '…', the name of the variable")}
	case "string":
		out = engine.PromptPart{Type: engine.PartText, Value: p.str("value")}
	case "prompt":
		p.raw("label")
		out = engine.PromptPart{Type: engine.PartInclude, Value: p.required("id", "add id: '…', the name of the prompt to include")}
	case "variable":
		p.raw("label")
		out = engine.PromptPart{Type: engine.PartVariable, Value: p.required("value", "add value: '…', the name of the variable")}
	default:
		if p.raw("type") == nil {
			p.fail("type", "use one of "+quotedList(types[:3]), p.what+" has no `type`")
		}
		return out, false
	}
	p.rest()
	return out, true
}

func readReasoning(o *object) *engine.Reasoning {
	v := o.raw("reasoning")
	if v == nil {
		return nil
	}
	r := readObject(o.r, "`reasoning` of "+o.what, []string{"reasoning"}, v)
	if r == nil {
		return nil
	}
	out := &engine.Reasoning{
		Effort: r.oneOf("effort", "low", "medium", "high"), MaxTokens: r.count("maxTokens"),
		Exclude: r.boolean("exclude", false), Include: r.boolean("include", false),
	}
	r.rest()
	return out
}

// readOptions keeps an object as it is.
func readOptions(o *object, key string) json.RawMessage {
	v := o.raw(key)
	if v == nil {
		return nil
	}
	if v[0] != '{' {
		o.wrong(key, "an object", v)
		return nil
	}
	return v
}

func readEntries(o *object) []engine.ToolEntry {
	var list []json.RawMessage
	if !o.read("tools", "an array of names and tool entries", &list) {
		return nil
	}
	var out []engine.ToolEntry
	for i, raw := range list {
		e := engine.ToolEntry{IncludeTextResponse: true, IncludeToolCalls: true, IncludeErrors: true, Blocking: true}
		if json.Unmarshal(raw, &e.Name) == nil && raw[0] == '"' {
			out = append(out, e)
			continue
		}
		if readEntry(o, i, raw, &e) {
			out = append(out, e)
		}
	}
	return out
}

func readEntry(o *object, i int, raw json.RawMessage, e *engine.ToolEntry) bool {
	t := readObject(o.r, fmt.Sprintf("entry %d in `tools` of %s", i+1, o.what), []string{"tools"}, raw)
	if t == nil {
		return false
	}
	e.Name = t.required("name", "add name: '…', a tool, prompt or agent")
	e.IncludeTextResponse = t.boolean("includeTextResponse", true)
	e.IncludeToolCalls = t.boolean("includeToolCalls", true)
	e.IncludeErrors = t.boolean("includeErrors", true)
	e.InitUserMessageProperty = t.str("initUserMessageProperty")
	e.InitAttachmentsProperty = t.str("initAttachmentsProperty")
	e.InitAgentNameProperty = t.str("initAgentNameProperty")
	e.Env, e.Options = t.env(), readOptions(t, "options")
	e.Blocking = t.boolean("blocking", true)
	e.Optional = t.str("optional")
	e.Immediate = readImmediate(t)
	e.Resumable = readResumable(t)
	t.rest("as", "hidden", "scopedEnv", "owner")
	return true
}

func readImmediate(t *object) *engine.Immediate {
	v := t.raw("immediate")
	var on bool
	if v == nil {
		return nil
	}
	if json.Unmarshal(v, &on) == nil {
		if on {
			return &engine.Immediate{}
		}
		return nil
	}
	o := readObject(t.r, "`immediate` of "+t.what, []string{"tools", "immediate"}, v)
	if o == nil {
		return nil
	}
	out := &engine.Immediate{
		Object: true, NameEnv: o.str("nameEnv"), DescriptionEnv: o.str("descriptionEnv"), ScopedEnv: o.strings("scopedEnv"),
	}
	o.rest()
	return out
}

func readResumable(t *object) *engine.Resumable {
	v := t.raw("resumable")
	if v == nil || string(v) == "false" {
		return nil
	}
	if string(v) == "true" {
		t.fail("resumable", "write resumable: { receives_messages: 'side_a' }", "`resumable` of "+t.what+" must be false or an object")
		return nil
	}
	o := readObject(t.r, "`resumable` of "+t.what, []string{"tools", "resumable"}, v)
	if o == nil {
		return nil
	}
	out := &engine.Resumable{ReceivesMessages: engine.SideA, MaxInstances: o.count("maxInstances")}
	switch o.oneOf("receives_messages", "side_a", "side_b") {
	case "side_b":
		out.ReceivesMessages = engine.SideB
	case "":
		if o.raw("receives_messages") == nil {
			o.warn("receives_messages", "add receives_messages: 'side_a' or 'side_b'", o.what+" has no `receives_messages`; side_a is assumed")
		}
	}
	out.ParentCommunication = o.oneOf("parentCommunication", "implicit", "explicit")
	if out.ParentCommunication == "" {
		out.ParentCommunication = "implicit"
	}
	o.rest()
	return out
}
