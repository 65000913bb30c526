package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// OpenStore opens the store that is kept under dir, and closes it when the test
// ends unless the test did. Two of them on one dir are two processes' stores.
type OpenStore func(t *testing.T, dir string) engine.Store

// TestStore is what every engine.Store must do.
func TestStore(t *testing.T, open OpenStore) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, w *storeWorld)
	}{
		{"CreateAndRead", testCreateAndRead},
		{"CreateTwiceConflicts", testCreateTwice},
		{"CommitIsAtomic", testCommitIsAtomic},
		{"MissingThread", testMissingThread},
		{"TerminatedRejects", testTerminated},
		{"NewTurnOnce", testNewTurnOnce},
		{"ExecRoundTrip", testExecRoundTrip},
		{"MessagesInOrder", testMessagesInOrder},
		{"MessageWindows", testMessageWindows},
		{"MessageFilters", testMessageFilters},
		{"MessageReplacedAndDropped", testMessageReplaced},
		{"QueueIsFIFO", testQueueIsFIFO},
		{"QueueDequeueMissing", testDequeueMissing},
		{"EventsAreNumberedPerSession", testEventSequence},
		{"EventsFoldIntoReadModels", testEventsFold},
		{"ReadModelsRebuildFromTheLog", testRebuild},
		{"ChildRegistry", testChildren},
		{"ListThreads", testListThreads},
		{"SearchThreads", testSearchThreads},
		{"TurnsNewestFirst", testTurns},
		{"KeyValueRules", testKeyValue},
		{"EnvScopes", testEnv},
		{"Outputs", testOutputs},
		{"DeleteRemovesAll", testDelete},
		{"ClaimAndFence", testClaimAndFence},
		{"ClaimBusyWhileOwnerLives", testClaimBusy},
		{"ClaimRaceHasOneWinner", testClaimRace},
		{"StaleOwnerCantCommit", testStaleOwner},
		{"GroupCommitIsolatesFailures", testGroupIsolation},
		{"ConcurrentCommitsAllLand", testConcurrent},
		{"RunnableListsUnownedWork", testRunnable},
		{"SignalsReachTheOwner", testSignals},
		{"LiveHost", testLiveHost},
		{"RequestsAreUsedOnce", testRequests},
		{"FilesRoundTrip", testFiles},
		{"FileChunks", testFileChunks},
		{"FileTree", testFileTree},
		{"FileMoves", testFileMoves},
		{"FileCopies", testFileCopies},
		{"FileErrorsChangeNothing", testFileErrors},
		{"OtherProcessChanges", testChanges},
		{"OwnCommitsAreNoChange", testOwnChanges},
		{"CancelledBeforeBegun", testCancelled},
		{"ReopenFindsAll", testReopen},
		{"ClosedStoreFails", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, newStoreWorld(t, open)) })
	}
}

// storeWorld is one test's store, with the second process where it needs one.
type storeWorld struct {
	*testing.T
	engine.Store
	ctx  context.Context
	open OpenStore
	dir  string
	now  time.Time
}

func newStoreWorld(t *testing.T, open OpenStore) *storeWorld {
	dir := t.TempDir()
	return &storeWorld{
		T: t, Store: open(t, dir), ctx: context.Background(), open: open, dir: dir,
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
}

// second is another process's store on the same data.
func (w *storeWorld) second() *storeWorld {
	o := *w
	o.Store = w.open(w.T, w.dir)
	return &o
}

func (w *storeWorld) close() {
	w.Helper()
	c, ok := w.Store.(io.Closer)
	if !ok {
		w.Skip("the store has no Close")
	}
	if err := c.Close(); err != nil {
		w.Fatalf("Close: %v", err)
	}
}

// commit must succeed.
func (w *storeWorld) commit(c engine.Commit) *engine.Committed {
	w.Helper()
	if c.Now.IsZero() {
		c.Now = w.now
	}
	done, err := w.Commit(w.ctx, &c)
	if err != nil {
		w.Fatalf("Commit: %v", err)
	}
	return done
}

// refuse must fail with code.
func (w *storeWorld) refuse(code engine.Code, c engine.Commit) {
	w.Helper()
	_, err := w.Commit(w.ctx, &c)
	wantCode(w.T, err, code)
}

func wantCode(t *testing.T, err error, code engine.Code) {
	t.Helper()
	if err == nil {
		t.Fatalf("succeeded, want %s", code)
	}
	if got := engine.CodeOf(err); got != code {
		t.Fatalf("error %v has code %s, want %s", err, got, code)
	}
}

// root is a root thread of the session "s-"+id.
func (w *storeWorld) root(id engine.ThreadID) engine.Thread {
	return engine.Thread{
		ID: id, SessionID: engine.SessionID("s-" + id), Agent: "support", Project: "/p", UserID: "u",
		Name: "name of " + string(id), CreatedAt: engine.MicrosOf(w.now),
	}
}

// create commits a root thread with the events that tell of it.
func (w *storeWorld) create(id engine.ThreadID) engine.Thread {
	w.Helper()
	th := w.root(id)
	w.commit(engine.Commit{Create: []engine.Thread{th}, Events: []engine.Event{
		w.event(th, engine.EventSessionCreated, nil),
		w.event(th, engine.EventThreadStarted, engine.ThreadPayload{Agent: th.Agent, AgentType: "ai_human", Name: th.Name}),
	}})
	return th
}

// event is an event of a thread, a second after the last one.
func (w *storeWorld) event(th engine.Thread, typ engine.EventType, payload any) engine.Event {
	w.Helper()
	w.now = w.now.Add(time.Second)
	b, err := json.Marshal(payload)
	if err != nil {
		w.Fatal(err)
	}
	return engine.Event{
		Type: typ, EventID: engine.EventID(fmt.Sprintf("e-%d", w.now.UnixMicro())), Timestamp: w.now,
		SchemaVersion: engine.EventSchemaVersion, SessionID: th.SessionID, ThreadID: th.ID, Payload: b,
	}
}

// message is a user's message of a thread.
func message(thread engine.ThreadID, id engine.MessageID, text string) engine.Message {
	return engine.Message{ID: id, ThreadID: thread, Role: engine.RoleUser, Content: &text, Status: engine.MessageCompleted, CreatedAt: 1}
}

func (w *storeWorld) record(id engine.ThreadID) *engine.ThreadRecord {
	w.Helper()
	rec, err := w.Thread(w.ctx, id)
	if err != nil {
		w.Fatalf("Thread %s: %v", id, err)
	}
	return rec
}

func (w *storeWorld) register(scope engine.HostScope) engine.HostID {
	w.Helper()
	id, err := w.Register(w.ctx, scope)
	if err != nil {
		w.Fatalf("Register: %v", err)
	}
	return id
}

func (w *storeWorld) page(q engine.MessageQuery) *engine.MessagePage {
	w.Helper()
	p, err := w.Messages(w.ctx, q)
	if err != nil {
		w.Fatalf("Messages: %v", err)
	}
	return p
}

// ids joins the ids of messages, for comparison.
func ids(list []engine.Message) string {
	var out []string
	for _, m := range list {
		out = append(out, string(m.ID))
	}
	return strings.Join(out, " ")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
