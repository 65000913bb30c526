package provider

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// A step opens no connection of its own: the last one serves again, after every
// wire format and after an error.
func TestConnectionsAreKept(t *testing.T) {
	for _, tc := range []struct {
		provider, variable, fixture string
		status                      int
	}{
		{"openai", "OPENAI", "openai/tool_call.sse", 200}, {"openai", "OPENAI", "openai/text.json", 200}, {"openai", "OPENAI", "errors/openai_500.json", 500},
		{"anthropic", "ANTHROPIC", "anthropic/thinking_tool.sse", 200}, {"google", "GOOGLE", "google/tool_call.sse", 200},
	} {
		t.Run(tc.provider+" "+tc.fixture, func(t *testing.T) {
			var opened atomic.Int32
			s := httptest.NewUnstartedServer(replay(t, tc.status, tc.fixture))
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					opened.Add(1)
				}
			}
			s.Start()
			t.Cleanup(s.Close)
			m := open(t, testOptions(), &engine.ModelDef{Model: "m", Provider: tc.provider}, tc.variable+"_API_KEY", testKey, tc.variable+"_BASE_URL", s.URL)
			for range 5 {
				if _, _, err := collect(t, m, ask("hi")); (err != nil) != (tc.status >= 400) {
					t.Fatal(err)
				}
			}
			if n := opened.Load(); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// One registry serves a hundred threads.
func TestConcurrentCalls(t *testing.T) {
	s := serve(t, replay(t, 200, "openai/tool_call.sse"))
	r := New(Options{})
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			m, err := r.Open(context.Background(), &engine.ModelDef{Model: "m", Provider: "openai"}, env("OPENAI_API_KEY", testKey, "OPENAI_BASE_URL", s.URL))
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := m.Generate(context.Background(), ask("hi"), nil)
			if err != nil || len(resp.ToolCalls) != 2 {
				t.Errorf("%+v, %v", resp, err)
			}
		})
	}
	wg.Wait()
	if s.count() != 100 {
		t.Errorf("%d requests", s.count())
	}
}
