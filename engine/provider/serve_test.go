package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

const testKey = "sk-test-0123456789"

// wireServer answers with recorded shapes and keeps what it was asked.
type wireServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	paths  []string
}

func serve(t testing.TB, answer http.HandlerFunc) *wireServer {
	t.Helper()
	s := &wireServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.bodies, s.heads, s.paths = append(s.bodies, body), append(s.heads, r.Header), append(s.paths, r.URL.String())
		s.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// last is the last request's body.
func (s *wireServer) last(t testing.TB) map[string]any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var m map[string]any
	if err := json.Unmarshal(s.bodies[len(s.bodies)-1], &m); err != nil {
		t.Fatalf("the request isn't JSON: %v\n%s", err, s.bodies[len(s.bodies)-1])
	}
	return m
}

func (s *wireServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// replay answers with a fixture; .sse is a stream.
func replay(t testing.TB, status int, name string, header ...string) http.HandlerFunc {
	body := fixture(t, name)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if filepath.Ext(name) == ".sse" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		w.Write(body)
	}
}

// env is a getenv over pairs.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func testOptions() Options {
	n := 0
	return Options{Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		NewID: func() string { n++; return "id" + string(rune('0'+n)) }}
}

func open(t testing.TB, opts Options, def *engine.ModelDef, pairs ...string) engine.Model {
	t.Helper()
	m, err := New(opts).Open(context.Background(), def, env(pairs...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// openAI opens an openai model on s.
func openAI(t testing.TB, s *wireServer, opts Options) engine.Model {
	return open(t, opts, &engine.ModelDef{Name: "m", Model: "gpt-4o", Provider: "openai"},
		"OPENAI_API_KEY", testKey, "OPENAI_BASE_URL", s.URL+"/v1")
}

func ask(text string) *engine.ModelRequest {
	return &engine.ModelRequest{Messages: []engine.ModelMessage{{Role: engine.RoleUser, Parts: engine.TextParts(text)}}}
}

// collect generates and keeps the deltas.
func collect(t testing.TB, m engine.Model, req *engine.ModelRequest) (*engine.ModelResponse, []engine.ModelDelta, error) {
	t.Helper()
	var deltas []engine.ModelDelta
	resp, err := m.Generate(context.Background(), req, func(d engine.ModelDelta) { deltas = append(deltas, d) })
	return resp, deltas, err
}

func mustModelError(t testing.TB, err error) *engine.ModelError {
	t.Helper()
	var e *engine.ModelError
	if !errors.As(err, &e) {
		t.Fatalf("%T isn't a *engine.ModelError: %v", err, err)
	}
	return e
}

func deltaText(deltas []engine.ModelDelta, kind engine.DeltaKind) string {
	s := ""
	for _, d := range deltas {
		if d.Kind == kind {
			s += d.Text + d.ToolName
		}
	}
	return s
}

// serveQuiet is a server that reads requests and keeps nothing.
func serveQuiet(t testing.TB, answer http.HandlerFunc) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
