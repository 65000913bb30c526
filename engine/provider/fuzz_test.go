package provider

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func FuzzJSONString(f *testing.F) {
	for _, s := range []string{"", `"\`, "\x00\x1f\x7f", "é\u2028😀", "\xff\xc3", "a\tb\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var back string
		if err := json.Unmarshal(appendString(nil, s), &back); err != nil {
			t.Fatalf("%q: %v", appendString(nil, s), err)
		}
		var want strings.Builder
		for _, r := range s { // ranging replaces invalid bytes
			want.WriteRune(r)
		}
		if back != want.String() {
			t.Errorf("%q became %q", s, back)
		}
	})
}

// FuzzAnswers feeds whatever a server may write to the readers of every format.
func FuzzAnswers(f *testing.F) {
	for _, name := range []string{"openai/tool_call.sse", "openrouter/reasoning.sse", "anthropic/thinking_tool.sse"} {
		for line := range strings.Lines(string(fixture(f, name))) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				f.Add([]byte(data))
			}
		}
	}
	f.Add([]byte(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"text":"a"}]}],"tool_calls":{"index":"x"}}}],"usage":[]}`))
	f.Add([]byte(`[{"error":{"code":1e99,"details":[{"retryDelay":"1s"}],"metadata":{"raw":{}}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		emit := func(engine.ModelDelta) {}
		chat := &chatAnswer{emit: emit, newID: func() string { return "x" }}
		claude := &messagesAnswer{emit: emit}
		for range 2 {
			_ = chat.take(data)
			_ = claude.take(data)
		}
		_ = claude.takeWhole(data)
		for _, call := range append(chat.response().ToolCalls, claude.response().ToolCalls...) {
			if strings.TrimSpace(call.Arguments) == "" {
				t.Errorf("empty arguments in %+v", call)
			}
		}
		_ = readServerError(data).text()
	})
}
