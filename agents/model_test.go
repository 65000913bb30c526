package agents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

var scripted = files{
	"agents/models/played.ts": `import { defineModel } from "@standardagents/spec";
import { TestScript, createTestProvider } from "@standardagents/builder/test";
const script = TestScript.create()
  .addTextResponse("one two")
  .addToolCallResponse([{ name: "add", arguments: { a: 1 }, id: "c1" }], "calling")
  .addErrorResponse("slow down", "rate_limit", 429)
  .addReasoningResponse("answer", "thought")
  .addTextResponse("late", { delayMs: 3600000 })
  .withStreamingSimulation({ chunkSize: 4, chunkDelayMs: 0 });
export default defineModel({ name: "played", provider: createTestProvider(script), model: "test" });`,
	"agents/models/own.ts": `import { defineModel } from "@standardagents/spec";
import echo from "../providers/echo";
export default defineModel({ name: "own", provider: echo, model: "echo-1" });`,
	"agents/models/named.ts": `export default { name: "named", provider: "echo-server", model: "echo-2" };`,
	"agents/providers/echo.ts": `import { defineProvider, ProviderError } from "@standardagents/spec";
export default defineProvider({ name: "echo-server", create: (config: any) => ({
  name: "echo-server", specificationVersion: "1",
  generate: async (request: any) => {
    if (request.messages[0].content === "fail") throw Object.assign(new ProviderError("wait", "rate_limit", 429), { retryAfter: 1.5 });
    if (request.messages[0].content === "break") return request.nothing.at.all;
    const { signal, ...seen } = request;
    return { content: JSON.stringify({ config, seen }), finishReason: "stop", usage: { promptTokens: 3, completionTokens: 4, totalTokens: 7, cost: 0.5 } };
  },
}) });`,
}

func openModel(t *testing.T, p *Project, name string, env map[string]string) engine.Model {
	t.Helper()
	def := noProblems(t, p).Models[name]
	if def == nil || !def.Script {
		t.Fatalf("%s: %+v", name, def)
	}
	m, err := p.Open(context.Background(), def, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestScriptedModelAnswersByCallIndex(t *testing.T) {
	p := openFiles(t, scripted, nil)
	m := openModel(t, p, "played", nil)
	ask := func(i int) (*engine.ModelResponse, []engine.ModelDelta, error) {
		var deltas []engine.ModelDelta
		r, err := m.Generate(context.Background(), &engine.ModelRequest{CallIndex: i, Messages: []engine.ModelMessage{{Role: engine.RoleUser, Parts: engine.TextParts("hi")}}},
			func(d engine.ModelDelta) { deltas = append(deltas, d) })
		return r, deltas, err
	}
	r, deltas, err := ask(1)
	if err != nil || r.Text != "calling" || r.FinishReason != engine.FinishToolCalls || !r.UsageKnown {
		t.Fatalf("%+v %v", r, err)
	}
	if diff := cmp.Diff([]engine.ToolCall{{ID: "c1", Name: "add", Arguments: `{"a":1}`}}, r.ToolCalls); diff != "" {
		t.Error(diff)
	}
	want := []engine.ModelDelta{{Kind: engine.DeltaText, Text: "call"}, {Kind: engine.DeltaText, Text: "ing"}, {Kind: engine.DeltaToolCall, ToolName: "add"}}
	if diff := cmp.Diff(want, deltas); diff != "" {
		t.Error(diff)
	}
	if r, _, err = ask(0); err != nil || r.Text != "one two" || r.FinishReason != engine.FinishStop {
		t.Errorf("an earlier answer again: %+v %v", r, err)
	}
	if r, _, err = ask(3); err != nil || r.Text != "answer" || r.Reasoning != "thought" {
		t.Errorf("%+v %v", r, err)
	}
	var e *engine.ModelError
	if _, _, err = ask(2); !errors.As(err, &e) || e.Kind != engine.ModelRateLimit || e.HTTPStatus != 429 || e.Message != "slow down" {
		t.Errorf("%v", err)
	}
	if _, _, err = ask(9); !errors.As(err, &e) || e.Kind != engine.ModelInvalidRequest {
		t.Errorf("%v", err)
	}
}

func TestAbortEndsAScriptedDelay(t *testing.T) {
	p := openFiles(t, scripted, nil)
	m := openModel(t, p, "played", nil)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Generate(ctx, &engine.ModelRequest{CallIndex: 4}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestProjectProviderGetsTheWholeRequest(t *testing.T) {
	p := openFiles(t, scripted, nil)
	m := openModel(t, p, "own", map[string]string{"ECHO_SERVER_API_KEY": "k", "ECHO_SERVER_BASE_URL": "http://x"})
	yes := true
	r, err := m.Generate(context.Background(), &engine.ModelRequest{
		Model: p.Definitions().Models["own"], System: "be brief", User: "thread", ToolChoice: "required", ParallelToolCalls: &yes,
		MaxOutputTokens: 9, Reasoning: &engine.Reasoning{Effort: "medium"}, ProviderOptions: json.RawMessage(`{"o":1}`),
		Tools: []engine.ModelTool{{Name: "add", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}},
		Messages: []engine.ModelMessage{
			{Role: engine.RoleUser, Parts: []engine.ContentPart{{Text: "see"}, {MediaType: "image/png", Data: []byte{1}}}},
			{Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: "c", Name: "add", Arguments: `{"a":1}`}, {ID: "d", Name: "add", Arguments: `{bad`}}},
			{Role: engine.RoleTool, ToolCallID: "c", ToolName: "add", Parts: engine.TextParts("2")},
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"config":{"apiKey":"k","baseUrl":"http://x"},"seen":{"model":"echo-1","messages":[` +
		`{"role":"system","content":"be brief"},` +
		`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","data":"AQ==","mediaType":"image/png"}]},` +
		`{"role":"assistant","content":null,"toolCalls":[{"id":"c","name":"add","arguments":{"a":1}},{"id":"d","name":"add","arguments":"{bad"}]},` +
		`{"role":"tool","content":"2","toolCallId":"c","toolName":"add"}],` +
		`"tools":[{"type":"function","function":{"name":"add","description":"d","parameters":{"type":"object"}}}],` +
		`"toolChoice":"required","parallelToolCalls":true,"maxOutputTokens":9,"reasoning":{"level":66},"providerOptions":{"o":1},"user":"thread","__callIndex":0}}`
	if diff := cmp.Diff(want, r.Text); diff != "" {
		t.Error(diff)
	}
	if r.Usage.TotalTokens != 7 || r.Cost == nil || *r.Cost != 0.5 {
		t.Errorf("%+v", r)
	}
}

func TestAModelMayNameAProviderOfTheProject(t *testing.T) {
	p := openFiles(t, scripted, nil)
	r, err := openModel(t, p, "named", nil).Generate(context.Background(), &engine.ModelRequest{
		Messages: []engine.ModelMessage{{Role: engine.RoleUser, Parts: engine.TextParts("hi")}}}, nil)
	if err != nil || !strings.Contains(r.Text, `"content":"hi"`) {
		t.Errorf("%+v %v", r, err)
	}
}

func TestProviderFailuresAreModelErrors(t *testing.T) {
	p := openFiles(t, scripted, nil)
	m := openModel(t, p, "own", nil)
	ask := func(text string) error {
		_, err := m.Generate(context.Background(), &engine.ModelRequest{Messages: []engine.ModelMessage{{Role: engine.RoleUser, Parts: engine.TextParts(text)}}}, nil)
		return err
	}
	var e *engine.ModelError
	if err := ask("fail"); !errors.As(err, &e) || e.Kind != engine.ModelRateLimit || e.RetryAfter != 1500*time.Millisecond {
		t.Errorf("%v", err)
	}
	if err := ask("break"); !errors.As(err, &e) || e.Kind != engine.ModelUnknown || !strings.Contains(e.Message, "TypeError") {
		t.Errorf("%v", err)
	}
}

func TestModelsHaveASmallProgramOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	var first map[string]*program
	for range 2 { // linked, then from the cache
		p, err := Builtin(context.Background(), Options{CacheDir: dir, VMs: 1, Logf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		s := p.snapshot.Load()
		models, tools := s.programs["agents/models/tour.ts"], s.programs["agents/tools/roll_dice.ts"]
		if models.id == tools.id || strings.Contains(models.code, "sideb:zod") || !strings.Contains(tools.code, "sideb:zod") {
			t.Error("models and tools share a program")
		}
		if got := s.first(); len(got) != 1 || got[models.id] == nil {
			t.Errorf("%d programs are loaded at once", len(got))
		}
		if first == nil {
			first = s.first()
		} else if first[models.id] == nil {
			t.Error("the cache gave another program")
		}
	}
}
