package provider

import (
	"reflect"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func TestChunkOddities(t *testing.T) {
	for _, tc := range []struct {
		name   string
		chunks []string
		want   engine.ModelResponse
	}{
		{"refusal", []string{`{"choices":[{"delta":{"refusal":"I can't."},"finish_reason":"stop"}]}`},
			engine.ModelResponse{Text: "I can't.", FinishReason: engine.FinishContentFilter}},
		{"alternatives", []string{`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`, `{"choices":[{"index":1,"delta":{"content":"c"},"finish_reason":"length"}]}`},
			engine.ModelResponse{Text: "a", FinishReason: engine.FinishStop}},
		{"content in parts", []string{`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"ok"}]}}]}`},
			engine.ModelResponse{Text: "ok", Reasoning: "hm", FinishReason: engine.FinishStop}},
		{"reasoning twice", []string{`{"choices":[{"delta":{"reasoning":"hm","reasoning_content":"hm"}}]}`},
			engine.ModelResponse{Reasoning: "hm", FinishReason: engine.FinishStop}},
		{"reasoning beside the completion", []string{`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":22,"completion_tokens_details":{"reasoning_tokens":7}}}`},
			engine.ModelResponse{UsageKnown: true, Usage: engine.Usage{PromptTokens: 10, CompletionTokens: 12, TotalTokens: 22, ReasoningTokens: 7}, FinishReason: engine.FinishStop}},
		{"no total", []string{`{"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_cache_hit_tokens":4}}`},
			engine.ModelResponse{UsageKnown: true, Usage: engine.Usage{PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15, CachedTokens: 4}, FinishReason: engine.FinishStop}},
		{"all calls numbered 0", []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]}}]}`},
			engine.ModelResponse{ToolCalls: []engine.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "g", Arguments: "{}"}}, FinishReason: engine.FinishToolCalls}},
		{"a new id in every fragment", []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}}]}}]}`, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"","arguments":":1}"}}]}}]}`},
			engine.ModelResponse{ToolCalls: []engine.ToolCall{{ID: "a", Name: "f", Arguments: `{"x":1}`}}, FinishReason: engine.FinishToolCalls}},
		{"extra content", []string{`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"f","arguments":"{}"}}]}}]}`},
			engine.ModelResponse{ToolCalls: []engine.ToolCall{{ID: "a", Name: "f", Arguments: "{}", Extra: []byte(`{"google":{"thought_signature":"s"}}`)}}, FinishReason: engine.FinishToolCalls}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := &chatAnswer{}
			for _, chunk := range tc.chunks {
				if err := a.take([]byte(chunk)); err != nil {
					t.Fatal(err)
				}
			}
			if got := a.response(); !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", *got, tc.want)
			}
		})
	}
}

func TestReasoningLevel(t *testing.T) {
	brief, deep := "brief", "deep"
	levels := map[int]*string{0: nil, 50: &brief, 100: &deep}
	for effort, want := range map[string]string{"low": "brief", "medium": "brief", "high": "deep", "xhigh": "xhigh", "": ""} {
		if got := reasoningLevel(effort, levels); got != want {
			t.Errorf("%q is %q, want %q", effort, got, want)
		}
	}
	if got := reasoningLevel("low", nil); got != "low" {
		t.Errorf("without levels: %q", got)
	}
}
