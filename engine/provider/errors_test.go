package provider

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func TestHTTPErrors(t *testing.T) {
	for _, tc := range []struct {
		name    string
		status  int
		file    string
		header  []string
		kind    engine.ModelErrorKind
		retry   time.Duration
		message string
	}{
		{"bad key", 401, "openai_401.json", nil, engine.ModelAuth, 0, "Incorrect API key provided: [redacted]."},
		{"bad request", 400, "openai_400.json", nil, engine.ModelInvalidRequest, 0, "Invalid schema for function 'add'"},
		{"too long", 400, "openai_context.json", nil, engine.ModelContextLength, 0, "maximum context length is 128000"},
		{"too large", 413, "openai_400.json", nil, engine.ModelContextLength, 0, "Invalid schema"},
		{"filtered", 400, "azure_filter.json", nil, engine.ModelContentFilter, 0, "content management policy"},
		{"no quota", 429, "openai_quota.json", []string{"Retry-After", "2.5"}, engine.ModelRateLimit, 2500 * time.Millisecond, "(insufficient_quota)"},
		{"rate limit by date", 429, "openai_quota.json", []string{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT"}, engine.ModelRateLimit, time.Minute, "quota"},
		{"rate limit in ms", 429, "openai_quota.json", []string{"Retry-After-Ms", "1500", "Retry-After", "2"}, engine.ModelRateLimit, 1500 * time.Millisecond, "quota"},
		{"rate limit by reset", 429, "openai_quota.json", []string{"X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6m0s"}, engine.ModelRateLimit, 6 * time.Minute, "quota"},
		{"server error", 500, "openai_500.json", nil, engine.ModelServerError, 0, "had an error while processing"},
		{"overloaded", 529, "anthropic_529.json", nil, engine.ModelServerError, 0, "Overloaded"},
		{"no credit", 402, "openrouter_402.json", nil, engine.ModelAuth, 0, "more credits"},
		{"moderated", 403, "openrouter_403.json", nil, engine.ModelContentFilter, 0, "flagged"},
		{"unknown model", 404, "plain_404.txt", nil, engine.ModelInvalidRequest, 0, "model not found"},
		{"fastapi", 422, "fastapi_422.json", nil, engine.ModelInvalidRequest, 0, "Extra inputs are not permitted"},
		{"html", 502, "gateway_502.html", nil, engine.ModelServerError, 0, "Bad Gateway"},
		{"request timeout", 408, "openai_500.json", nil, engine.ModelTimeout, 0, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, replay(t, tc.status, "errors/"+tc.file, tc.header...))
			_, _, err := collect(t, openAI(t, s, testOptions()), ask("hi"))
			e := mustModelError(t, err)
			if e.Kind != tc.kind || e.HTTPStatus != tc.status || e.RetryAfter != tc.retry || e.Provider != "openai" {
				t.Errorf("kind %q status %d retry %v provider %q", e.Kind, e.HTTPStatus, e.RetryAfter, e.Provider)
			}
			if !strings.Contains(e.Message, tc.message) {
				t.Errorf("message %q lacks %q", e.Message, tc.message)
			}
			for err := error(e); err != nil; err = errors.Unwrap(err) {
				if strings.Contains(err.Error(), testKey) {
					t.Errorf("the key is in %q", err)
				}
			}
			if s.count() != 1 {
				t.Errorf("%d requests; the engine retries, not the library", s.count())
			}
		})
	}
}

func TestErrorInTheMiddleOfAStream(t *testing.T) {
	s := serve(t, replay(t, 200, "openrouter/midstream_error.sse"))
	m := open(t, testOptions(), &engine.ModelDef{Model: "openai/gpt-4o", Provider: "openrouter"}, "OPENROUTER_API_KEY", testKey, "OPENROUTER_BASE_URL", s.URL)
	resp, _, err := collect(t, m, ask("hi"))
	e := mustModelError(t, err)
	if e.Kind != engine.ModelServerError || e.HTTPStatus != 502 || e.Message != "Provider returned error upstream connect error" {
		t.Errorf("%+v", e)
	}
	if resp == nil || resp.Text != "Once upon" {
		t.Errorf("partial response %+v", resp)
	}
}

func TestStreamOptionsRejected(t *testing.T) {
	reject, answer := replay(t, 400, "errors/stream_options_400.json"), replay(t, 200, "groq/reasoning.sse")
	var s *wireServer
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if s.last(t)["stream_options"] != nil {
			reject(w, r)
			return
		}
		answer(w, r)
	})
	m := openAI(t, s, testOptions())
	for i := range 2 {
		if resp, _, err := collect(t, m, ask("hi")); err != nil || resp.Text != "4" {
			t.Fatalf("call %d: %+v, %v", i, resp, err)
		}
	}
	if s.count() != 3 {
		t.Errorf("%d requests, want 3: the rejection is remembered", s.count())
	}
}

const chunkOnce = `data: {"id":"c","choices":[{"index":0,"delta":{"content":"Once"}}]}` + "\n\n"

func send(w http.ResponseWriter, s string) {
	w.Write([]byte(s))
	w.(http.Flusher).Flush()
}

func TestBrokenStreams(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"reset": func(w http.ResponseWriter, r *http.Request) {
			send(w, chunkOnce)
			panic(http.ErrAbortHandler)
		},
		"ended early":     func(w http.ResponseWriter, r *http.Request) { send(w, chunkOnce) },
		"ended mid-line":  func(w http.ResponseWriter, r *http.Request) { send(w, chunkOnce+`data: {"id":"c","cho`) },
		"malformed chunk": func(w http.ResponseWriter, r *http.Request) { send(w, chunkOnce+"data: {]\n\ndata: [DONE]\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				answer(w, r)
			})
			resp, _, err := collect(t, openAI(t, s, testOptions()), ask("hi"))
			e := mustModelError(t, err)
			if e.Kind != engine.ModelNetwork || !e.Retryable() || e.Message == "" {
				t.Errorf("%+v", e)
			}
			if resp == nil || resp.Text != "Once" {
				t.Errorf("partial response %+v", resp)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	m := open(t, testOptions(), &engine.ModelDef{Provider: "ollama"}, "OLLAMA_HOST", s.URL)
	_, _, err := collect(t, m, ask("hi"))
	if e := mustModelError(t, err); e.Kind != engine.ModelNetwork {
		t.Errorf("%+v", e)
	}
}

// silentServer sends first, then nothing until the client is gone.
func silentServer(t *testing.T, first string, gone chan<- struct{}) *wireServer {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if first != "" {
			send(w, first)
		}
		<-r.Context().Done()
		gone <- struct{}{}
	})
}

func TestStallIsATimeout(t *testing.T) {
	for name, first := range map[string]string{"before the first byte": "", "in the stream": chunkOnce} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{}, 1)
			s := silentServer(t, first, gone)
			opts := testOptions()
			opts.Idle, opts.FirstByte = 20*time.Millisecond, 20*time.Millisecond
			if first != "" {
				opts.FirstByte = time.Minute
			}
			resp, _, err := collect(t, openAI(t, s, opts), ask("hi"))
			if e := mustModelError(t, err); e.Kind != engine.ModelTimeout || e.Retryable() {
				t.Errorf("%+v", e)
			}
			if first != "" && (resp == nil || resp.Text != "Once") {
				t.Errorf("partial response %+v", resp)
			}
			<-gone // the request was given up, not leaked
		})
	}
}

func TestCancelReturnsTheContextsError(t *testing.T) {
	gone := make(chan struct{}, 1)
	s := silentServer(t, chunkOnce, gone)
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := openAI(t, s, testOptions()).Generate(ctx, ask("hi"), func(engine.ModelDelta) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if resp == nil || resp.Text != "Once" {
		t.Errorf("partial response %+v", resp)
	}
	<-gone
}

// A server that keeps the stream open after [DONE] doesn't keep us.
func TestStreamLeftOpen(t *testing.T) {
	gone := make(chan struct{}, 1)
	s := silentServer(t, `data: {"choices":[{"delta":{"content":"Done"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n", gone)
	resp, _, err := collect(t, openAI(t, s, testOptions()), ask("hi"))
	if err != nil || resp.Text != "Done" {
		t.Fatalf("%+v, %v", resp, err)
	}
	<-gone
}
