package provider

import (
	"bytes"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func openGemini(t testing.TB, s *wireServer, opts Options, def *engine.ModelDef) engine.Model {
	def.Provider = "google"
	return open(t, opts, def, "GOOGLE_API_KEY", testKey, "GOOGLE_BASE_URL", s.URL+"/v1beta")
}

var geminiCalls = []engine.ToolCall{
	{ID: "call_id1", Name: "get_weather", Arguments: `{"city":"Oslo"}`, Extra: json.RawMessage(`{"google":{"thought_signature":"CikB0e2Kbw+/aGVsbG8="}}`)},
	{ID: "fc_7", Name: "now", Arguments: "{}", Extra: json.RawMessage(`{"google":{"id":"fc_7"}}`)},
}

func TestGoogleStreamsThoughtsAndTools(t *testing.T) {
	s := serve(t, replay(t, 200, "google/tool_call.sse"))
	resp, deltas, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "gemini-2.5-flash"}), ask("weather?"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "One moment." || resp.Reasoning != "**Weather**\nI need the tool." || deltaText(deltas, engine.DeltaText) != resp.Text {
		t.Errorf("text %q, reasoning %q", resp.Text, resp.Reasoning)
	}
	if !reflect.DeepEqual(resp.ToolCalls, geminiCalls) {
		t.Errorf("calls %+v", resp.ToolCalls)
	}
	usage := engine.Usage{PromptTokens: 89, CompletionTokens: 61, TotalTokens: 150, CachedTokens: 64, ReasoningTokens: 41}
	if resp.Usage != usage || !resp.UsageKnown || resp.FinishReason != engine.FinishToolCalls {
		t.Errorf("usage %+v, finish %q", resp.Usage, resp.FinishReason)
	}
	if resp.ResponseID != "mT3BaN2JH7n0nsEPq6-1sAI" || resp.ProviderModel != "gemini-2.5-flash" {
		t.Errorf("id %q, model %q", resp.ResponseID, resp.ProviderModel)
	}
	if s.paths[0] != "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse" || s.heads[0].Get("X-Goog-Api-Key") != testKey {
		t.Errorf("path %q, key %q", s.paths[0], s.heads[0].Get("X-Goog-Api-Key"))
	}
}

func TestGoogleWithoutStreaming(t *testing.T) {
	s := serve(t, replay(t, 200, "google/text.json"))
	no := false
	m := openGemini(t, s, testOptions(), &engine.ModelDef{Model: "gemini-2.5-flash", Capabilities: engine.ModelCapabilities{SupportsStreaming: &no}})
	resp, _, err := collect(t, m, ask("hi"))
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "Hello." || resp.FinishReason != engine.FinishLength || len(resp.Images) != 1 || len(resp.Images[0].Data) != 8 {
		t.Errorf("%+v", resp)
	}
	if want := []engine.ReasoningDetail{{Type: "encrypted", Data: "c2ln", Format: geminiFormat}}; !reflect.DeepEqual(resp.ReasoningDetails, want) {
		t.Errorf("details %+v", resp.ReasoningDetails)
	}
}

func TestGoogleRequestBody(t *testing.T) {
	s := serve(t, replay(t, 200, "google/tool_call.sse"))
	req := &engine.ModelRequest{
		System: "Be brief.",
		Messages: []engine.ModelMessage{
			{Role: engine.RoleUser, Parts: []engine.ContentPart{{Text: "look"}, {MediaType: "image/png", Data: []byte("png")}}},
			{Role: engine.RoleAssistant, Parts: engine.TextParts("Yes."), ToolCalls: geminiCalls, ReasoningDetails: []engine.ReasoningDetail{{Type: "encrypted", Data: "c2ln", Format: geminiFormat}}},
			{Role: engine.RoleTool, ToolCallID: "call_id1", ToolName: "get_weather", Parts: engine.TextParts("rain")},
			{Role: engine.RoleTool, ToolCallID: "fc_7", ToolName: "now", ToolError: true, Parts: engine.TextParts("no clock")},
		},
		Tools:           []engine.ModelTool{{Name: "now", Description: "the time", Parameters: []byte(`{"type":"object","additionalProperties":false}`)}},
		ToolChoice:      "required",
		MaxOutputTokens: 500,
		Reasoning:       &engine.Reasoning{Effort: "low"},
		ProviderOptions: []byte(`{"generationConfig":{"temperature":0.5}}`),
	}
	if _, _, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "gemini-2.5-flash"}), req); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"systemInstruction": {"role": "user", "parts": [{"text": "Be brief."}]},
		"generationConfig": {"maxOutputTokens": 500, "temperature": 0.5, "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 1024}},
		"tools": [{"functionDeclarations": [{"name": "now", "description": "the time", "parametersJsonSchema": {"type": "object", "additionalProperties": false}}]}],
		"toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
		"contents": [
			{"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "cG5n"}}]},
			{"role": "model", "parts": [{"text": "Yes.", "thoughtSignature": "c2ln"},
				{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}, "thoughtSignature": "CikB0e2Kbw+/aGVsbG8="},
				{"functionCall": {"id": "fc_7", "name": "now"}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"output": "rain"}}},
				{"functionResponse": {"id": "fc_7", "name": "now", "response": {"error": "no clock"}}}]}
		]}`), &want); err != nil {
		t.Fatal(err)
	}
	got := s.last(t)
	if !reflect.DeepEqual(got, want) {
		g, _ := json.MarshalIndent(got, "", " ")
		t.Errorf("got %s", g)
	}
}

// Gemini 3 thinks in levels, and wants a signature on calls of other models.
func TestGoogleGemini3(t *testing.T) {
	s := serve(t, replay(t, 200, "google/tool_call.sse"))
	req := &engine.ModelRequest{Reasoning: &engine.Reasoning{Effort: "high", Exclude: true}, Messages: []engine.ModelMessage{
		{Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: "c1", Name: "a", Arguments: "{}"}}},
		{Role: engine.RoleTool, ToolCallID: "c1", ToolName: "a", Parts: engine.TextParts("ok")}}}
	resp, _, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "gemini-3-pro-preview"}), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Reasoning != "" {
		t.Errorf("excluded reasoning %q", resp.Reasoning)
	}
	body, _ := json.Marshal(s.last(t))
	for _, want := range []string{`"thinkingConfig":{"thinkingLevel":"HIGH"}`, `"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="`, `{"text":"(The conversation begins.)"}`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
}

func TestGoogleErrors(t *testing.T) {
	for _, tc := range []struct {
		status int
		file   string
		kind   engine.ModelErrorKind
		retry  time.Duration
	}{
		{400, "google_400_key.json", engine.ModelAuth, 0},
		{400, "google_long.json", engine.ModelContextLength, 0},
		{429, "google_429.json", engine.ModelRateLimit, 34500 * time.Millisecond},
		{500, "google_500.json", engine.ModelServerError, 0},
		{502, "gateway_502.html", engine.ModelServerError, 0},
	} {
		t.Run(tc.file, func(t *testing.T) {
			s := serve(t, replay(t, tc.status, "errors/"+tc.file))
			_, _, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "g"}), ask("hi"))
			e := mustModelError(t, err)
			if e.Kind != tc.kind || e.RetryAfter != tc.retry || e.HTTPStatus != tc.status || e.Provider != "google" || e.Message == "" {
				t.Errorf("%+v", e)
			}
			if s.count() != 1 {
				t.Errorf("%d requests", s.count())
			}
		})
	}
}

func TestGoogleBlockedPrompt(t *testing.T) {
	s := serve(t, replay(t, 200, "google/blocked.sse"))
	_, _, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "g"}), ask("hi"))
	if e := mustModelError(t, err); e.Kind != engine.ModelContentFilter || !strings.Contains(e.Message, "PROHIBITED_CONTENT") {
		t.Errorf("%+v", e)
	}
}

const geminiChunk = `data: {"candidates":[{"content":{"parts":[{"text":"Once"}],"role":"model"}}]}` + "\r\n\r\n"

func TestGoogleBrokenStreams(t *testing.T) {
	var printed bytes.Buffer // the library prints broken streams, which would tear a terminal
	log.SetOutput(&printed)
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		if printed.Len() > 0 {
			t.Errorf("printed %s", printed.String())
		}
	})
	for name, tc := range map[string]struct {
		rest  string
		abort bool
		kind  engine.ModelErrorKind
	}{
		"ended early":     {kind: engine.ModelNetwork},
		"reset":           {abort: true, kind: engine.ModelNetwork},
		"malformed chunk": {rest: "data: {]\r\n\r\n", kind: engine.ModelNetwork},
		"error chunk":     {rest: `data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}` + "\r\n\r\n", kind: engine.ModelServerError},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				send(w, geminiChunk+tc.rest)
				if tc.abort {
					panic(http.ErrAbortHandler)
				}
			})
			resp, _, err := collect(t, openGemini(t, s, testOptions(), &engine.ModelDef{Model: "g"}), ask("hi"))
			if e := mustModelError(t, err); e.Kind != tc.kind {
				t.Errorf("%+v", e)
			}
			if resp == nil || resp.Text != "Once" {
				t.Errorf("partial response %+v", resp)
			}
		})
	}
}

func TestGoogleStall(t *testing.T) {
	gone := make(chan struct{}, 1)
	s := silentServer(t, geminiChunk, gone)
	opts := testOptions()
	opts.Idle = 20 * time.Millisecond
	resp, _, err := collect(t, openGemini(t, s, opts, &engine.ModelDef{Model: "g"}), ask("hi"))
	if e := mustModelError(t, err); e.Kind != engine.ModelTimeout {
		t.Errorf("%+v", e)
	}
	if resp == nil || resp.Text != "Once" {
		t.Errorf("partial response %+v", resp)
	}
	<-gone
}
