package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/uuid/v5"
	"golang.org/x/sync/errgroup"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// stepsOfThread leaves a history of 19 messages: one of the user, and two a step.
const stepsOfThread = 9

// toolCallAnswer is a streamed chat completion that calls a tool.
const toolCallAnswer = `data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":""}}]}}]}

data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}]}}]}

data: {"id":"r1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"id":"r1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":80,"completion_tokens":12,"total_tokens":92}}

data: [DONE]

`

// BenchmarkStep measures durable steps: a model call over local HTTP, its answer
// stored, a trivial tool, its result stored, each with the disk's sync, in threads
// of up to 20 messages.
func BenchmarkStep(b *testing.B) {
	for _, threads := range []int{1, 100} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) { benchSteps(b, threads) })
	}
}

func benchSteps(b *testing.B, threads int) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, toolCallAnswer)
	}))
	defer server.Close()
	ctx := context.Background()
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	store, err := storage.Open(ctx, storage.Options{Dir: b.TempDir(), NewID: newID, FileKey: true})
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	e := engine.New(engine.Config{Store: store, Project: engine.FixedProject{Defs: stepProject()}, Models: provider.New(provider.Options{}),
		Scripts: weather{}, Now: time.Now, NewID: newID, After: time.After, ProcessEnv: serverEnv(server.URL + "/v1")})
	if err := e.Start(ctx, engine.HostScope{}); err != nil {
		b.Fatal(err)
	}
	defer e.Stop(ctx)
	var left atomic.Int64
	left.Store(int64(b.N))
	var group errgroup.Group
	b.ReportAllocs()
	b.ResetTimer()
	for range threads {
		group.Go(func() error {
			for n := left.Add(-stepsOfThread); n > -stepsOfThread; n = left.Add(-stepsOfThread) {
				if err := runSteps(ctx, e.Control(), min(stepsOfThread, stepsOfThread+int(n))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// runSteps runs n steps in a thread of its own.
func runSteps(ctx context.Context, c *engine.ControlPlane, n int) error {
	thread, err := c.CreateThread(ctx, engine.CreateThread{Agent: "weather"})
	if err != nil {
		return err
	}
	turn, err := c.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: thread.ThreadID, Content: "What is the weather in Oslo?", Options: engine.TurnOptions{MaxSteps: n}})
	if err != nil {
		return err
	}
	end, err := c.WaitTurn(ctx, turn.TurnID)
	if err == nil && (end.Steps != n || end.StopReason != engine.StopMaxTotalSteps) {
		err = fmt.Errorf("%d steps, not %d: %s %s", end.Steps, n, end.StopReason, end.Error)
	}
	return err
}

func stepProject() *engine.Definitions {
	return &engine.Definitions{
		Agents: map[string]*engine.Agent{"weather": {Name: "weather", Type: engine.AIHuman, SideA: engine.SideConfig{Prompt: "weather", StopOnResponse: true}}},
		Prompts: map[string]*engine.Prompt{"weather": {Name: "weather", Model: "fast", IncludeChat: true, Tools: []engine.ToolEntry{{Name: "get_weather"}},
			Parts: []engine.PromptPart{{Type: engine.PartText, Value: "You tell people what the weather is like."}}}},
		Models: map[string]*engine.ModelDef{"fast": {Name: "fast", Model: "fast", Provider: "openai"}},
		Tools: map[string]*engine.Tool{"get_weather": {Name: "get_weather", Description: "The weather of a city.",
			Args: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}`)}},
	}
}

func serverEnv(base string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := map[string]string{"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": base}[name]
		return v, ok
	}
}

// weather is engine.Scripts with one tool.
type weather struct{ engine.Scripts }

func (weather) CallTool(context.Context, *engine.Tool, json.RawMessage, *engine.ThreadState) (*engine.ToolResult, error) {
	return &engine.ToolResult{Status: engine.ToolSuccess, Result: "4 degrees, rain"}, nil
}
