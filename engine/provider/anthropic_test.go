package provider

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func openClaude(t testing.TB, s *wireServer, def *engine.ModelDef) engine.Model {
	def.Provider = "anthropic"
	return open(t, testOptions(), def, "ANTHROPIC_API_KEY", testKey, "ANTHROPIC_BASE_URL", s.URL+"/v1/")
}

func TestAnthropicStreamsThinkingAndTools(t *testing.T) {
	s := serve(t, replay(t, 200, "anthropic/thinking_tool.sse"))
	resp, deltas, err := collect(t, openClaude(t, s, &engine.ModelDef{Model: "claude-sonnet-4-5"}), ask("weather?"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Okay, let me check." || resp.Reasoning != "I should look it up." || deltaText(deltas, engine.DeltaReasoning) != resp.Reasoning {
		t.Errorf("text %q, reasoning %q", resp.Text, resp.Reasoning)
	}
	calls := []engine.ToolCall{{ID: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", Name: "get_weather", Arguments: `{"city": "Oslo"}`}, {ID: "toolu_02", Name: "now", Arguments: "{}"}}
	if !reflect.DeepEqual(resp.ToolCalls, calls) {
		t.Errorf("calls %+v", resp.ToolCalls)
	}
	details := []engine.ReasoningDetail{
		{Type: "text", Text: "I should look it up.", Data: "EqoBCkgIARABGAIiQL2UoU0b1OHYi+yCHpBY7U6FQW8=", Format: claudeFormat},
		{Type: "encrypted", Data: "EmwKAhgBEgy3va3pzix", Format: claudeFormat}}
	if !reflect.DeepEqual(resp.ReasoningDetails, details) {
		t.Errorf("details %+v", resp.ReasoningDetails)
	}
	usage := engine.Usage{PromptTokens: 2572, CompletionTokens: 89, TotalTokens: 2661, CachedTokens: 2000}
	if resp.Usage != usage || !resp.UsageKnown || resp.FinishReason != engine.FinishToolCalls {
		t.Errorf("usage %+v, finish %q", resp.Usage, resp.FinishReason)
	}
	if resp.ResponseID != "msg_01XFDUDYJgAACzvnptvVoYEL" || resp.ProviderModel != "claude-sonnet-4-5-20250929" {
		t.Errorf("id %q, model %q", resp.ResponseID, resp.ProviderModel)
	}
	if got := deltaText(deltas, engine.DeltaToolCall); got != "get_weathernow" {
		t.Errorf("announced %q", got)
	}
	if s.paths[0] != "/v1/messages" || s.heads[0].Get("X-Api-Key") != testKey || s.heads[0].Get("Anthropic-Version") == "" {
		t.Errorf("path %q, headers %v", s.paths[0], s.heads[0])
	}
}

func TestAnthropicWithoutStreaming(t *testing.T) {
	s := serve(t, replay(t, 200, "anthropic/text.json"))
	no := false
	m := openClaude(t, s, &engine.ModelDef{Model: "c", Capabilities: engine.ModelCapabilities{SupportsStreaming: &no}})
	resp, deltas, err := collect(t, m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hi! My name is Claude." || resp.FinishReason != engine.FinishLength || resp.Usage.TotalTokens != 19 || deltaText(deltas, engine.DeltaText) != resp.Text {
		t.Errorf("%+v", resp)
	}
}

func TestAnthropicRequestBody(t *testing.T) {
	s := serve(t, replay(t, 200, "anthropic/thinking_tool.sse"))
	no := false
	req := &engine.ModelRequest{
		System: "Be brief.",
		Messages: []engine.ModelMessage{
			{Role: engine.RoleAssistant, Parts: engine.TextParts("Welcome. ")},
			{Role: engine.RoleUser, Parts: []engine.ContentPart{{Text: "look"}, {MediaType: "image/png", Data: []byte("png")}}},
			{Role: engine.RoleUser, Parts: engine.TextParts("now")},
			{Role: engine.RoleAssistant, ReasoningDetails: []engine.ReasoningDetail{
				{Type: "text", Text: "Hm", Data: "sig", Format: claudeFormat}, {Type: "text", Text: "foreign", Format: "x"}},
				ToolCalls: []engine.ToolCall{{ID: "call:1", Name: "a", Arguments: ""}, {ID: "c2", Name: "b", Arguments: `[1]`}, {ID: "c3", Name: "b", Arguments: `{`}}},
			{Role: engine.RoleTool, ToolCallID: "call:1", ToolName: "a", Parts: []engine.ContentPart{{Text: "ok"}, {MediaType: "image/png", Data: []byte("png")}}},
			{Role: engine.RoleTool, ToolCallID: "c2", ToolName: "b", ToolError: true, Parts: engine.TextParts("no")},
			{Role: engine.RoleTool, ToolCallID: "c3", ToolName: "b", ToolError: true, Parts: engine.TextParts("")},
			{Role: engine.RoleSystem, Parts: engine.TextParts("children: none")},
		},
		Tools:             []engine.ModelTool{{Name: "a", Description: "does a", Parameters: []byte(`{"type":"object"}`)}},
		ToolChoice:        "required",
		ParallelToolCalls: &no,
		MaxOutputTokens:   1000,
		Reasoning:         &engine.Reasoning{Effort: "low"},
		ProviderOptions:   []byte(`{"top_k":5}`),
		User:              "thread-1",
	}
	if _, _, err := collect(t, openClaude(t, s, &engine.ModelDef{Model: "claude-sonnet-4-5"}), req); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"model": "claude-sonnet-4-5", "max_tokens": 3048, "system": "Be brief.", "stream": true, "top_k": 5,
		"thinking": {"type": "enabled", "budget_tokens": 2048},
		"metadata": {"user_id": "thread-1"},
		"tools": [{"name": "a", "description": "does a", "input_schema": {"type": "object"}}],
		"tool_choice": {"type": "auto", "disable_parallel_tool_use": true},
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "(The conversation begins.)"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "Welcome."}]},
			{"role": "user", "content": [{"type": "text", "text": "look"},
				{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}}, {"type": "text", "text": "now"}]},
			{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm", "signature": "sig"},
				{"type": "tool_use", "id": "call_1", "name": "a", "input": {}},
				{"type": "tool_use", "id": "c2", "name": "b", "input": {"value": [1]}},
				{"type": "tool_use", "id": "c3", "name": "b", "input": {"malformed_arguments": "{"}}]},
			{"role": "user", "content": [
				{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "ok"}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cG5n"}}]},
				{"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "no"}], "is_error": true},
				{"type": "tool_result", "tool_use_id": "c3", "is_error": true},
				{"type": "text", "text": "<system>\nchildren: none\n</system>"}]}
		]}`), &want); err != nil {
		t.Fatal(err)
	}
	if got := s.last(t); !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		t.Errorf("got %s", g)
	}
}

// A tool turn that another model began can't be continued with thinking.
func TestAnthropicThinkingNeedsItsOwnBeginning(t *testing.T) {
	req := &engine.ModelRequest{Model: &engine.ModelDef{Model: "c"}, Reasoning: &engine.Reasoning{Effort: "high"},
		Messages: []engine.ModelMessage{
			{Role: engine.RoleUser, Parts: engine.TextParts("go")},
			{Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: "c1", Name: "a"}}},
			{Role: engine.RoleTool, ToolCallID: "c1", Parts: engine.TextParts("ok")}}}
	body, err := encodeMessages(req, true)
	if err != nil || strings.Contains(string(body), "thinking") {
		t.Errorf("%s, %v", body, err)
	}
	req.Messages = append(req.Messages, engine.ModelMessage{Role: engine.RoleUser, Parts: engine.TextParts("more")})
	word := "max"
	req.Model.Capabilities.ReasoningLevels = map[int]*string{0: nil, 100: &word}
	body, err = encodeMessages(req, true)
	if err != nil || !strings.Contains(string(body), `"thinking":{"type":"adaptive"},"output_config":{"effort":"max"}`) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestAnthropicErrors(t *testing.T) {
	for _, tc := range []struct {
		status int
		file   string
		header []string
		kind   engine.ModelErrorKind
		retry  time.Duration
	}{
		{401, "anthropic_401.json", nil, engine.ModelAuth, 0},
		{400, "anthropic_long.json", nil, engine.ModelContextLength, 0},
		{429, "anthropic_429.json", []string{"Retry-After", "17"}, engine.ModelRateLimit, 17 * time.Second},
		{429, "anthropic_429.json", []string{"Anthropic-Ratelimit-Requests-Remaining", "0", "Anthropic-Ratelimit-Requests-Reset", "2026-01-02T03:04:35Z"}, engine.ModelRateLimit, 30 * time.Second},
		{529, "anthropic_529.json", nil, engine.ModelServerError, 0},
	} {
		t.Run(tc.file, func(t *testing.T) {
			s := serve(t, replay(t, tc.status, "errors/"+tc.file, tc.header...))
			_, _, err := collect(t, openClaude(t, s, &engine.ModelDef{Model: "c"}), ask("hi"))
			e := mustModelError(t, err)
			if e.Kind != tc.kind || e.RetryAfter != tc.retry || e.HTTPStatus != tc.status || e.Provider != "anthropic" || e.Message == "" {
				t.Errorf("%+v", e)
			}
			if s.count() != 1 {
				t.Errorf("%d requests", s.count())
			}
		})
	}
}

func TestAnthropicErrorInTheMiddle(t *testing.T) {
	s := serve(t, replay(t, 200, "anthropic/overloaded.sse"))
	resp, _, err := collect(t, openClaude(t, s, &engine.ModelDef{Model: "c"}), ask("hi"))
	if e := mustModelError(t, err); e.Kind != engine.ModelServerError || e.Message != "Overloaded" {
		t.Errorf("%+v", e)
	}
	if resp == nil || resp.Text != "Half" {
		t.Errorf("partial response %+v", resp)
	}
}

func TestAnthropicCutAndMalformed(t *testing.T) {
	whole := string(fixture(t, "anthropic/thinking_tool.sse"))
	at := strings.Index(whole, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}")
	for name, body := range map[string]string{"cut": whole[:at], "malformed": whole[:at] + "event: content_block_stop\ndata: {]\n\n"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				send(w, body)
			})
			resp, _, err := collect(t, openClaude(t, s, &engine.ModelDef{Model: "c"}), ask("hi"))
			if e := mustModelError(t, err); e.Kind != engine.ModelNetwork {
				t.Errorf("%+v", e)
			}
			if resp == nil || resp.Text != "Okay, let me check." {
				t.Errorf("partial response %+v", resp)
			}
		})
	}
}
