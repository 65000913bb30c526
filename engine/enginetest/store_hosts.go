package enginetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func (w *storeWorld) claim(id engine.ThreadID, fence engine.Fence) engine.Fence {
	w.Helper()
	return w.commit(engine.Commit{Thread: id, Claim: &engine.Claim{Fence: fence}}).Fence
}

func testClaimAndFence(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.refuse(engine.CodeInvalid, engine.Commit{Thread: "t1", Claim: &engine.Claim{}})
	host := w.register(engine.HostScope{Project: "/p"})
	fence := w.claim("t1", 0)
	if fence <= 0 {
		t.Fatalf("fence %d", fence)
	}
	equal(t, "owner", w.record("t1").Owner, host)
	equal(t, "fence", w.record("t1").Fence, fence)
	done := w.commit(engine.Commit{Thread: "t1", Fence: fence, Exec: &engine.Exec{Active: true}})
	equal(t, "fence of a commit", done.Fence, fence)
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Fence: fence + 1, Exec: &engine.Exec{}})
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Claim: &engine.Claim{Fence: fence - 1}})
	again := w.claim("t1", fence) // by the same host
	if again <= fence {
		t.Fatalf("fence %d after %d", again, fence)
	}
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Fence: fence, Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	w.commit(engine.Commit{Thread: "t1", Fence: again, Release: true, Exec: &engine.Exec{}})
	equal(t, "owner after release", w.record("t1").Owner, "")
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Fence: again})
	w.claim("t1", again)
}

func testClaimBusy(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.register(engine.HostScope{Project: "/p"})
	fence := w.claim("t1", 0)
	other := w.second()
	other.register(engine.HostScope{Project: "/p"})
	other.refuse(engine.CodeBusy, engine.Commit{Thread: "t1", Claim: &engine.Claim{Fence: fence}})
	other.commit(engine.Commit{Thread: "t1", Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}}) // no lease is needed for that
	w.close()
	if next := other.claim("t1", fence); next <= fence {
		t.Fatalf("fence %d after %d", next, fence)
	}
}

func testClaimRace(t *testing.T, w *storeWorld) {
	w.create("t1")
	worlds := []*storeWorld{w, w.second(), w.second()}
	for _, x := range worlds {
		x.register(engine.HostScope{Project: "/p"})
	}
	for round := range 5 {
		fence := w.record("t1").Fence
		var wg sync.WaitGroup
		errs := make([]error, len(worlds))
		fences := make([]engine.Fence, len(worlds))
		for i, x := range worlds {
			wg.Go(func() {
				done, err := x.Commit(x.ctx, &engine.Commit{Thread: "t1", Claim: &engine.Claim{Fence: fence}})
				if errs[i] = err; err == nil {
					fences[i] = done.Fence
				}
			})
		}
		wg.Wait()
		winner := -1
		for i, err := range errs {
			switch {
			case err == nil && winner < 0:
				winner = i
			case err == nil:
				t.Fatalf("round %d: %d and %d both claimed", round, winner, i)
			case engine.CodeOf(err) != engine.CodeBusy && engine.CodeOf(err) != engine.CodeConflict:
				t.Fatalf("round %d: %v", round, err)
			}
		}
		if winner < 0 {
			t.Fatalf("round %d: nobody claimed: %v", round, errs)
		}
		worlds[winner].commit(engine.Commit{Thread: "t1", Fence: fences[winner], Release: true})
	}
}

func testStaleOwner(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.register(engine.HostScope{Project: "/p"})
	fence := w.claim("t1", 0)
	w.commit(engine.Commit{Thread: "t1", Fence: fence, Release: true})
	other := w.second()
	other.register(engine.HostScope{Project: "/p"})
	taken := other.claim("t1", fence)
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Fence: fence, Messages: []engine.Message{message("t1", "stale", "x")}})
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Fence: taken, Messages: []engine.Message{message("t1", "forged", "x")}})
	other.commit(engine.Commit{Thread: "t1", Fence: taken, Messages: []engine.Message{message("t1", "mine", "x")}})
	equal(t, "messages", ids(w.page(engine.MessageQuery{Thread: "t1"}).Messages), "mine")
}

func (w *storeWorld) runnable(scope engine.HostScope) string {
	w.Helper()
	list, err := w.Runnable(w.ctx, scope)
	if err != nil {
		w.Fatalf("Runnable: %v", err)
	}
	return fmt.Sprint(list)
}

func testRunnable(t *testing.T, w *storeWorld) {
	scope := engine.HostScope{Project: "/p"}
	w.register(scope)
	for _, id := range []engine.ThreadID{"c", "a", "b"} {
		w.create(id)
	}
	w.commit(engine.Commit{Create: []engine.Thread{{ID: "x", SessionID: "s-x", Project: "/other", CreatedAt: 1}}})
	equal(t, "at rest", w.runnable(scope), "[]")
	w.commit(engine.Commit{Thread: "c", Exec: &engine.Exec{Active: true}})
	w.commit(engine.Commit{Enqueue: []engine.QueueItem{{ID: "q1", ThreadID: "a"}, {ID: "q2", ThreadID: "x"}}})
	equal(t, "with work", w.runnable(scope), "[c a]")
	equal(t, "of one session", w.runnable(engine.HostScope{Project: "/p", Session: "s-a"}), "[a]")
	working, _ := w.list(engine.ThreadQuery{Working: true, Project: &scope.Project})
	equal(t, "listed as working", working, "a c")
	equal(t, "of the other project", w.runnable(engine.HostScope{Project: "/other"}), "[x]")
	fence := w.claim("c", 0)
	equal(t, "while owned", w.runnable(scope), "[a]")
	other := w.second()
	equal(t, "seen by another", other.runnable(scope), "[a]")
	w.commit(engine.Commit{Thread: "c", Fence: fence, Exec: &engine.Exec{}, Release: true})
	w.commit(engine.Commit{Thread: "a", Dequeue: []engine.QueueID{"q1"}})
	equal(t, "done", w.runnable(scope), "[]")
	w.commit(engine.Commit{Thread: "b", Enqueue: []engine.QueueItem{{ID: "q3", ThreadID: "b"}}, Terminate: 5})
	equal(t, "a terminated thread's queue", w.runnable(scope), "[]")
	w.commit(engine.Commit{Thread: "b", Exec: &engine.Exec{Active: true}})
	equal(t, "a terminated thread that has to be closed", w.runnable(scope), "[b]")
	w.claim("b", 0)
	w.close()
	equal(t, "once its owner ended", other.runnable(scope), "[b]")
}

func testSignals(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	w.register(engine.HostScope{Project: "/p"})
	w.claim("t1", 0)
	other := w.second()
	other.commit(engine.Commit{Signals: []engine.Signal{
		{ThreadID: "t1", Kind: engine.SignalInterrupt, TurnID: "u1", Reason: "enough", CreatedAt: 4},
		{ThreadID: "t2", Kind: engine.SignalTerminate},
	}})
	mine, err := w.Signals(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "signals of the owner", len(mine), 2)
	got := mine[0]
	got.ID = 0
	equal(t, "signal", got, engine.Signal{ThreadID: "t1", Kind: engine.SignalInterrupt, TurnID: "u1", Reason: "enough", CreatedAt: 4})
	theirs, err := other.Signals(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "signals of others", len(theirs), 1)
	equal(t, "whose", theirs[0].ThreadID, "t2")
	w.commit(engine.Commit{Handled: []int64{mine[0].ID, mine[1].ID}})
	if mine, err = w.Signals(w.ctx); err != nil || len(mine) != 0 {
		t.Fatalf("signals %v, %v", mine, err)
	}
}

func testLiveHost(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	other := w.second()
	live := func(id engine.ThreadID) bool {
		t.Helper()
		ok, err := other.LiveHost(w.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	equal(t, "no host", live("t1"), false)
	w.register(engine.HostScope{Project: "/elsewhere"})
	equal(t, "another project's", live("t1"), false)
	w.register(engine.HostScope{Project: "/p", Session: "s-t2"})
	equal(t, "another session's", live("t1"), false)
	equal(t, "the session's", live("t2"), true)
	w.register(engine.HostScope{Project: "/p"})
	equal(t, "the project's", live("t1"), true)
	self, err := w.LiveHost(w.ctx, "t1")
	if err != nil || self {
		t.Fatalf("a host finds itself: %v, %v", self, err)
	}
	w.close()
	equal(t, "after its end", live("t1"), false)
}

func testChanges(t *testing.T, w *storeWorld) {
	w.create("t1")
	other := w.second()
	for i := range 3 {
		other.commit(engine.Commit{Thread: "t1", Values: []engine.Value{{Key: "k", Value: []byte(fmt.Sprint(i))}}})
		ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
		for {
			select {
			case <-w.Changes():
			case <-ctx.Done():
				t.Fatal("a commit of another process isn't told")
			}
			v, err := w.Value(w.ctx, "t1", "k")
			if err != nil {
				t.Fatal(err)
			}
			if string(v) == fmt.Sprint(i) {
				break
			}
		}
		cancel()
	}
}

func testRequests(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	list := func(thread engine.ThreadID) (out []engine.RequestID) {
		t.Helper()
		requests, err := w.Requests(w.ctx, thread)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range requests {
			out = append(out, r.ID)
		}
		return out
	}
	w.commit(engine.Commit{Thread: "t1", Requests: []engine.Request{
		{ID: "z", ThreadID: "t1", Payload: []byte(`{"a":1}`), CreatedAt: 7}, {ID: "a", ThreadID: "t1", Payload: []byte(`{}`), CreatedAt: 8},
	}})
	w.commit(engine.Commit{Thread: "t2", Requests: []engine.Request{{ID: "m", ThreadID: "t2", Payload: []byte(`{}`), CreatedAt: 9}}})
	equal(t, "of a thread", fmt.Sprint(list("t1")), "[z a]")
	equal(t, "of any", fmt.Sprint(list("")), "[z a m]")
	r, err := w.Request(w.ctx, "z")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "payload", string(r.Payload), `{"a":1}`)
	equal(t, "thread", r.ThreadID, "t1")
	equal(t, "created", r.CreatedAt, 7)
	w.commit(engine.Commit{Thread: "t1", Fulfil: "z"})
	w.refuse(engine.CodeNotFound, engine.Commit{Thread: "t1", Fulfil: "z", Values: []engine.Value{{Key: "k", Value: []byte(`1`)}}})
	_, err = w.Request(w.ctx, "z")
	wantCode(t, err, engine.CodeNotFound)
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t1"}})
	equal(t, "after the thread went", fmt.Sprint(list("")), "[m]")
}

// testOwnChanges commits until another process was told, which takes longer than
// telling oneself would.
func testOwnChanges(t *testing.T, w *storeWorld) {
	w.create("t1")
	other := w.second()
	for i := range 5 { // each writes something new: what changes nothing isn't told
		w.commit(engine.Commit{Thread: "t1", Values: []engine.Value{{Key: "k", Value: []byte(fmt.Sprint(i))}}})
		ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
		select {
		case <-other.Changes():
		case <-ctx.Done():
			t.Fatal("a commit of another process isn't told")
		}
		cancel()
		select {
		case <-w.Changes():
			t.Fatal("own commits are told as changes")
		default:
		}
	}
}
