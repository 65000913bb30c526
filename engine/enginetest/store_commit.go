package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func testCreateAndRead(t *testing.T, w *storeWorld) {
	th := w.root("t1")
	th.Arguments, th.Spawn = []byte(`{"a":1}`), []byte(`{"mode":"x"}`)
	w.commit(engine.Commit{Create: []engine.Thread{th}})
	rec := w.record("t1")
	equal(t, "identity", fmt.Sprintf("%+v", rec.Thread), fmt.Sprintf("%+v", th))
	equal(t, "owner", rec.Owner, "")
	equal(t, "active", rec.Exec.Active, false)
	want := engine.ThreadRead{
		ThreadID: "t1", SessionID: "s-t1", Agent: "support", Project: "/p", Name: th.Name,
		CreatedAt: th.CreatedAt, UpdatedAt: th.CreatedAt, Status: engine.ThreadIdle,
	}
	equal(t, "read model", fmt.Sprintf("%+v", rec.Read), fmt.Sprintf("%+v", want))
	if w.Runtime() == "" {
		t.Error("the runtime has no id")
	}
}

func testCreateTwice(_ *testing.T, w *storeWorld) {
	w.create("t1")
	w.refuse(engine.CodeConflict, engine.Commit{Create: []engine.Thread{w.root("t1")}})
	other := w.root("t2")
	other.SessionID = "s-t1"
	w.refuse(engine.CodeConflict, engine.Commit{Create: []engine.Thread{other}})
}

func testCommitIsAtomic(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	w.refuse(engine.CodeConflict, engine.Commit{
		Thread: "t1", Exec: &engine.Exec{Active: true}, Messages: []engine.Message{message("t1", "m1", "x")},
		Create: []engine.Thread{w.root("t2")}, Values: []engine.Value{{Key: "k", Value: []byte(`1`)}},
		Enqueue: []engine.QueueItem{{ID: "q1", ThreadID: "t1", Kind: engine.QueueMessage}},
		Events:  []engine.Event{w.event(th, engine.EventRunStatus, nil)},
		Dequeue: []engine.QueueID{"missing"},
	})
	rec := w.record("t1")
	equal(t, "active", rec.Exec.Active, false)
	equal(t, "sequence", rec.Read.Sequence, 2)
	equal(t, "messages", len(w.page(engine.MessageQuery{Thread: "t1"}).Messages), 0)
	_, err := w.Thread(w.ctx, "t2")
	wantCode(t, err, engine.CodeNotFound)
	queue, err := w.Queue(w.ctx, "t1")
	if err != nil || len(queue) != 0 {
		t.Fatalf("queue %v, %v", queue, err)
	}
	n, err := w.Values(w.ctx, "t1")
	if err != nil || n != 0 {
		t.Fatalf("%d values, %v", n, err)
	}
	// What the failed commit had counted must not be remembered.
	done := w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{message("t1", "m2", "y")},
		Events: []engine.Event{w.event(th, engine.EventRunStatus, nil)}})
	equal(t, "next sequence", done.Events[0].Sequence, 3)
	equal(t, "total", w.page(engine.MessageQuery{Thread: "t1", Limit: -1}).Total, 1)
}

func testMissingThread(t *testing.T, w *storeWorld) {
	w.refuse(engine.CodeNotFound, engine.Commit{Thread: "nobody", Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	w.refuse(engine.CodeNotFound, engine.Commit{Thread: "nobody", Fence: 3, Exec: &engine.Exec{}})
	w.refuse(engine.CodeNotFound, engine.Commit{Enqueue: []engine.QueueItem{{ID: "q", ThreadID: "nobody"}}})
	for name, err := range map[string]error{
		"Thread":   func() error { _, err := w.Thread(w.ctx, "nobody"); return err }(),
		"Messages": func() error { _, err := w.Messages(w.ctx, engine.MessageQuery{Thread: "nobody"}); return err }(),
		"Message":  func() error { _, err := w.Message(w.ctx, "nobody", "m"); return err }(),
		"Turn":     func() error { _, err := w.Turn(w.ctx, "nobody"); return err }(),
		"Queue":    func() error { _, err := w.Queue(w.ctx, "nobody"); return err }(),
		"Session":  func() error { _, err := w.Session(w.ctx, "nobody"); return err }(),
		"Output":   func() error { _, err := w.Output(w.ctx, "sha256:00"); return err }(),
	} {
		if engine.CodeOf(err) != engine.CodeNotFound {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}

func testTerminated(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.commit(engine.Commit{Thread: "t1", Live: true, Terminate: 77})
	equal(t, "terminated", w.record("t1").Terminated, 77)
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Live: true, Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Live: true,
		Enqueue: []engine.QueueItem{{ID: "q", ThreadID: "t1", Kind: engine.QueueMessage}}})
	w.commit(engine.Commit{Thread: "t1", Exec: &engine.Exec{}}) // its owner still closes what was open
}

func testNewTurnOnce(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	submit := func(message_ engine.MessageID) engine.Commit {
		e := w.event(th, engine.EventTurnSubmitted, engine.TurnPayload{Origin: engine.OriginUser})
		e.TurnID = "turn-1"
		return engine.Commit{Thread: "t1", Live: true, NewTurn: "turn-1", Events: []engine.Event{e},
			Messages: []engine.Message{message("t1", message_, "x")}}
	}
	w.commit(submit("m1"))
	w.refuse(engine.CodeConflict, submit("m2"))
	equal(t, "messages", ids(w.page(engine.MessageQuery{Thread: "t1"}).Messages), "m1")
	turn, err := w.Turn(w.ctx, "turn-1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", turn.Status, engine.TurnQueued)
	equal(t, "thread", turn.ThreadID, "t1")
}

func testExecRoundTrip(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.commit(engine.Commit{Thread: "t1", Agent: "sales", Exec: &engine.Exec{Active: true, State: []byte(`{"open":["c1"]}`)}})
	rec := w.record("t1")
	equal(t, "agent", rec.Agent, "sales")
	equal(t, "state", string(rec.Exec.State), `{"open":["c1"]}`)
	w.commit(engine.Commit{Thread: "t1", Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	rec = w.record("t1")
	equal(t, "state that stays", string(rec.Exec.State), `{"open":["c1"]}`)
	equal(t, "active that stays", rec.Exec.Active, true)
	w.commit(engine.Commit{Thread: "t1", Exec: &engine.Exec{}})
	rec = w.record("t1")
	equal(t, "state replaced by nothing", len(rec.Exec.State), 0)
	equal(t, "active replaced", rec.Exec.Active, false)
}

func testGroupIsolation(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	w.create("t2")
	var wg sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		c := engine.Commit{Thread: "t1", Messages: []engine.Message{message("t1", engine.MessageID(fmt.Sprint("m", i)), "x")},
			Events: []engine.Event{w.event(th, engine.EventRunStatus, nil)}}
		if i%2 == 1 { // a lease that nobody holds
			c.Thread, c.Fence = "t2", 9
		}
		wg.Go(func() { _, errs[i] = w.Commit(w.ctx, &c) })
	}
	wg.Wait()
	for i, err := range errs {
		if i%2 == 0 && err != nil || i%2 == 1 && engine.CodeOf(err) != engine.CodeConflict {
			t.Errorf("member %d: %v", i, err)
		}
	}
	equal(t, "messages", w.page(engine.MessageQuery{Thread: "t1", Limit: -1}).Total, 20)
	events, err := w.Events(w.ctx, engine.EventQuery{Session: "s-t1"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "events", len(events), 22)
	equal(t, "last sequence", events[21].Sequence, 22)
}

func testConcurrent(t *testing.T, w *storeWorld) {
	const threads, each = 8, 10
	var wg sync.WaitGroup
	for i := range threads {
		id := engine.ThreadID(fmt.Sprint("t", i))
		w.create(id)
		wg.Go(func() {
			for k := range each {
				m := message(id, engine.MessageID(fmt.Sprint("m", k)), "x")
				done, err := w.Commit(w.ctx, &engine.Commit{Thread: id, Messages: []engine.Message{m}})
				if err != nil {
					t.Errorf("commit: %v", err)
					return
				}
				if got, err := w.Message(w.ctx, id, m.ID); err != nil || got.Ord != done.Messages[0].Ord {
					t.Errorf("message after its commit: %v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
	for i := range threads {
		equal(t, "messages", w.page(engine.MessageQuery{Thread: engine.ThreadID(fmt.Sprint("t", i)), Limit: -1}).Total, each)
	}
}

func testCancelled(t *testing.T, w *storeWorld) {
	w.create("t1")
	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	_, err := w.Commit(ctx, &engine.Commit{Thread: "t1", Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	v, err := w.Value(w.ctx, "t1", "k")
	if err != nil || v != nil {
		t.Fatalf("value %s, %v", v, err)
	}
}

func testReopen(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	w.commit(engine.Commit{Thread: "t1", Exec: &engine.Exec{Active: true, State: []byte(`{}`)},
		Messages: []engine.Message{message("t1", "m1", "x")}, Values: []engine.Value{{Key: "k", Value: []byte(`1`)}},
		Enqueue: []engine.QueueItem{{ID: "q1", ThreadID: "t1", Kind: engine.QueueMessage}},
		Events:  []engine.Event{w.event(th, engine.EventRunStatus, nil)}})
	before, runtime := w.record("t1"), w.Runtime()
	w.close()
	w = w.second()
	equal(t, "record", fmt.Sprintf("%+v", w.record("t1")), fmt.Sprintf("%+v", before))
	equal(t, "runtime", w.Runtime(), runtime)
	equal(t, "messages", ids(w.page(engine.MessageQuery{Thread: "t1"}).Messages), "m1")
	done := w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{message("t1", "m2", "x")},
		Events: []engine.Event{w.event(th, engine.EventRunStatus, nil)}})
	equal(t, "next sequence", done.Events[0].Sequence, 4)
	equal(t, "messages", ids(w.page(engine.MessageQuery{Thread: "t1"}).Messages), "m1 m2")
}

func testClosed(t *testing.T, w *storeWorld) {
	w.create("t1")
	changes := w.Changes()
	w.close()
	_, err := w.Commit(w.ctx, &engine.Commit{Thread: "t1", Terminate: 1})
	wantCode(t, err, engine.CodeCanceled)
	_, err = w.Thread(w.ctx, "t1")
	wantCode(t, err, engine.CodeCanceled)
	for range changes { // ends, since the channel is closed
	}
}
