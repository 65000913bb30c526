package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeOpenAI speaks chat completions and gives prepared answers in order.
type fakeOpenAI struct {
	server *httptest.Server
	held   chan struct{} // one value a held request
	free   chan struct{} // one value lets one go
	closed chan struct{}

	mu       sync.Mutex
	answers  []fakeAnswer
	requests []fakeRequest
	visits   int
}

// fakeAnswer is one prepared answer. When is a text that the last message of the
// request has to hold; an answer with another is passed over.
type fakeAnswer struct {
	When   string         `json:"when"`
	Text   string         `json:"text"`
	Tool   string         `json:"tool"`
	Args   map[string]any `json:"args"`
	Status int            `json:"status"`
	Hold   bool           `json:"hold"`
}

type fakeRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	} `json:"messages"`
}

func newFakeOpenAI(answers []fakeAnswer) *fakeOpenAI {
	f := &fakeOpenAI{
		held: make(chan struct{}, 100), free: make(chan struct{}, 100), closed: make(chan struct{}),
		answers: answers,
	}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	return f
}

func (f *fakeOpenAI) close() {
	close(f.closed)
	f.server.CloseClientConnections()
	f.server.Close()
}

func (f *fakeOpenAI) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/visit") {
		f.visit(w, r)
		return
	}
	var req fakeRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, n, ok := f.next(req)
	if !ok {
		http.Error(w, `{"error":{"message":"no answer is prepared","type":"invalid_request_error"}}`, http.StatusBadRequest)
		return
	}
	if a.Hold && !f.hold(r) {
		return
	}
	if a.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(a.Status)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"fake"}}`, a.Text)
		return
	}
	answer(w, req, a, n)
}

// hold keeps a request until it is let go, and reports whether it was.
func (f *fakeOpenAI) hold(r *http.Request) bool {
	f.held <- struct{}{}
	select {
	case <-f.free:
		return true
	case <-f.closed:
		return false
	case <-r.Context().Done():
		return false
	}
}

// visit is a page for tools: it counts, and holds its visitors.
func (f *fakeOpenAI) visit(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.visits++
	f.mu.Unlock()
	if f.hold(r) {
		fmt.Fprint(w, "welcome")
	}
}

func (f *fakeOpenAI) next(req fakeRequest) (fakeAnswer, int, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, req)
	last := ""
	if n := len(req.Messages); n > 0 {
		last = fmt.Sprint(req.Messages[n-1].Content)
	}
	for i, a := range f.answers {
		if strings.Contains(last, a.When) {
			f.answers = append(f.answers[:i:i], f.answers[i+1:]...)
			return a, len(f.requests), true
		}
	}
	return fakeAnswer{}, len(f.requests), false
}

func answer(w http.ResponseWriter, req fakeRequest, a fakeAnswer, n int) {
	message, finish := map[string]any{"role": "assistant", "content": a.Text}, "stop"
	if a.Tool != "" {
		args, _ := json.Marshal(a.Args)
		finish = "tool_calls"
		message["tool_calls"] = []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
			"function": map[string]any{"name": a.Tool, "arguments": string(args)},
		}}
	}
	body := map[string]any{"id": fmt.Sprintf("chatcmpl-%d", n), "created": 1, "model": req.Model,
		"usage": map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}
	if !req.Stream {
		body["object"] = "chat.completion"
		body["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	body["object"] = "chat.completion.chunk"
	body["choices"] = []any{map[string]any{"index": 0, "delta": message, "finish_reason": finish}}
	chunk, _ := json.Marshal(body)
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", chunk)
}

func serverOf(ts *testscript.TestScript) *fakeOpenAI {
	f := stateOf(ts).server
	if f == nil {
		ts.Fatalf("no server was started")
	}
	return f
}

func cmdOpenAI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || stateOf(ts).server != nil {
		ts.Fatalf("usage: openai FILE, once")
	}
	var answers []fakeAnswer
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &answers))
	f := newFakeOpenAI(answers)
	stateOf(ts).server = f
	ts.Setenv("OPENAI_BASE_URL", f.server.URL+"/v1")
	ts.Setenv("OPENAI_API_KEY", "test-key")
}

func cmdHeld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: held")
	}
	select {
	case <-serverOf(ts).held:
	case <-time.After(patience):
		ts.Fatalf("the server never held a request")
	}
}

func cmdRelease(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: release")
	}
	serverOf(ts).free <- struct{}{}
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	f := serverOf(ts)
	f.mu.Lock()
	defer f.mu.Unlock()
	demandCount(ts, neg, args, "requests", len(f.requests))
}

func cmdVisits(ts *testscript.TestScript, neg bool, args []string) {
	f := serverOf(ts)
	f.mu.Lock()
	defer f.mu.Unlock()
	demandCount(ts, neg, args, "visits", f.visits)
}

func demandCount(ts *testscript.TestScript, neg bool, args []string, what string, got int) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: %s N", what)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("the server had %d %s, want %s", got, what, args[0])
	}
}
