//go:build unix

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

// BenchmarkText is a streamed answer of 200 small chunks.
func BenchmarkText(b *testing.B) {
	var body strings.Builder
	for range 200 {
		body.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741570283,"model":"gpt-4o","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n")
	}
	body.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	srv := serveQuiet(b, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write([]byte(body.String()))
	})
	m := open(b, Options{}, &engine.ModelDef{Model: "gpt-4o", Provider: "openai"}, "OPENAI_API_KEY", testKey, "OPENAI_BASE_URL", srv)
	benchGenerate(b, m, ask("hi"))
}

func BenchmarkAnthropic(b *testing.B) {
	srv := serveQuiet(b, replay(b, 200, "anthropic/thinking_tool.sse"))
	m := open(b, Options{}, &engine.ModelDef{Model: "claude", Provider: "anthropic"}, "ANTHROPIC_API_KEY", testKey, "ANTHROPIC_BASE_URL", srv)
	benchGenerate(b, m, &engine.ModelRequest{Messages: history(20)})
}

func BenchmarkGoogle(b *testing.B) {
	srv := serveQuiet(b, replay(b, 200, "google/tool_call.sse"))
	m := open(b, Options{}, &engine.ModelDef{Model: "gemini-2.5-flash", Provider: "google"}, "GOOGLE_API_KEY", testKey, "GOOGLE_BASE_URL", srv)
	benchGenerate(b, m, &engine.ModelRequest{Messages: history(20)})
}

// BenchmarkEncode is the request of BenchmarkOpenAI, written and not sent.
func BenchmarkEncode(b *testing.B) {
	m := &chatModel{}
	req := &engine.ModelRequest{Model: &engine.ModelDef{Model: "gpt-4o"}, System: strings.Repeat("You are helpful. ", 30), Messages: history(20)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.encode(req, true, true); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is what a step pays before its call.
func BenchmarkOpen(b *testing.B) {
	r := New(Options{})
	def, getenv := &engine.ModelDef{Model: "m", Provider: "openai"}, env("OPENAI_API_KEY", testKey, "OPENAI_BASE_URL", "http://localhost:1/v1")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Open(context.Background(), def, getenv); err != nil {
			b.Fatal(err)
		}
	}
}
