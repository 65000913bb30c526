package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// process is one sideb process on a data directory, with the wall clock.
type process struct {
	t     *testing.T
	name  string
	store *storage.Store
	e     *engine.Engine
	end   sync.Once
}

func startProcess(t *testing.T, dir, name string, defs *engine.Definitions, m engine.Models, s engine.Scripts) *process {
	t.Helper()
	var ids struct {
		sync.Mutex
		n int
	}
	newID := func() string {
		ids.Lock()
		defer ids.Unlock()
		ids.n++
		return fmt.Sprintf("%s-%d", name, ids.n)
	}
	store, err := storage.Open(context.Background(), storage.Options{Dir: dir, NewID: newID, FileKey: true})
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Config{Store: store, Project: engine.FixedProject{Defs: defs}, Models: m, Scripts: s,
		Now: time.Now, NewID: newID, After: time.After})
	if err := e.Start(context.Background(), engine.HostScope{Project: defs.Dir}); err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, name: name, store: store, e: e}
	t.Cleanup(p.stop)
	return p
}

func (p *process) stop() {
	p.end.Do(func() {
		if err := p.e.Stop(context.Background()); err != nil {
			p.t.Error(err)
		}
		if err := p.store.Close(); err != nil {
			p.t.Error(err)
		}
	})
}

// die closes the store under the engine, as the system does to a killed process:
// nothing more is stored, and the lock is free.
func (p *process) die() {
	p.end.Do(func() {
		if err := p.store.Close(); err != nil {
			p.t.Error(err)
		}
		if err := p.e.Stop(context.Background()); err != nil {
			p.t.Error(err)
		}
	})
}

// busyness notices when two flows of one thread are at work at once.
type busyness struct {
	engine.Scripts
	t    *testing.T
	mu   sync.Mutex
	busy map[engine.ThreadID]bool
	ran  map[string]int
	host map[engine.ThreadID]map[string]bool
}

func newBusyness(t *testing.T) *busyness {
	return &busyness{t: t, busy: map[engine.ThreadID]bool{}, ran: map[string]int{}, host: map[engine.ThreadID]map[string]bool{}}
}

// of is engine.Scripts for one process.
func (b *busyness) of(process string) engine.Scripts { return busyHost{b, process} }

type busyHost struct {
	*busyness
	process string
}

func (b busyHost) CallTool(ctx context.Context, tool *engine.Tool, args json.RawMessage, state *engine.ThreadState) (*engine.ToolResult, error) {
	info, err := state.Info(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	if b.busy[info.ThreadID] {
		b.t.Errorf("two flows of thread %s at once", info.ThreadID)
	}
	b.busy[info.ThreadID] = true
	b.ran[string(info.ThreadID)+string(args)]++
	b.mu.Unlock()
	for i := range 3 {
		if err := state.SetValue(ctx, tool.Name, json.RawMessage(fmt.Sprint(i))); err != nil {
			return nil, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy[info.ThreadID] = false
	return &engine.ToolResult{Status: engine.ToolSuccess, Result: "ok"}, nil
}

func busyDefs() *engine.Definitions {
	return &engine.Definitions{
		Dir:     "/project",
		Agents:  map[string]*engine.Agent{"work": {Name: "work", Type: engine.AIHuman, SideA: engine.SideConfig{Prompt: "main", StopOnResponse: true}}},
		Prompts: map[string]*engine.Prompt{"main": {Name: "main", Model: "fast", IncludeChat: true, Tools: []engine.ToolEntry{{Name: "count"}}}},
		Models:  map[string]*engine.ModelDef{"fast": {Name: "fast", Provider: "scripted"}},
		Tools:   map[string]*engine.Tool{"count": {Name: "count"}},
	}
}

// twoSteps calls a tool and then answers, in every turn.
func twoSteps() *provider.Scripted {
	return &provider.Scripted{Answer: func(_ context.Context, req *engine.ModelRequest) provider.Reply {
		if last := req.Messages[len(req.Messages)-1]; last.Role == engine.RoleTool {
			return provider.Reply{Text: "done"}
		}
		return provider.Reply{Calls: []engine.ToolCall{provider.Call("", "count", fmt.Sprintf(`{"n":%d}`, req.CallIndex))}}
	}}
}

// TestInvariant2OneFlowPerThread lets two processes host one data directory while
// turns come in through both.
func TestInvariant2OneFlowPerThread(t *testing.T) {
	const threads, turns = 4, 5
	dir, busy := t.TempDir(), newBusyness(t)
	ps := []*process{
		startProcess(t, dir, "a", busyDefs(), twoSteps(), busy.of("a")),
		startProcess(t, dir, "b", busyDefs(), twoSteps(), busy.of("b")),
	}
	var group errgroup.Group
	for i := range threads {
		id := engine.ThreadID(fmt.Sprintf("thread-%d", i))
		if _, err := ps[0].e.Control().CreateThread(t.Context(), engine.CreateThread{ThreadID: id, Agent: "work"}); err != nil {
			t.Fatal(err)
		}
		for j := range turns {
			for _, p := range ps {
				group.Go(func() error {
					turn, err := p.e.Control().SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: id, Content: fmt.Sprintf("%s %d", p.name, j)})
					if err != nil {
						return err
					}
					end, err := p.e.Control().WaitTurn(t.Context(), turn.TurnID)
					if err == nil && end.Status != engine.TurnCompleted {
						err = fmt.Errorf("turn is %s: %s", end.Status, end.Error)
					}
					return err
				})
			}
		}
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range threads {
		checkThread(t, ps[i%2], engine.ThreadID(fmt.Sprintf("thread-%d", i)), 2*turns)
	}
	for call, n := range busy.ran {
		if n != 1 {
			t.Errorf("%s ran %d times", call, n)
		}
	}
}

// checkThread checks that every message of people is in the thread once, that its
// events are numbered without a gap, and that calls and results are paired.
func checkThread(t *testing.T, p *process, id engine.ThreadID, said int) {
	t.Helper()
	page, err := p.store.Messages(t.Context(), engine.MessageQuery{Thread: id, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	open := 0
	for _, m := range page.Messages {
		switch m.Role {
		case engine.RoleUser:
			if seen[m.Text()] {
				t.Errorf("%q is in the thread twice", m.Text())
			}
			seen[m.Text()] = true
		case engine.RoleTool:
			open--
		default:
			open += len(m.ToolCalls)
		}
	}
	if len(seen) != said || open != 0 {
		t.Errorf("%d messages of people, not %d; %d calls without a result", len(seen), said, open)
	}
	rec, err := p.store.Thread(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	events, err := p.store.Events(t.Context(), engine.EventQuery{Session: rec.SessionID, Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if events[i].Sequence != int64(i)+1 {
			t.Fatalf("event %d has the sequence %d", i+1, events[i].Sequence)
		}
		checkEnvelope(t, &events[i])
	}
}

// TestTakeover kills a host in the middle of a model call: the other one goes on
// at once.
func TestTakeover(t *testing.T) {
	dir, never := t.TempDir(), make(chan struct{})
	asked := make(chan struct{}, 1)
	stuck := &provider.Scripted{Answer: func(context.Context, *engine.ModelRequest) provider.Reply {
		asked <- struct{}{}
		return provider.Reply{Text: "I was", Hang: never}
	}}
	a := startProcess(t, dir, "a", busyDefs(), stuck, newBusyness(t).of("a"))
	if _, err := a.e.Control().CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"}); err != nil {
		t.Fatal(err)
	}
	turn, err := a.e.Control().SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "hi"})
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	b := startProcess(t, dir, "b", busyDefs(), twoSteps(), newBusyness(t).of("b"))
	if t2, err := b.e.Control().Turn(t.Context(), turn.TurnID); err != nil || t2.Status != engine.TurnRunning {
		t.Fatalf("while the owner lives: %v, %v", t2, err)
	}
	a.die()
	end, err := b.e.Control().WaitTurn(t.Context(), turn.TurnID)
	if err != nil || end.Status != engine.TurnCompleted {
		t.Fatalf("%+v, %v", end, err)
	}
	checkThread(t, b, "thread", 1)
}

// TestInterruptFromAnotherProcess leaves an intent for the owner.
func TestInterruptFromAnotherProcess(t *testing.T) {
	dir, never := t.TempDir(), make(chan struct{})
	asked := make(chan struct{}, 1)
	stuck := &provider.Scripted{Answer: func(_ context.Context, req *engine.ModelRequest) provider.Reply {
		if req.CallIndex > 0 {
			return provider.Reply{Text: "the next"}
		}
		asked <- struct{}{}
		return provider.Reply{Text: "I was", Hang: never}
	}}
	a := startProcess(t, dir, "a", busyDefs(), stuck, newBusyness(t).of("a"))
	b := startProcess(t, dir, "b", busyDefs(), stuck, newBusyness(t).of("b"))
	if _, err := a.e.Control().CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"}); err != nil {
		t.Fatal(err)
	}
	var turns []engine.TurnID
	for i, p := range []*process{a, b} {
		turn, err := p.e.Control().SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: fmt.Sprint("say ", i)})
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn.TurnID)
		if i == 0 {
			<-asked
		}
	}
	rec, err := a.store.Thread(t.Context(), "thread")
	if err != nil {
		t.Fatal(err)
	}
	other := b
	if aID, err := a.store.Register(t.Context(), engine.HostScope{Project: "/project"}); err != nil || rec.Owner != aID {
		other = a
	}
	if err := other.e.Control().InterruptTurn(t.Context(), "thread", turns[0], "enough"); err != nil {
		t.Fatal(err)
	}
	for i, want := range []engine.TurnStatus{engine.TurnCancelled, engine.TurnCompleted} {
		if end, err := other.e.Control().WaitTurn(t.Context(), turns[i]); err != nil || end.Status != want {
			t.Errorf("turn %d: %+v, %v; want %s", i, end, err, want)
		}
	}
}

// TestThreadStateIsConcurrent uses one call's state from many goroutines, as
// Promise.all does, sub-prompts among them.
func TestThreadStateIsConcurrent(t *testing.T) {
	defs := busyDefs()
	defs.Prompts["ask"] = &engine.Prompt{Name: "ask", Model: "fast", IncludeChat: true}
	model := &provider.Scripted{Answer: func(_ context.Context, req *engine.ModelRequest) provider.Reply {
		if len(req.Tools) > 0 && req.Messages[len(req.Messages)-1].Role == engine.RoleUser {
			return provider.Reply{Calls: []engine.ToolCall{provider.Call("", "count", `{}`)}}
		}
		return provider.Reply{Text: "done"}
	}}
	var group errgroup.Group
	tool := func(ctx context.Context, state *engine.ThreadState) error {
		for i := range 8 {
			group.Go(func() error {
				m, err := state.InjectMessage(ctx, engine.NewMessage{Role: engine.RoleSystem, Content: fmt.Sprint("note ", i)})
				if err != nil {
					return err
				}
				text := "changed"
				if _, err := state.UpdateMessage(ctx, m.ID, engine.MessageUpdate{Content: &text}); err != nil {
					return err
				}
				if _, err := state.InvokeTool(ctx, "ask", json.RawMessage(`{}`)); err != nil {
					return err
				}
				if _, err := state.Messages(ctx, engine.MessageListOptions{}); err != nil {
					return err
				}
				_, err = state.DeleteMessage(ctx, m.ID)
				return err
			})
		}
		return group.Wait()
	}
	p := startProcess(t, t.TempDir(), "a", defs, model, scriptFunc(tool))
	end := p.runTurn(t, "hi")
	if end.Status != engine.TurnCompleted || end.Steps != 2 {
		t.Errorf("%+v", end)
	}
}

// scriptFunc is engine.Scripts whose tools all do the same.
type scriptFunc func(context.Context, *engine.ThreadState) error

func (f scriptFunc) CallTool(ctx context.Context, _ *engine.Tool, _ json.RawMessage, state *engine.ThreadState) (*engine.ToolResult, error) {
	if err := f(ctx, state); err != nil {
		return nil, err
	}
	return &engine.ToolResult{Status: engine.ToolSuccess, Result: "ok"}, nil
}

func (f scriptFunc) CallHook(context.Context, *engine.Hook, []json.RawMessage, *engine.ThreadState) (json.RawMessage, error) {
	return nil, nil
}

func (f scriptFunc) CallEffect(context.Context, *engine.EffectDef, json.RawMessage, *engine.ThreadState) error {
	return nil
}

// runTurn runs one turn in the thread "thread".
func (p *process) runTurn(t *testing.T, text string) *engine.TurnRead {
	t.Helper()
	c := p.e.Control()
	if _, err := c.Thread(t.Context(), "thread"); err != nil {
		if _, err := c.CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"}); err != nil {
			t.Fatal(err)
		}
	}
	turn, err := c.SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: text})
	if err != nil {
		t.Fatal(err)
	}
	end, err := c.WaitTurn(t.Context(), turn.TurnID)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// TestStateEndsWithItsCall checks that a script that goes on by itself changes
// nothing any more.
func TestStateEndsWithItsCall(t *testing.T) {
	var kept *engine.ThreadState
	p := startProcess(t, t.TempDir(), "a", busyDefs(), twoSteps(), scriptFunc(func(_ context.Context, s *engine.ThreadState) error {
		kept = s
		return nil
	}))
	p.runTurn(t, "hi")
	for what, err := range map[string]error{
		"set value": kept.SetValue(t.Context(), "k", json.RawMessage(`1`)),
		"stop":      kept.Stop(),
		"queue":     kept.QueueMessage(t.Context(), engine.NewMessage{Role: engine.RoleUser, Content: "late"}),
	} {
		if engine.CodeOf(err) != engine.CodeConflict || err == nil {
			t.Errorf("%s after the call: %v", what, err)
		}
	}
}

// TestInvariant7NothingAfterTerminate checks every way in.
func TestInvariant7NothingAfterTerminate(t *testing.T) {
	p := startProcess(t, t.TempDir(), "a", busyDefs(), twoSteps(), newBusyness(t).of("a"))
	p.runTurn(t, "hi")
	c := p.e.Control()
	if err := c.Terminate(t.Context(), "thread"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "more"}); engine.CodeOf(err) != engine.CodeConflict {
		t.Errorf("submit: %v", err)
	}
	if err := c.Terminate(t.Context(), "thread"); err != nil {
		t.Errorf("again: %v", err)
	}
	if on, err := c.ResumeThread(t.Context(), "thread"); err != nil || on {
		t.Errorf("resume: %v, %v", on, err)
	}
}

// TestInvariant1FactsCommitWithState checks a subscriber's view: whatever an event
// tells is there to be read.
func TestInvariant1FactsCommitWithState(t *testing.T) {
	p := startProcess(t, t.TempDir(), "a", busyDefs(), twoSteps(), newBusyness(t).of("a"))
	c := p.e.Control()
	thread, err := c.CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"})
	if err != nil {
		t.Fatal(err)
	}
	sub := c.Subscribe(thread.SessionID, 0)
	defer sub.Close()
	if _, err := c.SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", TurnID: "t1", Content: "hi"}); err != nil {
		t.Fatal(err)
	}
	for last := int64(0); ; {
		events, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Volatile() {
				continue
			}
			if e.Sequence != last+1 {
				t.Fatalf("%d after %d", e.Sequence, last)
			}
			last = e.Sequence
			read, err := c.Thread(t.Context(), "thread")
			if err != nil || read.Sequence < e.Sequence {
				t.Fatalf("event %d came before its state: %+v, %v", e.Sequence, read, err)
			}
			var told struct{ MessageID engine.MessageID }
			if e.Type == engine.EventModelCompleted || e.Type == engine.EventToolResult {
				if err := json.Unmarshal(e.Payload, &told); err != nil {
					t.Fatal(err)
				}
				if _, err := c.Message(t.Context(), "thread", told.MessageID); err != nil {
					t.Errorf("%s tells of a message that isn't there: %v", e.Type, err)
				}
			}
			if e.Type == engine.EventTurnCompleted {
				return
			}
		}
	}
}

// TestSlowSubscriber doesn't read while a turn streams more than its buffer holds:
// the turn ends all the same, and no durable event is lost.
func TestSlowSubscriber(t *testing.T) {
	many := &provider.Scripted{Answer: func(context.Context, *engine.ModelRequest) provider.Reply {
		return provider.Reply{Text: string(make([]byte, 2*engine.MaxOpenEvents)), Chunks: 2 * engine.MaxOpenEvents}
	}}
	p := startProcess(t, t.TempDir(), "a", busyDefs(), many, newBusyness(t).of("a"))
	c := p.e.Control()
	thread, err := c.CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"})
	if err != nil {
		t.Fatal(err)
	}
	sub := c.Subscribe(thread.SessionID, 0)
	defer sub.Close()
	if end := p.runTurn(t, "hi"); end.Status != engine.TurnCompleted {
		t.Fatalf("%+v", end)
	}
	log, err := c.Events(t.Context(), engine.EventQuery{Session: thread.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for len(got) < len(log) {
		events, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if !e.Volatile() {
				got = append(got, e.Sequence)
			}
		}
	}
	if !slices.IsSorted(got) || len(got) != len(log) {
		t.Errorf("got %v of %d", got, len(log))
	}
}

// TestSubscriptionEnds checks Close and a cancelled context.
func TestSubscriptionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &scenario{defs: busyDefs()}, 0, false)
		defer w.stop()
		w.create("work")
		sub := w.e.Control().Subscribe(w.session, -1)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sub.Next(ctx); err == nil {
			t.Error("a cancelled context gives no error")
		}
		done := make(chan error)
		go func() {
			_, err := sub.Next(context.Background())
			done <- err
		}()
		synctest.Wait()
		sub.Close()
		if err := <-done; engine.CodeOf(err) != engine.CodeCanceled {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestStepBudget holds the events of a step to DESIGN §11: 8 and about 4 KB.
func TestStepBudget(t *testing.T) {
	p := startProcess(t, t.TempDir(), "a", busyDefs(), twoSteps(), newBusyness(t).of("a"))
	p.runTurn(t, "hi")
	rec, err := p.store.Thread(t.Context(), "thread")
	if err != nil {
		t.Fatal(err)
	}
	events, err := p.store.Events(t.Context(), engine.EventQuery{Session: rec.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	count, size := 0, 0
	for _, e := range events {
		if e.Type == engine.EventModelRequested {
			count, size = 0, 0
		}
		if e.Type == engine.EventThreadUpdated {
			continue // what the tool did
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if count, size = count+1, size+len(b); count > 8 || size > 4<<10 {
			t.Errorf("%d events, %d bytes by %s", count, size, printEvent(&e))
		}
	}
}
