package agents

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

func TestMain(m *testing.M) {
	worker.MainIfAsked()
	os.Exit(m.Run())
}

// files is a project: path -> text.
type files map[string]string

func (f files) write(t testing.TB, dir string) {
	t.Helper()
	for name, text := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// with is f and more.
func (f files) with(more files) files {
	out := files{}
	for _, m := range []files{f, more} {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

// basic is a small project without problems.
var basic = files{
	"agents/agents/support.ts": `import { defineAgent } from "@standardagents/spec";
export default defineAgent({ name: "support", sideA: { prompt: "support" } });`,
	"agents/prompts/support.ts": `import { definePrompt } from "@standardagents/spec";
export default definePrompt({ name: "support", toolDescription: "d", prompt: "Help.", model: "m", includeChat: true, tools: ["add"] });`,
	"agents/models/m.ts": `import { defineModel } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
export default defineModel({ name: "m", provider: openai, model: "gpt" });`,
	"agents/tools/add.ts": `import { defineTool } from "@standardagents/spec";
import { z } from "zod";
export default defineTool({
  description: "Adds.",
  args: z.object({ a: z.number(), b: z.number().default(2) }),
  execute: async (state, { a, b }) => ({ status: "success", result: String(a + b) }),
});`,
}

// openFiles opens a project that is written for the test. A second one in the
// same directory has the same cache.
func openFiles(t testing.TB, f files, change func(*Options)) *Project {
	t.Helper()
	dir := t.TempDir()
	f.write(t, dir)
	return openDir(t, dir, change)
}

func openDir(t testing.TB, dir string, change func(*Options)) *Project {
	t.Helper()
	o := Options{Dir: dir, NoWatch: true, VMs: 1, Logf: t.Logf}
	if change != nil {
		change(&o)
	}
	p, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// noProblems fails where the project has any.
func noProblems(t testing.TB, p *Project) *engine.Definitions {
	t.Helper()
	defs := p.Definitions()
	if len(defs.Problems) > 0 {
		b, _ := json.MarshalIndent(defs.Problems, "", "  ")
		t.Fatalf("problems: %s", b)
	}
	return defs
}

// callNamed calls a tool of the project.
func callNamed(t testing.TB, p *Project, name, args string, h stateHost) *engine.ToolResult {
	t.Helper()
	tool := p.Definitions().Tools[name]
	if tool == nil {
		t.Fatalf("no tool %s: %+v", name, p.Definitions().Problems)
	}
	r, err := p.callTool(context.Background(), tool, json.RawMessage(args), h)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fakeHost is a thread without a runtime: it answers from its fields and
// remembers what it was asked.
type fakeHost struct {
	facts   engine.Info
	answers map[string]func(args json.RawMessage) (any, error)

	mu    sync.Mutex
	asked []string // "method args"
}

func newFake() *fakeHost {
	h := &fakeHost{answers: map[string]func(json.RawMessage) (any, error){}}
	h.facts = engine.Info{ThreadID: "thread", AgentID: "support", CreatedAt: 7, Context: json.RawMessage(`{"n":1}`)}
	h.facts.Execution = &engine.ExecutionInfo{FlowID: "flow", CurrentSide: engine.SideA, PromptPath: []string{"support"}}
	return h
}

func (h *fakeHost) info(context.Context) (*engine.Info, error) { return &h.facts, nil }

func (h *fakeHost) history(context.Context) ([]engine.Message, error) {
	text := "hi"
	return []engine.Message{{ID: "1", Role: engine.RoleUser, Content: &text}}, nil
}

func (h *fakeHost) do(_ context.Context, method string, args json.RawMessage) (any, error) {
	h.mu.Lock()
	h.asked = append(h.asked, method+" "+string(args))
	f := h.answers[method]
	h.mu.Unlock()
	if f == nil {
		return nil, nil
	}
	return f(args)
}

func (h *fakeHost) log() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.asked...)
}

func TestOpenAndCallATool(t *testing.T) {
	p := openFiles(t, basic, nil)
	defs := noProblems(t, p)
	if got := string(defs.Tools["add"].Args); got != `{"type":"object","properties":{"a":{"type":"number"},"b":{"default":2,"type":"number"}},"required":["a"],"additionalProperties":false}` {
		t.Errorf("args: %s", got)
	}
	if m := defs.Models["m"]; m.Provider != "openai" || m.Script {
		t.Errorf("model: %+v", m)
	}
	if r := callNamed(t, p, "add", `{"a":40}`, newFake()); r.Status != engine.ToolSuccess || r.Result != "42" {
		t.Errorf("result: %+v", r)
	}
	r := callNamed(t, p, "add", `{"a":"x","b":null}`, newFake())
	if r.Status != engine.ToolError || r.ErrorCode != "invalid_arguments" {
		t.Fatalf("result: %+v", r)
	}
	if want := "[a] Invalid input: expected number, received string; [b] Invalid input: expected number, received null"; r.Error != want {
		t.Errorf("error: %s", r.Error)
	}
}

func TestFindLooksUpwards(t *testing.T) {
	dir := t.TempDir()
	basic.write(t, dir)
	deep := filepath.Join(dir, "src", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, ok := Find(deep); !ok || got != dir {
		t.Errorf("Find = %q, %v", got, ok)
	}
	if got, ok := Find(t.TempDir()); ok {
		t.Errorf("found %q", got)
	}
}

func TestOpenWithoutAProjectSaysWhatToDo(t *testing.T) {
	_, err := Open(context.Background(), Options{Dir: t.TempDir()})
	var e *engine.Error
	if !errors.As(err, &e) || e.Code != engine.CodeNotFound {
		t.Fatal(err)
	}
}
