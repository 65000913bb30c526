package provider

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// history is a conversation of n messages with tool calls.
func history(n int) []engine.ModelMessage {
	msgs := []engine.ModelMessage{{Role: engine.RoleUser, Parts: engine.TextParts("What is the weather in Oslo?")}}
	for i := 1; len(msgs) < n; i++ {
		id := engine.ToolCallID(fmt.Sprintf("call_%d", i))
		msgs = append(msgs,
			engine.ModelMessage{Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: id, Name: "get_weather", Arguments: `{"city":"Oslo"}`}}},
			engine.ModelMessage{Role: engine.RoleTool, ToolCallID: id, ToolName: "get_weather", Parts: engine.TextParts(`{"temperature":4,"sky":"rain"}`)})
	}
	return msgs[:n]
}

func cpu() int64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return (u.Utime.Nano() + u.Stime.Nano()) / 1000
}

// BenchmarkOpenAI is one streamed step with a tool call and a history of 20
// messages; the server is in the same process, so cpu-µs/op holds both ends.
func BenchmarkOpenAI(b *testing.B) {
	body := fixture(b, "openai/tool_call.sse")
	s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(body)
	})
	srv := serveQuiet(b, s)
	m := open(b, Options{}, &engine.ModelDef{Model: "gpt-4o", Provider: "openai"}, "OPENAI_API_KEY", testKey, "OPENAI_BASE_URL", srv)
	req := &engine.ModelRequest{System: strings.Repeat("You are helpful. ", 30), Messages: history(20),
		Tools: []engine.ModelTool{{Name: "get_weather", Description: "The weather of a city", Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}}}
	benchGenerate(b, m, req)
}

func benchGenerate(b *testing.B, m engine.Model, req *engine.ModelRequest) {
	b.ReportAllocs()
	start := cpu()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := m.Generate(context.Background(), req, func(engine.ModelDelta) {}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(cpu()-start)/float64(b.N), "cpu-µs/op")
}
