package agents

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

const fn = `{"$function":"f"}`

// convertJSON converts a described value of a kind.
func convertJSON(t *testing.T, k kind, value string) *definition {
	t.Helper()
	if !json.Valid([]byte(value)) {
		t.Fatalf("not JSON: %s", value)
	}
	s := source{Kind: k, Rel: "agents/" + string(k) + "/x.ts", Name: "x", Method: "GET", Path: "/x"}
	return convert(s, written(""), described{Value: json.RawMessage(value)})
}

func problemTexts(list []engine.Problem) []string {
	var out []string
	for _, p := range list {
		out = append(out, string(p.Severity)+": "+p.Message)
	}
	return out
}

func TestAgentDefaultsAndOlderForms(t *testing.T) {
	d := convertJSON(t, kindAgent, `{
		"name":"a","type":"dual_ai","title":"T","tenvs":{"A":"1","B":2},"maxSessionTurns":3,
		"sideA":{"prompt":"p","endSessionTool":"done","failSessionTool":{"name":"fail","messageProperty":"why"},"statusTool":""},
		"sideB":{"prompt":"q","stopOnResponse":false,"sessionStop":"done","endSessionTool":"older"}}`)
	if d.agent == nil {
		t.Fatal(problemTexts(d.problems))
	}
	want := &engine.Agent{
		Name: "a", Type: engine.DualAI, Title: "T", MaxSessionTurns: 3, Env: map[string]string{"A": "1", "B": "2"},
		SideA: engine.SideConfig{Prompt: "p", StopOnResponse: true, SessionStop: &engine.SessionBinding{Name: "done"},
			SessionFail: &engine.SessionBinding{Name: "fail", MessageProperty: "why"}},
		SideB: &engine.SideConfig{Prompt: "q", SessionStop: &engine.SessionBinding{Name: "done"}},
	}
	if diff := cmp.Diff(want, d.agent); diff != "" {
		t.Error(diff)
	}
	if len(d.problems) != 0 {
		t.Error(problemTexts(d.problems))
	}
}

func TestPromptDefaultsAndOlderForms(t *testing.T) {
	d := convertJSON(t, kindPrompt, `{
		"name":"p","toolDescription":"d","model":"m","exposeAsTool":true,"parallelToolCalls":false,
		"requiredSchema":{"$schema":{"type":"object","properties":{}}},
		"prompt":[{"type":"text","content":"a"},{"type":"string","value":"b"},{"type":"include","prompt":"c"},
			{"type":"prompt","id":"d","label":"l"},{"type":"env","property":"E"},{"type":"variable","value":"v"}],
		"tools":["t",{"name":"s","blocking":false,"includeErrors":false,"immediate":{"nameEnv":"N"},
			"resumable":{"receives_messages":"side_b","maxInstances":2}},{"name":"i","immediate":true,"resumable":false}]}`)
	if d.prompt == nil || len(d.problems) != 0 {
		t.Fatal(problemTexts(d.problems))
	}
	no := false
	all := engine.ToolEntry{IncludeTextResponse: true, IncludeToolCalls: true, IncludeErrors: true, Blocking: true}
	entry := func(edit func(*engine.ToolEntry)) engine.ToolEntry { e := all; edit(&e); return e }
	want := &engine.Prompt{
		Name: "p", ToolDescription: "d", Model: "m", ParallelToolCalls: &no, RecentImageThreshold: 10,
		RequiredSchema: json.RawMessage(`{"type":"object","properties":{}}`),
		Parts: []engine.PromptPart{{Type: engine.PartText, Value: "a"}, {Type: engine.PartText, Value: "b"}, {Type: engine.PartInclude, Value: "c"},
			{Type: engine.PartInclude, Value: "d"}, {Type: engine.PartEnv, Value: "E"}, {Type: engine.PartVariable, Value: "v"}},
		Tools: []engine.ToolEntry{
			entry(func(e *engine.ToolEntry) { e.Name = "t" }),
			entry(func(e *engine.ToolEntry) {
				e.Name, e.Blocking, e.IncludeErrors = "s", false, false
				e.Immediate = &engine.Immediate{Object: true, NameEnv: "N"}
				e.Resumable = &engine.Resumable{ReceivesMessages: engine.SideB, MaxInstances: 2, ParentCommunication: "implicit"}
			}),
			entry(func(e *engine.ToolEntry) { e.Name, e.Immediate = "i", &engine.Immediate{} }),
		},
	}
	if diff := cmp.Diff(want, d.prompt); diff != "" {
		t.Error(diff)
	}
}

func TestPromptTextForms(t *testing.T) {
	for text, want := range map[string][]engine.PromptPart{
		`"plain [x]"`: {{Type: engine.PartText, Value: "plain [x]"}},
		`"[1, 2]"`:    {{Type: engine.PartText, Value: "[1, 2]"}},
		`"[{\"type\":\"string\",\"value\":\"a\"}]"`: {{Type: engine.PartText, Value: "a"}},
		`""`: {{Type: engine.PartText, Value: ""}},
	} {
		d := convertJSON(t, kindPrompt, `{"name":"p","model":"m","prompt":`+text+`}`)
		if d.prompt == nil {
			t.Errorf("%s: %v", text, problemTexts(d.problems))
		} else if diff := cmp.Diff(want, d.prompt.Parts); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestModelProviders(t *testing.T) {
	for provider, want := range map[string]struct {
		name   string
		script bool
	}{
		`{"$function":"openai","provider":"openai","host":true}`: {"openai", false},
		`{"$function":"f","provider":"mine"}`:                    {"mine", true},
		`{"$function":"mine"}`:                                   {"mine", true},
		`{"$function":""}`:                                       {"custom", true},
		`"groq"`:                                                 {"groq", false},
	} {
		d := convertJSON(t, kindModel, `{"name":"m","model":"x","provider":`+provider+`,"capabilities":{"vision":false,"reasoningLevels":{"50":"mid","0":null}}}`)
		if d.model == nil || d.model.Provider != want.name || d.model.Script != want.script {
			t.Errorf("%s: %+v %v", provider, d.model, problemTexts(d.problems))
			continue
		}
		if c := d.model.Capabilities; c.SupportsImages == nil || *c.SupportsImages || *c.ReasoningLevels[50] != "mid" || c.ReasoningLevels[0] != nil {
			t.Errorf("capabilities: %+v", c)
		}
	}
}

// nest is a schema with n arrays below the arguments.
func nest(n int) string {
	inner := `{"type":"string"}`
	for range n {
		inner = `{"type":"array","items":` + inner + `}`
	}
	return `{"$schema":{"type":"object","properties":{"v":` + inner + `}}}`
}

func TestBrokenDefinitionsAreReported(t *testing.T) {
	for _, c := range []struct {
		kind   kind
		value  string
		usable bool
		want   []string
	}{
		{kindAgent, `[]`, false, []string{"error: the agent must be an object, it is an array"}},
		{kindAgent, `{"sideA":{}}`, false, []string{"error: the agent has no `name`", "error: `sideA` of the agent has no `prompt`"}},
		{kindAgent, `{"name":"a","type":"dual","sideA":{"prompt":"p"}}`, false, []string{"error: `type` of agent \"a\" can't be \"dual\"; did you mean \"dual_ai\"?"}},
		{kindAgent, `{"name":"a","type":"dual_ai","maxSessionTurns":2,"sideA":{"prompt":"p"}}`, false, []string{"error: agent \"a\" is dual_ai and has no `sideB`"}},
		{kindAgent, `{"name":"a","type":"dual_ai","sideA":{"prompt":"p"},"sideB":{"prompt":"p"}}`, true, []string{"warning: agent \"a\" is dual_ai and has no `maxSessionTurns`"}},
		{kindAgent, `{"name":"a","sideA":{"prompt":"p","maxStep":3,"handler":{}}}`, true, []string{
			"warning: `handler` of `sideA` of agent \"a\" belongs to version 0.2 of the specification and has no effect",
			"warning: `sideA` of agent \"a\" has no property `maxStep`; it has no effect"}},
		{kindAgent, `{"name":"a","sideA":{"prompt":"p"},"maxSessionTurns":-1}`, false, []string{"error: `maxSessionTurns` of agent \"a\" must be a whole number that isn't negative, it is -1"}},
		{kindAgent, `{"name":"a","sideA":{"prompt":"p"},"exposeAsTool":true}`, true, []string{"warning: agent \"a\" is exposed as a tool without a `toolDescription`"}},
		{kindAgent, `{"name":3,"sideA":{"prompt":"p"}}`, false, []string{"error: `name` of the agent must be a string, it is a number"}},
		{kindPrompt, `{"name":"p"}`, false, []string{"error: prompt \"p\" has no `prompt`", "error: prompt \"p\" has no `model`"}},
		{kindPrompt, `{"name":"p","model":"m","prompt":"x","tools":[{"nam":"y"}]}`, false, []string{
			"error: entry 1 in `tools` of prompt \"p\" has no `name`",
			"warning: entry 1 in `tools` of prompt \"p\" has no property `nam`; it has no effect"}},
		{kindPrompt, `{"name":"p","model":"m","prompt":[{"type":"txt","content":"x"}]}`, false, []string{"error: `type` of part 1 of prompt \"p\" can't be \"txt\"; did you mean \"text\"?"}},
		{kindPrompt, `{"name":"p","model":"m","prompt":"x","requiredSchema":{"type":"object"}}`, false, []string{"error: `requiredSchema` of prompt \"p\" must be a zod schema: z.object({ … }), it is an object"}},
		{kindPrompt, `{"name":"p","model":"m","prompt":"x","tools":[{"name":"s","resumable":true}]}`, false, []string{"error: `resumable` of entry 1 in `tools` of prompt \"p\" must be false or an object"}},
		{kindModel, `{"name":"m","model":"x"}`, false, []string{"error: model \"m\" has no `provider`"}},
		{kindModel, `{"name":"m","model":"x","provider":"openai","inputPrice":-1}`, false, []string{"error: `inputPrice` of model \"m\" is negative"}},
		{kindTool, `{"execute":` + fn + `}`, false, []string{"error: tool \"x\" has no `description`"}},
		{kindTool, `{"description":"d"}`, false, []string{"error: tool \"x\" has no `execute`"}},
		{kindTool, `{"description":"d","execute":` + fn + `,"args":` + nest(7) + `}`, true, nil},
		{kindTool, `{"description":"d","execute":` + fn + `,"args":` + nest(8) + `}`, false, []string{"error: `args` of tool \"x\" nests deeper than 7 levels"}},
		{kindTool, `{"description":"d","execute":` + fn + `,"args":{"$schemaError":"no dates"}}`, false, []string{"error: `args` of tool \"x\" can't be told to a model: no dates"}},
		{kindHook, `["filter_messages",` + fn + `]`, false, []string{"error: the form defineHook('name', fn) has no id and can't be listed by a prompt or agent"}},
		{kindHook, `{"id":"h","hook":"filter_message","execute":` + fn + `}`, false, []string{"error: there is no hook \"filter_message\"; did you mean \"filter_messages\"?"}},
		{kindHook, `{"id":"Bad-Id","hook":"tool_call_done","execute":` + fn + `}`, true, []string{
			"warning: hook \"Bad-Id\": an id is lower-case letters, digits and underscores",
			"warning: \"tool_call_done\" of hook \"Bad-Id\" belongs to version 0.2 of the specification and is never called"}},
		{kindEffect, `{"description":"d"}`, false, []string{"error: effect \"x\" has no handler function"}},
		{kindEffect, `{"description":"d","execute":` + fn + `}`, true, nil},
		{kindEndpoint, `{"a":1}`, false, []string{"error: an endpoint must be a function, it is an object"}},
		{kindEndpoint, `{"$function":"f","controller":true}`, true, nil},
		{kindProvider, `{"$function":"","provider":"mine"}`, true, nil},
		{kindProvider, `{}`, false, []string{"error: the provider has no name"}},
	} {
		t.Run(fmt.Sprintf("%s %.40s", c.kind, c.value), func(t *testing.T) {
			d := convertJSON(t, c.kind, c.value)
			if d.usable() != c.usable {
				t.Errorf("usable = %v", d.usable())
			}
			if diff := cmp.Diff(c.want, problemTexts(d.problems)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// written is the text of a file.
func written(source string) *text { return readText(func() string { return source }) }

func TestDefinitionInTheWrongDirectory(t *testing.T) {
	d := convert(source{Kind: kindTool, Rel: "agents/tools/x.ts", Name: "x"}, written("export default definePrompt({})"),
		described{Kind: "prompt", Value: json.RawMessage(`{}`)})
	if d.usable() || len(d.problems) != 1 || !strings.Contains(d.problems[0].Hint, "agents/prompts/") {
		t.Error(d.problems)
	}
}

func TestToolResults(t *testing.T) {
	for value, want := range map[string]engine.ToolResult{
		``:                                       {Status: engine.ToolSuccess},
		`null`:                                   {Status: engine.ToolSuccess},
		`"text"`:                                 {Status: engine.ToolSuccess, Result: "text"},
		`{"a":1}`:                                {Status: engine.ToolSuccess, Result: "{\n  \"a\": 1\n}"},
		`{"status":"open"}`:                      {Status: engine.ToolSuccess, Result: "{\n  \"status\": \"open\"\n}"},
		`[1]`:                                    {Status: engine.ToolSuccess, Result: "[\n  1\n]"},
		`{"status":"success","result":"r"}`:      {Status: engine.ToolSuccess, Result: "r"},
		`{"status":"success","result":{"a":[]}}`: {Status: engine.ToolSuccess, Result: "{\n  \"a\": []\n}"},
		`{"status":"error","error":"e","error_code":"c","error_data":{"x":1}}`:                                  {Status: engine.ToolError, Error: "e", ErrorCode: "c", ErrorData: json.RawMessage(`{"x":1}`)},
		`{"status":"error","result":"why"}`:                                                                     {Status: engine.ToolError, Result: "why", Error: "why"},
		`{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`:                  {Status: engine.ToolSuccess, Result: "a\nb"},
		`{"status":"success","attachments":[{"name":"n","mimeType":"text/plain","data":"aGk="},{"path":"/x"}]}`: {Status: engine.ToolSuccess, Attachments: []engine.NewAttachment{{Attachment: engine.Attachment{Name: "n", MimeType: "text/plain"}, Data: []byte("hi")}, {Attachment: engine.Attachment{Path: "/x"}}}},
	} {
		if diff := cmp.Diff(&want, toolResult(json.RawMessage(value))); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
}
