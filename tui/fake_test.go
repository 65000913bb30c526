package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// epoch is the fixed clock of the tests.
var epoch = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// fake is a Backend in memory. A submitted turn is answered by answer, piece by
// piece, with pause between the pieces.
type fake struct {
	mu       sync.Mutex
	now      func() time.Time
	defs     *engine.Definitions
	threads  map[engine.ThreadID]*engine.ThreadRead
	messages map[engine.ThreadID][]engine.Message
	queue    map[engine.ThreadID][]engine.QueueItem
	outputs  map[engine.OutputRef]string
	sources  []*fakeSource
	ids      int
	seq      int64
	reads    []engine.MessageQuery
	lists    []engine.ThreadQuery

	hosting     bool // turns are answered
	quiet       bool // sources deliver nothing: the test hands events over itself
	pause       time.Duration
	answer      string
	interrupted map[engine.ThreadID]chan struct{}
	panics      bool
	waits       []engine.RequestInfo
	provided    map[string]string
}

func newFake() *fake {
	return &fake{
		now: func() time.Time { return epoch },
		defs: &engine.Definitions{Agents: map[string]*engine.Agent{
			"tour": {Name: "tour", Type: engine.AIHuman, Title: "The tour", Description: "Shows what an agent can do, without a key and without a network."},
			"pair": {Name: "pair", Type: engine.DualAI, Title: "Writer and reviewer", Description: "Two models in conversation.",
				SideA: engine.SideConfig{Label: "Writer"}, SideB: &engine.SideConfig{Label: "Reviewer"}},
		}},
		threads:     map[engine.ThreadID]*engine.ThreadRead{},
		messages:    map[engine.ThreadID][]engine.Message{},
		queue:       map[engine.ThreadID][]engine.QueueItem{},
		outputs:     map[engine.OutputRef]string{},
		interrupted: map[engine.ThreadID]chan struct{}{},
		answer:      "Hello. I am the **tour**.",
	}
}

func (f *fake) id(prefix string) string {
	f.ids++
	return fmt.Sprintf("%s%04d", prefix, f.ids)
}

func (f *fake) thread(id engine.ThreadID, agent, title string, ago time.Duration) *engine.ThreadRead {
	t := &engine.ThreadRead{ThreadID: id, SessionID: engine.SessionID(id), Agent: agent, AgentType: engine.AIHuman, Title: title,
		Status: engine.ThreadIdle, CreatedAt: engine.MicrosOf(f.now().Add(-ago)), UpdatedAt: engine.MicrosOf(f.now().Add(-ago))}
	if a := f.defs.Agents[agent]; a != nil {
		t.AgentType = a.Type
	}
	f.threads[id] = t
	return t
}

func (f *fake) add(id engine.ThreadID, m engine.Message) engine.Message {
	if m.ID == "" {
		m.ID = engine.MessageID(f.id("m"))
	}
	m.ThreadID, m.Ord = id, int64(len(f.messages[id])+1)
	if m.Status == "" {
		m.Status = engine.MessageCompleted
	}
	if m.CreatedAt == 0 {
		m.CreatedAt = engine.MicrosOf(f.now())
	}
	f.messages[id] = append(f.messages[id], m)
	return m
}

func said(role engine.Role, text string) engine.Message {
	m := engine.Message{Role: role}
	m.SetText(text)
	return m
}

// publish hands events to every source.
func (f *fake) publish(evs ...engine.Event) {
	for i := range evs {
		if !evs[i].Volatile() {
			f.seq++
			evs[i].Sequence = f.seq
		}
	}
	for _, s := range f.sources {
		s.put(evs)
	}
}

func (f *fake) Definitions() *engine.Definitions { return f.defs }

func (f *fake) Thread(_ context.Context, id engine.ThreadID) (*engine.ThreadRead, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.threads[id]
	if t == nil {
		return nil, engine.Errorf(engine.CodeNotFound, "read thread", "there is no thread %s", id)
	}
	c := *t
	c.QueueLength = len(f.queue[id])
	return &c, nil
}

func (f *fake) Threads(_ context.Context, q engine.ThreadQuery) (*engine.ThreadPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &engine.ThreadPage{}
	f.lists = append(f.lists, q)
	for _, t := range f.threads {
		if (q.Parent == nil || t.ParentThreadID == *q.Parent) && (q.Session == "" || t.SessionID == q.Session) && strings.Contains(strings.ToLower(t.Title), strings.ToLower(q.Search)) {
			c := *t
			c.QueueLength = max(c.QueueLength, len(f.queue[t.ThreadID]))
			p.Threads = append(p.Threads, c)
		}
	}
	slices.SortFunc(p.Threads, func(a, b engine.ThreadRead) int {
		if d := cmp.Compare(b.UpdatedAt, a.UpdatedAt); d != 0 {
			return d
		}
		return cmp.Compare(b.ThreadID, a.ThreadID)
	})
	from := 0
	if q.Cursor != "" {
		from, _ = strconv.Atoi(q.Cursor)
	}
	p.Threads = p.Threads[from:]
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	if len(p.Threads) > limit {
		p.Threads, p.Cursor = p.Threads[:limit], strconv.Itoa(from+limit)
	}
	return p, nil
}

func (f *fake) Messages(_ context.Context, q engine.MessageQuery) (*engine.MessagePage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = append(f.reads, q)
	limit := q.Limit
	if limit == 0 {
		limit = 100
	}
	var in []engine.Message
	for _, m := range f.messages[q.Thread] {
		if (q.Before == 0 || m.Ord < q.Before) && m.Ord > q.After && (q.IncludeSilent || !m.Silent) && (q.MaxDepth < 0 || m.Depth <= q.MaxDepth) {
			in = append(in, m)
		}
	}
	p := &engine.MessagePage{Total: len(in), Messages: in}
	if limit > 0 && len(in) > limit {
		p.More = true
		if q.After > 0 {
			p.Messages = in[:limit]
		} else {
			p.Messages = in[len(in)-limit:]
		}
	}
	p.Messages = slices.Clone(p.Messages)
	return p, nil
}

func (f *fake) Turn(_ context.Context, id engine.TurnID) (*engine.TurnRead, error) {
	return &engine.TurnRead{TurnID: id, StartedAt: engine.MicrosOf(f.now().Add(-42 * time.Second))}, nil
}

func (f *fake) Output(_ context.Context, ref engine.OutputRef) (*engine.Output, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &engine.Output{Ref: ref, Data: []byte(f.outputs[ref])}, nil
}

func (f *fake) CreateThread(_ context.Context, in engine.CreateThread) (*engine.ThreadRead, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.thread(engine.ThreadID(f.id("t")), in.Agent, "", 0)
	c := *t
	return &c, nil
}

func (f *fake) SubmitTurn(_ context.Context, in engine.SubmitTurn) (*engine.TurnRead, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("the fake was told to panic")
	}
	t := f.threads[in.ThreadID]
	m := said(engine.RoleUser, in.Content)
	m.TurnID = in.TurnID
	if t.Status == engine.ThreadRunning || !f.hosting {
		f.queue[in.ThreadID] = append(f.queue[in.ThreadID], engine.QueueItem{ID: engine.QueueID(f.id("q")), Kind: engine.QueueMessage, TurnID: in.TurnID, Message: &m})
		f.publish(engine.Event{Type: engine.EventQueueChanged, ThreadID: in.ThreadID})
		return &engine.TurnRead{TurnID: in.TurnID, Status: engine.TurnQueued}, nil
	}
	if t.Title == "" {
		t.Title = in.Content
	}
	f.start(t, m)
	return &engine.TurnRead{TurnID: in.TurnID, Status: engine.TurnRunning}, nil
}

func (f *fake) start(t *engine.ThreadRead, m engine.Message) {
	f.add(t.ThreadID, m)
	t.Status, t.Doing, t.Step, t.Side, t.ActiveTurns = engine.ThreadRunning, "model", 1, engine.SideA, []engine.TurnID{m.TurnID}
	t.UpdatedAt = engine.MicrosOf(f.now())
	stop := make(chan struct{})
	f.interrupted[t.ThreadID] = stop
	f.publish(engine.Event{Type: engine.EventTurnStarted, ThreadID: t.ThreadID, TurnID: m.TurnID})
	go f.play(t.ThreadID, m.TurnID, stop)
}

func delta(thread engine.ThreadID, id engine.MessageID, offset int, text string) engine.Event {
	p, _ := json.Marshal(engine.DeltaPayload{MessageID: id, Offset: offset, Text: text})
	return engine.Event{Type: engine.EventModelDelta, ThreadID: thread, Payload: p}
}

// play streams the answer word by word and then commits it.
func (f *fake) play(id engine.ThreadID, turn engine.TurnID, stop chan struct{}) {
	f.mu.Lock()
	mid := engine.MessageID(f.id("m"))
	text, pause := f.answer, f.pause
	f.mu.Unlock()
	status, sent := engine.MessageCompleted, 0
	for _, word := range strings.SplitAfter(text, " ") {
		if pause > 0 {
			select {
			case <-stop:
				status = engine.MessagePartial
			case <-time.After(pause):
			}
		}
		if status == engine.MessagePartial {
			break
		}
		f.mu.Lock()
		f.publish(delta(id, mid, sent, word))
		f.mu.Unlock()
		sent += len(word)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	m := said(engine.RoleAssistant, text[:sent])
	m.ID, m.TurnID, m.Status = mid, turn, status
	f.add(id, m)
	f.rest(id, status)
}

// rest ends the turn and starts the next queued one.
func (f *fake) rest(id engine.ThreadID, status engine.MessageStatus) {
	t := f.threads[id]
	t.Status, t.Doing, t.Step, t.Side, t.ActiveTurns = engine.ThreadIdle, "", 0, "", nil
	t.LastOutcome = engine.TurnCompleted
	if status == engine.MessagePartial {
		t.LastOutcome = engine.TurnCancelled
	}
	t.Usage.TotalTokens += 1234
	f.publish(engine.Event{Type: engine.EventTurnCompleted, ThreadID: id})
	if q := f.queue[id]; len(q) > 0 {
		f.queue[id] = q[1:]
		f.start(t, *q[0].Message)
	}
}

func (f *fake) Requests(context.Context, engine.ThreadID) ([]engine.RequestInfo, error) {
	return f.waits, nil
}

func (f *fake) ProvideEnv(_ context.Context, id engine.RequestID, values map[string]string) (engine.ThreadID, error) {
	if values["API_KEY"] == "wrong" {
		return "", engine.Errorf(engine.CodeInvalid, "provide variables", "that key is too short")
	}
	f.provided = values
	f.waits = nil
	return "child", nil
}

func (f *fake) InterruptTurn(_ context.Context, id engine.ThreadID, _ engine.TurnID, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	stop := f.interrupted[id]
	if stop == nil {
		return engine.Errorf(engine.CodeConflict, "interrupt", "nothing runs")
	}
	close(stop)
	f.interrupted[id] = nil
	return nil
}

func (f *fake) DeleteThread(_ context.Context, id engine.ThreadID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.threads, id)
	return nil
}

func (f *fake) Queue(_ context.Context, id engine.ThreadID) ([]engine.QueueItem, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.queue[id]), nil
}

func (f *fake) RemoveQueuedTurn(_ context.Context, id engine.ThreadID, q engine.QueueID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue[id] = slices.DeleteFunc(f.queue[id], func(x engine.QueueItem) bool { return x.ID == q })
	f.publish(engine.Event{Type: engine.EventQueueChanged, ThreadID: id})
	return nil
}

func (f *fake) PromoteQueuedTurn(_ context.Context, id engine.ThreadID, q engine.QueueID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.SortStableFunc(f.queue[id], func(a, b engine.QueueItem) int {
		if a.ID == q && b.ID != q {
			return -1
		}
		if b.ID == q && a.ID != q {
			return 1
		}
		return 0
	})
	f.publish(engine.Event{Type: engine.EventQueueChanged, ThreadID: id})
	return nil
}

func (f *fake) Subscribe(engine.SessionID, int64) EventSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeSource{wake: make(chan struct{}, 1), quiet: f.quiet}
	f.sources = append(f.sources, s)
	return s
}

type fakeSource struct {
	mu     sync.Mutex
	events []engine.Event
	wake   chan struct{}
	quiet  bool
}

func (s *fakeSource) put(evs []engine.Event) {
	s.mu.Lock()
	s.events = append(s.events, evs...)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *fakeSource) take() []engine.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	evs := s.events
	s.events = nil
	return evs
}

func (s *fakeSource) Next(ctx context.Context) ([]engine.Event, error) {
	for {
		if s.quiet {
			return nil, context.Canceled
		}
		if evs := s.take(); len(evs) > 0 {
			return evs, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.wake:
		}
	}
}

func (s *fakeSource) Close() {}
