package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/gofrs/uuid/v5"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// BenchmarkSpawn spawns 1,000 non-blocking children of one parent, each of which
// ends by sessionStop in its first step, and waits until the tree has settled.
func BenchmarkSpawn(b *testing.B) {
	const children = 1000
	for range b.N {
		b.StopTimer()
		ctx := context.Background()
		newID := func() string { return uuid.Must(uuid.NewV7()).String() }
		store, err := storage.Open(ctx, storage.Options{Dir: b.TempDir(), Now: time.Now, NewID: newID})
		if err != nil {
			b.Fatal(err)
		}
		e := engine.New(engine.Config{Store: store, Project: engine.FixedProject{Defs: spawnProject()}, Models: spawnModels(children),
			Scripts: okScripts{}, Now: time.Now, NewID: newID, After: time.After})
		if err := e.Start(ctx, engine.HostScope{}); err != nil {
			b.Fatal(err)
		}
		thread, err := e.Control().CreateThread(ctx, engine.CreateThread{Agent: "parent"})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		turn, err := e.Control().SubmitTurn(ctx, engine.SubmitTurn{ThreadID: thread.ThreadID, Content: "go"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := e.Control().WaitTurn(ctx, turn.TurnID); err != nil {
			b.Fatal(err)
		}
		if err := e.Control().WaitSettled(ctx, thread.SessionID); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		list, err := e.Control().Children(ctx, thread.ThreadID)
		if err != nil || len(list) != children {
			b.Fatalf("%d children, %v", len(list), err)
		}
		for _, c := range list {
			if c.Status != "terminated" {
				b.Fatalf("child %s is %s", c.Reference, c.Status)
			}
		}
		if err := e.Stop(ctx); err != nil {
			b.Fatal(err)
		}
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(children)*float64(b.N)/b.Elapsed().Seconds(), "children/s")
}

func spawnProject() *engine.Definitions {
	zero := 0.0
	model := func(name string) *engine.ModelDef {
		return &engine.ModelDef{Name: name, Model: name, Provider: "test", InputPrice: &zero, OutputPrice: &zero}
	}
	text := []engine.PromptPart{{Type: engine.PartText, Value: "Work."}}
	return &engine.Definitions{
		Agents: map[string]*engine.Agent{
			"parent": {Name: "parent", Type: engine.AIHuman, SideA: engine.SideConfig{Prompt: "parent", StopOnResponse: true}},
			"child": {Name: "child", Type: engine.DualAI, MaxSessionTurns: 3, ExposeAsTool: true,
				SideA: engine.SideConfig{Prompt: "child", StopOnResponse: true, SessionStop: &engine.SessionBinding{Name: "done"}},
				SideB: &engine.SideConfig{Prompt: "child", StopOnResponse: true}},
		},
		Prompts: map[string]*engine.Prompt{
			"parent": {Name: "parent", Parts: text, Model: "parent", Tools: []engine.ToolEntry{{Name: "child"}}},
			"child":  {Name: "child", Parts: text, Model: "child", Tools: []engine.ToolEntry{{Name: "done", Blocking: true}}},
		},
		Models: map[string]*engine.ModelDef{"parent": model("parent"), "child": model("child")},
		Tools:  map[string]*engine.Tool{"done": {Name: "done", Description: "ends"}},
	}
}

func spawnModels(children int) *provider.Scripted {
	calls := make([]engine.ToolCall, children)
	for i := range calls {
		calls[i] = provider.Call(fmt.Sprintf("c%d", i), "child", "{}")
	}
	first := true
	return &provider.Scripted{Answer: func(_ context.Context, req *engine.ModelRequest) provider.Reply {
		switch {
		case req.Model.Name == "child":
			return provider.Reply{Calls: []engine.ToolCall{provider.Call("d", "done", "{}")}}
		case first:
			first = false
			return provider.Reply{Calls: calls}
		default:
			return provider.Reply{Text: "noted"}
		}
	}}
}

// okScripts answers every tool call with success.
type okScripts struct{}

func (okScripts) CallTool(context.Context, *engine.Tool, json.RawMessage, *engine.ThreadState) (*engine.ToolResult, error) {
	return &engine.ToolResult{Status: engine.ToolSuccess, Result: "ok"}, nil
}

func (okScripts) CallHook(context.Context, *engine.Hook, []json.RawMessage, *engine.ThreadState) (json.RawMessage, error) {
	return nil, nil
}

func (okScripts) CallEffect(context.Context, *engine.EffectDef, json.RawMessage, *engine.ThreadState) error {
	return nil
}
