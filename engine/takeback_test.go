package engine_test

import (
	"context"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// takebackStore takes the queued message back after the thread's owner has read
// the queue, and before it injects it.
type takebackStore struct {
	staleStore
	item engine.QueueID
}

func (s *takebackStore) Queue(ctx context.Context, id engine.ThreadID) ([]engine.QueueItem, error) {
	items, err := s.Store.Queue(ctx, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(items) == 2 && s.item == "" {
		s.item = items[1].ID
		if _, err := s.Store.Commit(ctx, &engine.Commit{Thread: id, Dequeue: []engine.QueueID{s.item}}); err != nil {
			return nil, err
		}
	}
	return items, err
}

// TestATakenBackMessageStopsNothing removes a queued message while the flow is
// about to take it: the other one is answered.
func TestATakenBackMessageStopsNothing(t *testing.T) {
	s := &takebackStore{staleStore: staleStore{Store: startReader(t, t.TempDir()).Store}}
	e := engine.New(engineConfig(s))
	c := e.Control()
	if _, err := c.CreateThread(t.Context(), engine.CreateThread{ThreadID: "thread", Agent: "work"}); err != nil {
		t.Fatal(err)
	}
	first, err := c.SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SubmitTurn(t.Context(), engine.SubmitTurn{ThreadID: "thread", Content: "two"}); err != nil {
		t.Fatal(err)
	}
	if err := e.Start(context.Background(), engine.HostScope{Project: busyDefs().Dir}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	end, err := c.WaitTurn(t.Context(), first.TurnID)
	if err != nil || end.Status != engine.TurnCompleted {
		t.Fatalf("%+v, %v", end, err)
	}
}
