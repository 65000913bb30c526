package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/agents"
	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/storage"
)

// house is a project on the real engine, store and worker; only the models are
// played.
type house struct {
	testing.TB
	e     *engine.Engine
	c     *engine.ControlPlane
	store *storage.Store

	mu       sync.Mutex
	replies  map[string][]engine.ModelResponse // by model, one after the other for each thread
	asked    map[string]int                    // by model and thread
	requests []request
}

type request struct {
	model string
	engine.ModelRequest
}

func openHouse(t *testing.T, project string, change func(*engine.Config)) *house {
	t.Helper()
	ctx := context.Background()
	p, err := agents.Open(ctx, agents.Options{Dir: "../testdata/projects/" + project, NoWatch: true, VMs: 2, Logf: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	for _, problem := range p.Definitions().Problems {
		t.Errorf("%+v", problem)
	}
	var ids atomic.Int64
	newID := func() string { return fmt.Sprintf("id-%d", ids.Add(1)) }
	store, err := storage.Open(ctx, storage.Options{Dir: t.TempDir(), NewID: newID, FileKey: true})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{TB: t, store: store, replies: map[string][]engine.ModelResponse{}, asked: map[string]int{}}
	c := engine.Config{Store: store, Project: p, Scripts: p, Models: h, Now: time.Now, NewID: newID, After: time.After, Logf: t.Logf}
	if change != nil {
		change(&c)
	}
	h.e = engine.New(c)
	h.c = h.e.Control()
	if err := h.e.Start(ctx, engine.HostScope{Project: p.Definitions().Dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.e.Stop(ctx)
		_ = store.Close()
	})
	return h
}

// Open implements engine.Models.
func (h *house) Open(_ context.Context, def *engine.ModelDef, _ func(string) (string, bool)) (engine.Model, error) {
	return played{h, def.Name}, nil
}

type played struct {
	h    *house
	name string
}

// Generate plays the model's next reply for the thread that asks; where there is
// none any more it says so.
func (p played) Generate(_ context.Context, req *engine.ModelRequest, _ func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.h.requests = append(p.h.requests, request{p.name, *req})
	key := p.name + "/" + req.User
	n := p.h.asked[key]
	p.h.asked[key]++
	if list := p.h.replies[p.name]; n < len(list) {
		r := list[n]
		return &r, nil
	}
	return &engine.ModelResponse{Text: "nothing more to say", FinishReason: engine.FinishStop}, nil
}

// say is a reply of text.
func say(text string) engine.ModelResponse {
	return engine.ModelResponse{Text: text, FinishReason: engine.FinishStop}
}

// calls is a reply of tool calls, each a name and its arguments.
func calls(list ...[2]string) engine.ModelResponse {
	r := engine.ModelResponse{FinishReason: engine.FinishToolCalls}
	for i, c := range list {
		r.ToolCalls = append(r.ToolCalls, engine.ToolCall{ID: engine.ToolCallID(fmt.Sprintf("%s-%d", c[0], i)), Name: c[0], Arguments: c[1]})
	}
	return r
}

func (h *house) play(model string, replies ...engine.ModelResponse) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replies[model] = append(h.replies[model], replies...)
}

func (h *house) asks(model string) []request {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []request
	for _, r := range h.requests {
		if r.model == model {
			out = append(out, r)
		}
	}
	return out
}

func (h *house) thread(agent string, env ...engine.EnvValue) *engine.ThreadRead {
	h.Helper()
	th, err := h.c.CreateThread(context.Background(), engine.CreateThread{Agent: agent, Env: env})
	if err != nil {
		h.Fatal(err)
	}
	return th
}

// turn submits a text and waits until the whole tree has come to rest.
func (h *house) turn(th *engine.ThreadRead, text string) *engine.TurnRead {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	turn, err := h.c.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: th.ThreadID, Content: text})
	if err == nil {
		turn, err = h.c.WaitTurn(ctx, turn.TurnID)
	}
	if err == nil {
		err = h.c.WaitSettled(ctx, th.SessionID)
	}
	if err != nil {
		h.Fatal(err)
	}
	return turn
}

func (h *house) settle(th *engine.ThreadRead) {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.c.WaitSettled(ctx, th.SessionID); err != nil {
		h.Fatal(err)
	}
}

// until waits for events of a thread's session until they fulfil a condition.
func (h *house) until(th *engine.ThreadRead, done func() bool) {
	h.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	sub := h.c.Subscribe(th.SessionID, 0)
	defer sub.Close()
	for !done() {
		if _, err := sub.Next(ctx); err != nil {
			h.Fatal(err)
		}
	}
}

// messages are all messages of a thread, silent and deep ones too.
func (h *house) messages(id engine.ThreadID) []engine.Message {
	h.Helper()
	page, err := h.store.Messages(context.Background(), engine.MessageQuery{Thread: id, Limit: -1, IncludeSilent: true, MaxDepth: -1})
	if err != nil {
		h.Fatal(err)
	}
	return page.Messages
}

// lines is what was said, one "role: text" a message.
func (h *house) lines(id engine.ThreadID) string {
	h.Helper()
	var b strings.Builder
	for _, m := range h.messages(id) {
		fmt.Fprintf(&b, "%s: %s", m.Role, m.Text())
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " [%s %s]", c.Name, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// value reads a key of a thread's key-value store.
func (h *house) value(id engine.ThreadID, key string, into any) {
	h.Helper()
	raw, err := h.store.Value(context.Background(), id, key)
	if err != nil {
		h.Fatal(err)
	}
	if raw == nil {
		h.Fatalf("%s has no value %s", id, key)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		h.Fatal(err)
	}
}

func (h *house) events(th *engine.ThreadRead, typ engine.EventType) []engine.Event {
	h.Helper()
	var out []engine.Event
	for after := int64(0); ; {
		page, err := h.c.Events(context.Background(), engine.EventQuery{Session: th.SessionID, After: after})
		if err != nil {
			h.Fatal(err)
		}
		if len(page) == 0 {
			return out
		}
		for _, ev := range page {
			after = ev.Sequence
			if typ == "" || ev.Type == typ {
				out = append(out, ev)
			}
		}
	}
}
