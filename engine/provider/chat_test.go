package provider

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func TestChatStreamsToolCalls(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/tool_call.sse"))
	resp, deltas, err := collect(t, openAI(t, s, testOptions()), ask("weather in Oslo?"))
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.ToolCall{
		{ID: "call_9rqkBzEIpZEoCxm1bGPqVwxK", Name: "get_weather", Arguments: `{"city":"Oslo"}`},
		{ID: "call_k2Vd0yQwq1TzE4mB8nRj5sXu", Name: "get_time", Arguments: `{}`},
	}
	if !reflect.DeepEqual(resp.ToolCalls, want) {
		t.Errorf("tool calls %+v, want %+v", resp.ToolCalls, want)
	}
	if resp.FinishReason != engine.FinishToolCalls {
		t.Errorf("finish reason %q", resp.FinishReason)
	}
	usage := engine.Usage{PromptTokens: 1320, CompletionTokens: 37, TotalTokens: 1357, CachedTokens: 1152, ReasoningTokens: 12}
	if !resp.UsageKnown || resp.Usage != usage {
		t.Errorf("usage %+v", resp.Usage)
	}
	if resp.ResponseID != "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG" || resp.ProviderModel != "gpt-4o-2024-08-06" {
		t.Errorf("id %q, model %q", resp.ResponseID, resp.ProviderModel)
	}
	if got := deltaText(deltas, engine.DeltaToolCall); got != "get_weatherget_time" {
		t.Errorf("announced %q", got)
	}
	if got := s.heads[0].Get("Authorization"); got != "Bearer "+testKey {
		t.Errorf("authorization %q", got)
	}
	if s.paths[0] != "/v1/chat/completions" {
		t.Errorf("path %q", s.paths[0])
	}
}

func TestChatWithoutStreaming(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/text.json"))
	no := false
	req := ask("hi")
	req.Model = &engine.ModelDef{Model: "gpt-4.1", Capabilities: engine.ModelCapabilities{SupportsStreaming: &no}}
	resp, deltas, err := collect(t, openAI(t, s, testOptions()), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hello! How can I help?" || deltaText(deltas, engine.DeltaText) != resp.Text || resp.Usage.TotalTokens != 29 {
		t.Errorf("got %+v", resp)
	}
	if _, streamed := s.last(t)["stream"]; streamed {
		t.Error("asked for a stream")
	}
}

// A server may ignore the wish for a stream.
func TestChatAnswersJSONToAStreamRequest(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/text.json"))
	resp, _, err := collect(t, openAI(t, s, testOptions()), ask("hi"))
	if err != nil || resp.Text != "Hello! How can I help?" {
		t.Fatalf("%+v, %v", resp, err)
	}
}

func TestChatOpenRouter(t *testing.T) {
	s := serve(t, replay(t, 200, "openrouter/reasoning.sse"))
	m := open(t, testOptions(), &engine.ModelDef{Model: "anthropic/claude-sonnet-4", Provider: "openrouter", IncludedProviders: []string{"anthropic"}},
		"OPENROUTER_API_KEY", testKey, "OPENROUTER_BASE_URL", s.URL)
	req := ask("greet me in Norwegian")
	req.Reasoning = &engine.Reasoning{Effort: "low"}
	resp, deltas, err := collect(t, m, req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hei!" || resp.Reasoning != "The user wants a greeting." || deltaText(deltas, engine.DeltaReasoning) != resp.Reasoning {
		t.Errorf("text %q, reasoning %q", resp.Text, resp.Reasoning)
	}
	details := []engine.ReasoningDetail{{Type: "text", Text: "The user wants a greeting.", Data: "EqQBCkYIBRgCKkD0", Format: "anthropic-claude-v1"}}
	if !reflect.DeepEqual(resp.ReasoningDetails, details) {
		t.Errorf("details %+v", resp.ReasoningDetails)
	}
	if resp.Cost == nil || *resp.Cost != 0.000897 {
		t.Errorf("cost %v", resp.Cost)
	}
	if len(resp.Images) != 1 || resp.Images[0].MediaType != "image/png" || len(resp.Images[0].Data) != 8 {
		t.Errorf("images %+v", resp.Images)
	}
	body := s.last(t)
	for field, want := range map[string]any{
		"reasoning": map[string]any{"effort": "low"},
		"provider":  map[string]any{"only": []any{"anthropic"}},
		"usage":     map[string]any{"include": true},
	} {
		if !reflect.DeepEqual(body[field], want) {
			t.Errorf("%s is %v, want %v", field, body[field], want)
		}
	}

	req.Messages = append(req.Messages, engine.ModelMessage{Role: engine.RoleAssistant, Parts: engine.TextParts(resp.Text), Reasoning: resp.Reasoning, ReasoningDetails: resp.ReasoningDetails},
		engine.ModelMessage{Role: engine.RoleUser, Parts: engine.TextParts("again")})
	if _, _, err := collect(t, m, req); err != nil {
		t.Fatal(err)
	}
	sent := s.last(t)["messages"].([]any)[1].(map[string]any)["reasoning_details"]
	want := []any{map[string]any{"type": "reasoning.text", "text": "The user wants a greeting.", "signature": "EqQBCkYIBRgCKkD0", "format": "anthropic-claude-v1", "index": 0.0}}
	if !reflect.DeepEqual(sent, want) {
		t.Errorf("sent back %v", sent)
	}
}

func TestChatGroqReasoningAndUsage(t *testing.T) {
	s := serve(t, replay(t, 200, "groq/reasoning.sse"))
	m := open(t, testOptions(), &engine.ModelDef{Model: "openai/gpt-oss-20b", Provider: "groq"}, "GROQ_API_KEY", testKey, "GROQ_BASE_URL", s.URL+"/openai/v1/")
	resp, _, err := collect(t, m, ask("2+2"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "4" || resp.Reasoning != "Two plus two." || !resp.UsageKnown || resp.Usage.ReasoningTokens != 20 {
		t.Errorf("%+v", resp)
	}
	if s.paths[0] != "/openai/v1/chat/completions" {
		t.Errorf("path %q", s.paths[0])
	}
}

// Carriage returns, no ids, no indices, arguments as an object, no usage, no
// [DONE], no blank line at the end, stop instead of tool_calls.
func TestChatLooseServer(t *testing.T) {
	s := serve(t, replay(t, 200, "compatible/loose.sse"))
	m := open(t, testOptions(), &engine.ModelDef{Model: "x", Provider: "my-lab"}, "MY_LAB_BASE_URL", s.URL)
	resp, deltas, err := collect(t, m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.ToolCall{{ID: "call_id1", Name: "now", Arguments: "{}"}, {ID: "call_id2", Name: "add", Arguments: `{"a":1}`}}
	if !reflect.DeepEqual(resp.ToolCalls, want) {
		t.Errorf("tool calls %+v", resp.ToolCalls)
	}
	if resp.Text != "Ok." || resp.Reasoning != "Hm." || deltaText(deltas, engine.DeltaReasoning) != "Hm." {
		t.Errorf("%+v", resp)
	}
	if resp.UsageKnown || resp.FinishReason != engine.FinishToolCalls {
		t.Errorf("usage known %v, finish %q", resp.UsageKnown, resp.FinishReason)
	}
	if s.heads[0].Get("Authorization") != "" {
		t.Error("a key was sent that nobody set")
	}
}

func TestChatRequestBody(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/tool_call.sse"))
	yes := true
	png := engine.ContentPart{MediaType: "image/png", Data: []byte("png"), Name: "a.png"}
	req := &engine.ModelRequest{
		System: "Be brief.\n\"Quoted\" \x01 é \xff",
		Messages: []engine.ModelMessage{
			{Role: engine.RoleUser, Parts: []engine.ContentPart{{Text: "look"}, {Text: ""}, png}},
			{Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: "c1", Name: "shot", Arguments: "", Extra: []byte(`{"google":{"thought_signature":"s"}}`)}, {ID: "c2", Name: "bad", Arguments: `{"a":`}}},
			{Role: engine.RoleTool, ToolCallID: "c1", ToolName: "shot", Parts: []engine.ContentPart{{Text: "done"}, png}},
			{Role: engine.RoleTool, ToolCallID: "c2", ToolName: "bad", ToolError: true, Parts: engine.TextParts("invalid")},
			{Role: engine.RoleAssistant},
			{Role: engine.RoleUser, Parts: engine.TextParts("go on")},
		},
		Tools:             []engine.ModelTool{{Name: "shot", Description: "Takes a picture", Parameters: []byte(`{"type":"object","properties":{}}`)}},
		ToolChoice:        "required",
		ParallelToolCalls: &yes,
		MaxOutputTokens:   100,
		Reasoning:         &engine.Reasoning{Effort: "medium"},
		ProviderOptions:   []byte(`{"temperature":0.5,"max_tokens":7}`),
		User:              "thread-1",
	}
	if _, _, err := collect(t, openAI(t, s, testOptions()), req); err != nil {
		t.Fatal(err)
	}
	image := map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,cG5n"}}
	want := map[string]any{
		"model": "gpt-4o",
		"messages": []any{
			map[string]any{"role": "system", "content": "Be brief.\n\"Quoted\" \x01 é \ufffd"},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "look"}, image}},
			map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{
				map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "shot", "arguments": "{}"}, "extra_content": map[string]any{"google": map[string]any{"thought_signature": "s"}}},
				map[string]any{"id": "c2", "type": "function", "function": map[string]any{"name": "bad", "arguments": `{"malformed_arguments":"{\"a\":"}`}},
			}},
			map[string]any{"role": "tool", "tool_call_id": "c1", "content": "done"},
			map[string]any{"role": "tool", "tool_call_id": "c2", "content": "invalid"},
			map[string]any{"role": "user", "content": []any{image}},
			map[string]any{"role": "user", "content": "go on"},
		},
		"tools":               []any{map[string]any{"type": "function", "function": map[string]any{"name": "shot", "description": "Takes a picture", "parameters": map[string]any{"type": "object", "properties": map[string]any{}}}}},
		"tool_choice":         "required",
		"parallel_tool_calls": true,
		"reasoning_effort":    "medium",
		"user":                "thread-1",
		"stream":              true,
		"stream_options":      map[string]any{"include_usage": true},
		"temperature":         0.5,
		"max_tokens":          7.0,
	}
	got := s.last(t)
	for k := range want {
		if !reflect.DeepEqual(got[k], want[k]) {
			t.Errorf("%s:\n got %v\nwant %v", k, got[k], want[k])
		}
		delete(got, k)
	}
	if len(got) > 0 {
		t.Errorf("unexpected fields %v", got)
	}
}

func TestChatLeavesOutWhatTheModelCannot(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/tool_call.sse"))
	no := false
	req := &engine.ModelRequest{
		Model:      &engine.ModelDef{Model: "small", Capabilities: engine.ModelCapabilities{SupportsImages: &no, SupportsToolCalls: &no}},
		Messages:   []engine.ModelMessage{{Role: engine.RoleUser, Parts: []engine.ContentPart{{MediaType: "image/png", Data: []byte("png")}}}},
		Tools:      []engine.ModelTool{{Name: "a", Parameters: []byte(`{"type":"object"}`)}},
		ToolChoice: "required",
	}
	if _, _, err := collect(t, openAI(t, s, testOptions()), req); err != nil {
		t.Fatal(err)
	}
	body := s.last(t)
	if body["tools"] != nil || body["tool_choice"] != nil {
		t.Errorf("tools were sent: %v", body)
	}
	if text, ok := body["messages"].([]any)[0].(map[string]any)["content"].(string); !ok || !strings.Contains(text, "attachment") {
		t.Errorf("messages %v", body["messages"])
	}
}
