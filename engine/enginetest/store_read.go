package enginetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func (w *storeWorld) fill(thread engine.ThreadID, n int) {
	w.Helper()
	for i := range n {
		w.commit(engine.Commit{Thread: thread, Messages: []engine.Message{message(thread, engine.MessageID(fmt.Sprint("m", i+1)), "x")}})
	}
}

func testMessagesInOrder(t *testing.T, w *storeWorld) {
	w.create("t1")
	done := w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{message("t1", "z", "1"), message("", "a", "2")}})
	w.fill("t1", 2)
	equal(t, "order", ids(w.page(engine.MessageQuery{Thread: "t1"}).Messages), "z a m1 m2")
	if done.Messages[0].Ord <= 0 || done.Messages[1].Ord <= done.Messages[0].Ord {
		t.Errorf("ords %d, %d don't grow from 1", done.Messages[0].Ord, done.Messages[1].Ord)
	}
	m, err := w.Message(w.ctx, "t1", "a")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "text", m.Text(), "2")
	equal(t, "thread", m.ThreadID, "t1")
	equal(t, "ord", m.Ord, done.Messages[1].Ord)
}

func testMessageWindows(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.fill("t1", 9)
	all := w.page(engine.MessageQuery{Thread: "t1", Limit: -1}).Messages
	for _, c := range []struct {
		q    engine.MessageQuery
		want string
		more bool
	}{
		{engine.MessageQuery{}, "m1 m2 m3 m4 m5 m6 m7 m8 m9", false},
		{engine.MessageQuery{Limit: 3}, "m7 m8 m9", true},
		{engine.MessageQuery{Limit: 9}, "m1 m2 m3 m4 m5 m6 m7 m8 m9", false},
		{engine.MessageQuery{Limit: 3, Before: all[6].Ord}, "m4 m5 m6", true},
		{engine.MessageQuery{Limit: 3, Before: all[3].Ord}, "m1 m2 m3", true},
		{engine.MessageQuery{Limit: 3, After: all[2].Ord}, "m4 m5 m6", true},
		{engine.MessageQuery{Limit: -1, After: all[6].Ord}, "m8 m9", true},
		{engine.MessageQuery{Limit: 1, After: all[1].Ord, Before: all[5].Ord}, "m3", true},
		{engine.MessageQuery{Limit: 3, After: all[8].Ord}, "", true},
	} {
		c.q.Thread = "t1"
		p := w.page(c.q)
		if ids(p.Messages) != c.want || p.More != c.more || p.Total != 9 {
			t.Errorf("%+v: got %q more %v total %d, want %q more %v", c.q, ids(p.Messages), p.More, p.Total, c.want, c.more)
		}
	}
}

func testMessageFilters(t *testing.T, w *storeWorld) {
	w.create("t1")
	add := func(id engine.MessageID, silent bool, depth int, run engine.RunID) {
		m := message("t1", id, "x")
		m.Silent, m.Depth, m.RunID = silent, depth, run
		w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{m}})
	}
	add("plain", false, 0, "")
	add("silent", true, 0, "r1")
	add("deep", false, 1, "r1")
	add("deeper", false, 2, "r2")
	add("last", false, 0, "r2")
	for _, c := range []struct {
		q    engine.MessageQuery
		want string
		all  int
	}{
		{engine.MessageQuery{}, "plain last", 2},
		{engine.MessageQuery{IncludeSilent: true}, "plain silent last", 3},
		{engine.MessageQuery{MaxDepth: 1}, "plain deep last", 3},
		{engine.MessageQuery{MaxDepth: -1}, "plain deep deeper last", 4},
		{engine.MessageQuery{MaxDepth: -1, IncludeSilent: true}, "plain silent deep deeper last", 5},
		{engine.MessageQuery{MaxDepth: -1, IncludeSilent: true, Run: "r1"}, "silent deep", 2},
		{engine.MessageQuery{Run: "r2"}, "last", 1},
		{engine.MessageQuery{Limit: 1}, "last", 2},
		{engine.MessageQuery{Limit: 1, MaxDepth: 1}, "last", 3},
		{engine.MessageQuery{Limit: 1, MaxDepth: -1, IncludeSilent: true}, "last", 5},
	} {
		c.q.Thread = "t1"
		p := w.page(c.q)
		if ids(p.Messages) != c.want || p.Total != c.all {
			t.Errorf("%+v: got %q of %d, want %q of %d", c.q, ids(p.Messages), p.Total, c.want, c.all)
		}
	}
}

func testMessageReplaced(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	w.fill("t1", 3)
	before, err := w.Message(w.ctx, "t1", "m2")
	if err != nil {
		t.Fatal(err)
	}
	m := message("t1", "m2", "changed")
	m.Silent = true
	done := w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{m}, DropMessages: []engine.MessageID{"m1", "missing"}})
	equal(t, "ord", done.Messages[0].Ord, before.Ord)
	p := w.page(engine.MessageQuery{Thread: "t1", IncludeSilent: true, Limit: 1})
	equal(t, "total", p.Total, 2)
	equal(t, "shown", w.page(engine.MessageQuery{Thread: "t1", Limit: 1}).Total, 1)
	p = w.page(engine.MessageQuery{Thread: "t1", IncludeSilent: true})
	equal(t, "order", ids(p.Messages), "m2 m3")
	equal(t, "text", p.Messages[0].Text(), "changed")
	w.commit(engine.Commit{Thread: "t2", Messages: []engine.Message{message("t2", "m2", "of another thread")}})
	equal(t, "the other thread's", ids(w.page(engine.MessageQuery{Thread: "t2"}).Messages), "m2")
	w.commit(engine.Commit{Thread: "t1", DropMessages: []engine.MessageID{"m3"}})
	done = w.commit(engine.Commit{Thread: "t1", Messages: []engine.Message{message("t1", "m4", "x")}})
	if done.Messages[0].Ord <= before.Ord+1 {
		t.Errorf("ord %d of a dropped message was used again", done.Messages[0].Ord)
	}
}

func (w *storeWorld) queueIDs(thread engine.ThreadID) string {
	w.Helper()
	items, err := w.Queue(w.ctx, thread)
	if err != nil {
		w.Fatalf("Queue: %v", err)
	}
	var out []string
	for _, q := range items {
		out = append(out, string(q.ID))
	}
	return strings.Join(out, " ")
}

func testQueueIsFIFO(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	m := message("t1", "m1", "hello")
	w.commit(engine.Commit{Enqueue: []engine.QueueItem{
		{ID: "z", ThreadID: "t1", Kind: engine.QueueMessage, Origin: engine.OriginUser, TurnID: "u1", Message: &m, CreatedAt: 5},
		{ID: "a", ThreadID: "t1", Kind: engine.QueueTool, Tool: "ping", Arguments: []byte(`{"n":1}`)},
		{ID: "o", ThreadID: "t2", Kind: engine.QueueMessage},
	}})
	w.commit(engine.Commit{Enqueue: []engine.QueueItem{{ID: "m", ThreadID: "t1", Kind: engine.QueueDelivery, Delivery: &engine.Delivery{Text: "done"}}}})
	equal(t, "order", w.queueIDs("t1"), "z a m")
	items, err := w.Queue(w.ctx, "t1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "message", items[0].Message.Text(), "hello")
	equal(t, "arguments", string(items[1].Arguments), `{"n":1}`)
	w.commit(engine.Commit{Promote: "m"})
	equal(t, "promoted", w.queueIDs("t1"), "m z a")
	w.commit(engine.Commit{Thread: "t1", Dequeue: []engine.QueueID{"z"}})
	equal(t, "dequeued", w.queueIDs("t1"), "m a")
	equal(t, "the other thread's", w.queueIDs("t2"), "o")
}

func testDequeueMissing(_ *testing.T, w *storeWorld) {
	w.create("t1")
	w.commit(engine.Commit{Enqueue: []engine.QueueItem{{ID: "q", ThreadID: "t1"}}})
	w.commit(engine.Commit{Thread: "t1", Dequeue: []engine.QueueID{"q"}})
	w.refuse(engine.CodeConflict, engine.Commit{Thread: "t1", Dequeue: []engine.QueueID{"q"}})
	w.refuse(engine.CodeConflict, engine.Commit{Promote: "q"})
}

func testEventSequence(t *testing.T, w *storeWorld) {
	a := w.create("a")
	b := w.create("b")
	child := engine.Thread{ID: "c", SessionID: a.SessionID, ParentID: "a", Agent: "x", Project: "/p", CreatedAt: 1}
	w.commit(engine.Commit{Create: []engine.Thread{child}})
	done := w.commit(engine.Commit{Events: []engine.Event{
		w.event(a, engine.EventRunStatus, nil), w.event(b, engine.EventRunStatus, nil), w.event(child, engine.EventRunStatus, nil),
	}})
	for i, want := range []int64{3, 3, 4} {
		equal(t, "sequence", done.Events[i].Sequence, want)
	}
	read := func(q engine.EventQuery) (out []int64) {
		events, err := w.Events(w.ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			out = append(out, e.Sequence)
		}
		return out
	}
	equal(t, "session", fmt.Sprint(read(engine.EventQuery{Session: a.SessionID})), "[1 2 3 4]")
	equal(t, "after", fmt.Sprint(read(engine.EventQuery{Session: a.SessionID, After: 2})), "[3 4]")
	equal(t, "limit", fmt.Sprint(read(engine.EventQuery{Session: a.SessionID, Limit: 2})), "[1 2]")
	equal(t, "thread", fmt.Sprint(read(engine.EventQuery{Session: a.SessionID, Thread: "c"})), "[4]")
	events, err := w.Events(w.ctx, engine.EventQuery{Session: a.SessionID, After: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, want := events[0], done.Events[2]
	if !got.Timestamp.Equal(want.Timestamp) || string(got.Payload) != string(want.Payload) || got.EventID != want.EventID {
		t.Errorf("read %+v, committed %+v", got, want)
	}
	w.refuse(engine.CodeInvalid, engine.Commit{Events: []engine.Event{w.event(a, engine.EventModelDelta, nil)}})
}

// busy commits a turn with a step and an incident, and returns its events.
func (w *storeWorld) busy(th engine.Thread) {
	w.Helper()
	ev := func(typ engine.EventType, status string, payload any) engine.Event {
		e := w.event(th, typ, payload)
		e.TurnID, e.RunID, e.Status = "turn-"+engine.TurnID(th.ID), "run-1", status
		return e
	}
	cost := 0.25
	w.commit(engine.Commit{Thread: th.ID, Events: []engine.Event{
		ev(engine.EventTurnSubmitted, "", engine.TurnPayload{Origin: engine.OriginUser}),
		ev(engine.EventTurnStarted, "", engine.TurnPayload{}),
		ev(engine.EventRunStatus, "running", engine.RunPayload{Side: "side_a"}),
	}})
	w.commit(engine.Commit{Thread: th.ID, Events: []engine.Event{
		ev(engine.EventModelCompleted, "", engine.ModelPayload{Usage: &engine.Usage{PromptTokens: 3, TotalTokens: 3}, Cost: &cost}),
		ev(engine.EventRuntimeWarning, "", engine.WarningPayload{Message: "careful"}),
		ev(engine.EventThreadUpdated, "", engine.UpdatePayload{Kind: engine.UpdateTitle, Title: "A title"}),
	}})
	w.commit(engine.Commit{Thread: th.ID, Events: []engine.Event{
		ev(engine.EventTurnCompleted, "completed", engine.TurnPayload{StopReason: engine.StopOnResponse}),
		ev(engine.EventRunStatus, "completed", engine.RunPayload{StopReason: engine.StopOnResponse}),
	}})
}

func testEventsFold(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	w.busy(th)
	r := w.record("t1").Read
	equal(t, "title", r.Title, "A title")
	equal(t, "steps", r.Steps, 1)
	equal(t, "tokens", r.Usage.TotalTokens, 3)
	equal(t, "incidents", len(r.Incidents), 1)
	equal(t, "sequence", r.Sequence, 10)
	equal(t, "updated", r.UpdatedAt, engine.MicrosOf(w.now))
	turn, err := w.Turn(w.ctx, "turn-t1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", turn.Status, engine.TurnCompleted)
	equal(t, "turn steps", turn.Steps, 1)
	session, err := w.Session(w.ctx, th.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "session sequence", session.Sequence, 10)
	equal(t, "session threads", session.Threads, 1)
	equal(t, "root", session.RootThread, "t1")
}

// testRebuild folds the whole log over the thread's identity again: the stored
// read models must be what that gives.
func testRebuild(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	w.busy(th)
	events, err := w.Events(w.ctx, engine.EventQuery{Session: th.SessionID})
	if err != nil {
		t.Fatal(err)
	}
	thread := &engine.ThreadRead{
		ThreadID: th.ID, SessionID: th.SessionID, Agent: th.Agent, Project: th.Project, Name: th.Name,
		CreatedAt: th.CreatedAt, UpdatedAt: th.CreatedAt, Status: engine.ThreadIdle,
	}
	var session *engine.SessionRead
	turns := map[engine.TurnID]*engine.TurnRead{}
	for i := range events {
		e := &events[i]
		m := engine.ReadModels{Thread: thread, Session: session}
		if e.TurnID != "" {
			m.Turn = turns[e.TurnID]
		}
		engine.Apply(&m, e)
		thread, session = m.Thread, m.Session
		if e.TurnID != "" {
			turns[e.TurnID] = m.Turn
		}
	}
	turn, err := w.Turn(w.ctx, "turn-t1")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := w.Session(w.ctx, th.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "thread", asJSON(t, w.record("t1").Read), asJSON(t, thread))
	equal(t, "turn", asJSON(t, turn), asJSON(t, turns["turn-t1"]))
	equal(t, "session", asJSON(t, stored), asJSON(t, session))
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func testChildren(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	event := func(typ engine.EventType, child engine.ThreadID, p engine.SubagentPayload) engine.Event {
		e := w.event(th, typ, p)
		e.SubagentID = child
		return e
	}
	spawn := func(id engine.ThreadID) engine.Event {
		return event(engine.EventSubagentSpawned, id, engine.SubagentPayload{Child: &engine.Child{Reference: id, Name: "n", Status: "running"}})
	}
	w.commit(engine.Commit{Thread: "t1", Events: []engine.Event{spawn("z"), spawn("a")}})
	w.commit(engine.Commit{Thread: "t1", Events: []engine.Event{event(engine.EventSubagentStatus, "z", engine.SubagentPayload{Status: "idle"})}})
	list, err := w.Children(w.ctx, "t1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "children", len(list), 2)
	equal(t, "first", list[0].Reference, "z")
	equal(t, "its status", list[0].Status, "idle")
	equal(t, "second", list[1].Reference, "a")
}

func (w *storeWorld) list(q engine.ThreadQuery) (string, string) {
	w.Helper()
	p, err := w.Threads(w.ctx, q)
	if err != nil {
		w.Fatalf("Threads: %v", err)
	}
	var out []string
	for _, th := range p.Threads {
		out = append(out, string(th.ThreadID))
	}
	return strings.Join(out, " "), p.Cursor
}

func testListThreads(t *testing.T, w *storeWorld) {
	a := w.create("a")
	w.create("b")
	w.commit(engine.Commit{Create: []engine.Thread{
		{ID: "c", SessionID: a.SessionID, ParentID: "a", Agent: "helper", Project: "/p", CreatedAt: 1},
		{ID: "d", SessionID: "s-d", Agent: "support", Project: "/other", CreatedAt: 2},
		{ID: "e", SessionID: "s-e", Agent: "support", CreatedAt: 2},
	}})
	w.commit(engine.Commit{Thread: "a", Events: []engine.Event{w.event(a, engine.EventRunStatus, nil)}})
	project, builtin, parent, root := "/p", "", engine.ThreadID("a"), engine.ThreadID("")
	for _, c := range []struct {
		q    engine.ThreadQuery
		want string
	}{
		{engine.ThreadQuery{}, "a b e d c"},
		{engine.ThreadQuery{Project: &project}, "a b c"},
		{engine.ThreadQuery{Project: &builtin}, "e"},
		{engine.ThreadQuery{Agent: "helper"}, "c"},
		{engine.ThreadQuery{Parent: &parent}, "c"},
		{engine.ThreadQuery{Parent: &root}, "a b e d"},
		{engine.ThreadQuery{Session: a.SessionID}, "a c"},
	} {
		got, cursor := w.list(c.q)
		if got != c.want || cursor != "" {
			t.Errorf("%+v: got %q, cursor %q, want %q", c.q, got, cursor, c.want)
		}
	}
	first, cursor := w.list(engine.ThreadQuery{Limit: 2})
	equal(t, "first page", first, "a b")
	second, cursor := w.list(engine.ThreadQuery{Limit: 2, Cursor: cursor})
	equal(t, "second page", second, "e d")
	third, cursor := w.list(engine.ThreadQuery{Limit: 2, Cursor: cursor})
	equal(t, "third page", third, "c")
	equal(t, "last cursor", cursor, "")
	_, err := w.Threads(w.ctx, engine.ThreadQuery{Cursor: "rubbish!"})
	wantCode(t, err, engine.CodeInvalid)
}

func testSearchThreads(t *testing.T, w *storeWorld) {
	a := w.create("abc-1")
	w.create("xyz-2")
	w.commit(engine.Commit{Events: []engine.Event{w.event(a, engine.EventThreadUpdated, engine.UpdatePayload{Kind: engine.UpdateTitle, Title: `100%_done \o/`})}})
	for search, want := range map[string]string{
		"abc": "abc-1", "bc-1": "abc-1", "0%_d": "abc-1", `\o`: "abc-1", "of xyz": "xyz-2", "SUPP": "abc-1 xyz-2", "%": "abc-1", "nothing": "", "-2": "xyz-2",
	} {
		if got, _ := w.list(engine.ThreadQuery{Search: search}); got != want {
			t.Errorf("search %q: got %q, want %q", search, got, want)
		}
	}
}

func testTurns(t *testing.T, w *storeWorld) {
	th := w.create("t1")
	for _, id := range []engine.TurnID{"z", "a", "m"} {
		e := w.event(th, engine.EventTurnSubmitted, engine.TurnPayload{Origin: engine.OriginUser})
		e.TurnID = id
		w.commit(engine.Commit{Thread: "t1", NewTurn: id, Events: []engine.Event{e}})
	}
	list, err := w.Turns(w.ctx, "t1", 2)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "turns", len(list), 2)
	equal(t, "newest", list[0].TurnID, "m")
	equal(t, "the one before", list[1].TurnID, "a")
}
