package agents

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// maxSchemaDepth is how deep arrays, objects, records and unions may nest below
// a tool's arguments (authoring surface §5).
const maxSchemaDepth = 7

func readTool(r *reporter, name string, v json.RawMessage) *engine.Tool {
	o := readObject(r, fmt.Sprintf("tool %q", name), nil, v)
	if o == nil {
		return nil
	}
	t := &engine.Tool{
		Name: name, Description: o.required("description", "say what the tool does and when to call it"),
		Args: readSchema(o, "args"), Variables: readVariables(o), Uses: o.strings("uses"),
		ExecutionMode: o.oneOf("executionMode", "local", "provider"), ExecutionProvider: o.str("executionProvider"),
	}
	if t.ExecutionMode == "local" {
		t.ExecutionMode = ""
	}
	if t.ExecutionMode == "" {
		requireFunction(o, "execute", "add execute: async (state, args) => { … }")
	} else {
		o.raw("execute")
	}
	for _, key := range []string{"tenvs", "env", "returns", "name", "title", "icon"} {
		o.raw(key) // accepted, without effect
	}
	o.rest()
	if r.fails() {
		return nil
	}
	return t
}

// isFunction reports whether a described value is a function.
func isFunction(v json.RawMessage) bool { return typeName(v) == "a function" }

func requireFunction(o *object, key, hint string) {
	v := o.raw(key)
	switch {
	case v == nil:
		o.fail(key, hint, fmt.Sprintf("%s has no `%s`", o.what, key))
	case !isFunction(v):
		o.wrong(key, "a function", v)
	}
}

// readSchema reads a zod schema as the JSON schema that the worker made of it.
func readSchema(o *object, key string) json.RawMessage {
	v := o.raw(key)
	if v == nil {
		return nil
	}
	var s struct {
		Schema json.RawMessage `json:"$schema"`
		Error  string          `json:"$schemaError"`
	}
	_ = json.Unmarshal(v, &s)
	switch {
	case s.Error != "":
		o.fail(key, "use string, number, boolean, null, literal, enum, optional, nullable, default, array, object, record and union",
			fmt.Sprintf("`%s` of %s can't be told to a model: %s", key, o.what, s.Error))
		return nil
	case len(s.Schema) == 0:
		o.wrong(key, "a zod schema: z.object({ … })", v)
		return nil
	}
	var node any
	if json.Unmarshal(s.Schema, &node) == nil && schemaDepth(node)-1 > maxSchemaDepth {
		o.fail(key, "flatten it: take parts as separate arguments, or as one JSON string",
			fmt.Sprintf("`%s` of %s nests deeper than %d levels", key, o.what, maxSchemaDepth))
	}
	return s.Schema
}

// schemaDepth counts nested arrays, objects, records and unions.
func schemaDepth(node any) int {
	m, ok := node.(map[string]any)
	if !ok {
		return 0
	}
	inner := 0
	for _, key := range []string{"items", "additionalProperties"} {
		inner = max(inner, schemaDepth(m[key]))
	}
	if properties, ok := m["properties"].(map[string]any); ok {
		for _, p := range properties {
			inner = max(inner, schemaDepth(p))
		}
	}
	union := 0
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := m[key].([]any)
		for _, p := range list {
			union = max(union, schemaDepth(p))
		}
	}
	own := 0
	if t := m["type"]; t == "object" || t == "array" {
		own = 1
	}
	return max(own+inner, union)
}

// hookNames are the hooks of version 0.1.0; laterHooks came with 0.2.
var hookNames = []string{
	"after_thread_created", "after_subagent_created", "after_system_message", "filter_messages",
	"prefilter_llm_history", "before_create_message", "after_create_message", "before_update_message",
	"after_update_message", "before_store_tool_result", "after_tool_call_success", "after_tool_call_failure",
}

var laterHooks = []string{"tool_call_started", "tool_call_done"}

func readHook(r *reporter, v json.RawMessage) *engine.Hook {
	if len(v) > 0 && v[0] == '[' {
		r.report(engine.SeverityError, r.src.definition(), "write defineHook({ hook: '…', id: '…', execute: … })",
			"the form defineHook('name', fn) has no id and can't be listed by a prompt or agent")
		return nil
	}
	o := readObject(r, "the hook", nil, v)
	if o == nil {
		return nil
	}
	h := &engine.Hook{ID: o.required("id", "add id: '…', unique among hooks; prompts and agents list it"), Hook: o.required("hook", "add hook: one of "+quotedList(hookNames))}
	if h.ID != "" {
		o.what = fmt.Sprintf("hook %q", h.ID)
		if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(h.ID) {
			o.warn("id", "rename it to "+toSnake(h.ID), o.what+": an id is lower-case letters, digits and underscores")
		}
	}
	switch {
	case h.Hook == "" || slices.Contains(hookNames, h.Hook):
	case slices.Contains(laterHooks, h.Hook):
		o.warn("hook", "use after_tool_call_success or before_store_tool_result", fmt.Sprintf("%q of %s belongs to version 0.2 of the specification and is never called", h.Hook, o.what))
	default:
		o.fail("hook", "use one of "+quotedList(hookNames), fmt.Sprintf("there is no hook %q%s", h.Hook, didYouMean(h.Hook, hookNames)))
	}
	requireFunction(o, "execute", "add execute: async (state, …) => { … }")
	o.rest("description")
	if r.fails() {
		return nil
	}
	return h
}

func readEffect(r *reporter, name string, v json.RawMessage) *engine.EffectDef {
	o := readObject(r, fmt.Sprintf("effect %q", name), nil, v)
	if o == nil {
		return nil
	}
	e := &engine.EffectDef{Name: name, Description: o.str("description"), Args: readSchema(o, "args")}
	handler := o.raw("handler")
	if execute := o.raw("execute"); execute != nil {
		handler = execute
	}
	if !isFunction(handler) {
		o.fail("handler", "write defineEffect('what it does', async (state) => { … })", o.what+" has no handler function")
	}
	for _, key := range []string{"returns", "name", "variables", "tenvs"} {
		o.raw(key)
	}
	o.rest()
	if r.fails() {
		return nil
	}
	return e
}

// readEndpoint takes a function, or an object that holds one, as the define
// functions return it.
func readEndpoint(r *reporter, s source, v json.RawMessage) *engine.Endpoint {
	var f struct {
		Function   *string         `json:"$function"`
		Controller bool            `json:"controller"`
		Handler    json.RawMessage `json:"handler"`
		Execute    json.RawMessage `json:"execute"`
	}
	_ = json.Unmarshal(v, &f)
	if f.Function == nil && !isFunction(f.Handler) && !isFunction(f.Execute) {
		r.report(engine.SeverityError, r.src.definition(), "write: export default defineThreadEndpoint(async (req, state, params) => new Response(…))",
			fmt.Sprintf("an endpoint must be a function, it is %s", typeName(v)))
		return nil
	}
	return &engine.Endpoint{Method: s.Method, Path: s.Path, Controller: f.Controller}
}

func readProvider(r *reporter, v json.RawMessage) *engine.ProviderDef {
	var f struct {
		Function *string `json:"$function"`
		Provider string  `json:"provider"`
		Name     string  `json:"name"`
	}
	_ = json.Unmarshal(v, &f)
	name := f.Name
	if f.Function != nil {
		name = f.Provider
		if name == "" {
			name = *f.Function
		}
	}
	if strings.TrimSpace(name) == "" {
		r.report(engine.SeverityError, r.src.definition(), "write: export default defineProvider({ name: '…', … })", "the provider has no name")
		return nil
	}
	return &engine.ProviderDef{Name: name}
}
