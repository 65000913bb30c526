package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// staleStore lets something happen between the read of a thread and what its
// reader does next: after the first message that is queued through it, once.
type staleStore struct {
	*storage.Store
	mu    sync.Mutex
	armed bool
	then  func()
}

func (s *staleStore) Commit(ctx context.Context, c *engine.Commit) (*engine.Committed, error) {
	done, err := s.Store.Commit(ctx, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = s.armed || len(c.Enqueue) > 0
	return done, err
}

func (s *staleStore) Thread(ctx context.Context, id engine.ThreadID) (*engine.ThreadRecord, error) {
	rec, err := s.Store.Thread(ctx, id)
	s.mu.Lock()
	then := s.then
	if s.armed {
		s.then = nil
	}
	s.mu.Unlock()
	if s.armed && then != nil {
		then()
	}
	return rec, err
}

// TestTakeoverSeesTheLastCommits has the owner of a thread finish a tool and die
// after the next owner has read the thread, and before it claims it: the next one
// goes on from the result, not from before it.
func TestTakeoverSeesTheLastCommits(t *testing.T) {
	dir, never := t.TempDir(), make(chan struct{})
	running, finish, asked := make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
	first := &provider.Scripted{Answer: func(_ context.Context, req *engine.ModelRequest) provider.Reply {
		if req.CallIndex > 0 {
			asked <- struct{}{}
			return provider.Reply{Hang: never}
		}
		return provider.Reply{Calls: []engine.ToolCall{provider.Call("", "count", `{}`)}}
	}}
	a := startProcess(t, dir, "a", busyDefs(), first, scriptFunc(func(context.Context, *engine.ThreadState) error {
		close(running)
		<-finish
		return nil
	}))
	if _, err := a.e.Control().CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"}); err != nil {
		t.Fatal(err)
	}
	turn, err := a.e.Control().SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "count"})
	if err != nil {
		t.Fatal(err)
	}
	<-running

	b := startReader(t, dir)
	died := make(chan struct{})
	b.then = func() {
		close(finish)
		<-asked
		a.die()
		close(died)
	}
	e := hostOn(t, b)
	if _, err := e.Control().SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "and then"}); err != nil {
		t.Fatal(err)
	}
	<-died
	end, err := e.Control().WaitTurn(t.Context(), turn.TurnID)
	if err != nil || end.Status != engine.TurnCompleted {
		t.Fatalf("%+v, %v", end, err)
	}
	page, err := b.Messages(t.Context(), engine.MessageQuery{Thread: "thread", Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Messages {
		if m.Role == engine.RoleTool && m.ToolStatus != engine.ToolSuccess {
			t.Errorf("the result of a call that ended well: %s", m.Text())
		}
	}
	if turns, err := e.Control().Turns(t.Context(), "thread", 10); err != nil || len(turns) != 2 || !turns[0].Status.Ended() || !turns[1].Status.Ended() {
		t.Errorf("turns: %+v, %v", turns, err)
	}
}

func startReader(t *testing.T, dir string) *staleStore {
	t.Helper()
	store, err := storage.Open(context.Background(), storage.Options{Dir: dir, NewID: numbered("b"), FileKey: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &staleStore{Store: store}
}

func hostOn(t *testing.T, s engine.Store) *engine.Engine {
	t.Helper()
	c := engineConfig(s)
	c.Scripts = newBusyness(t).of("b")
	e := engine.New(c)
	if err := e.Start(context.Background(), engine.HostScope{Project: busyDefs().Dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// numbered makes ids that begin with name.
func numbered(name string) func() string {
	var mu sync.Mutex
	n := 0
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf("%s-%d", name, n)
	}
}

func engineConfig(s engine.Store) engine.Config {
	ok := scriptFunc(func(context.Context, *engine.ThreadState) error { return nil })
	return engine.Config{Store: s, Project: engine.FixedProject{Defs: busyDefs()}, Models: twoSteps(), Scripts: ok,
		Now: time.Now, NewID: numbered("e"), After: time.After}
}
