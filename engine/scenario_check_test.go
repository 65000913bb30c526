package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/sideb-dev/sideb/engine"
)

// check is what must hold after every scenario and every crash.
func (w *world) check() {
	w.Helper()
	if w.thread == "" {
		return
	}
	events := w.events(0)
	w.checkLog(events)
	w.checkSubscriber(events)
	w.checkTree(events)
	w.checkFiles()
	w.checkSecrets(events)
}

// checkLog checks order and envelope (agent runtime §2).
func (w *world) checkLog(events []engine.Event) {
	w.Helper()
	schema := eventSchema(w)
	seen := map[engine.EventID]bool{}
	for i := range events {
		e := &events[i]
		if e.Sequence != int64(i)+1 {
			w.Fatalf("event %d has sequence %d", i+1, e.Sequence)
		}
		if i > 0 && e.Timestamp.Before(events[i-1].Timestamp) {
			w.Errorf("%s is dated before its predecessor", printEvent(e))
		}
		if seen[e.EventID] {
			w.Errorf("event id %s is used twice", e.EventID)
		}
		seen[e.EventID] = true
		checkEnvelope(w, e)
		if schema != nil {
			checkSchema(w, schema, e)
		}
	}
}

// checkEnvelope checks which ids an event must carry.
func checkEnvelope(t testing.TB, e *engine.Event) {
	t.Helper()
	missing := func(what string, empty bool) {
		if empty {
			t.Errorf("event without %s: %s", what, printEvent(e))
		}
	}
	missing("type", e.Type == "")
	missing("eventId", e.EventID == "" && !e.Volatile())
	missing("timestamp", e.Timestamp.IsZero())
	missing("schemaVersion", e.SchemaVersion == "")
	missing("runtimeId", e.RuntimeID == "")
	missing("sessionId", e.SessionID == "")
	family, _, _ := strings.Cut(string(e.Type), ".")
	switch family {
	case "thread":
		missing("threadId", e.ThreadID == "")
	case "turn", "model", "reasoning", "tool", "action", "permission", "sandbox", "hook", "context", "routing", "cost", "rate_limit", "quota":
		missing("threadId", e.ThreadID == "")
		missing("turnId", e.TurnID == "")
	case "subagent":
		missing("subagentId", e.SubagentID == "")
	}
	if family == "action" {
		missing("actionId", e.ActionID == "")
	}
	if family == "tool" {
		missing("stepId", e.StepID == "")
		missing("toolCallId", e.ToolCallID == "")
	}
	if len(e.Payload) > 0 && e.Payload[0] != '{' {
		t.Errorf("the payload isn't an object: %s", printEvent(e))
	}
}

// eventSchema compiles the standard's own schema where it is at hand.
func eventSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	dir, err := filepath.Abs("../../shared/agentruntime/schemas")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "agentruntime-event.schema.json")
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	schema, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func checkSchema(t testing.TB, schema *jsonschema.Schema, e *engine.Event) {
	t.Helper()
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v", b, err)
	}
}

// checkSubscriber checks that the subscriber, whose processes may have crashed
// under it, has every event once and in order.
func (w *world) checkSubscriber(events []engine.Event) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.received) != len(events) {
		w.Errorf("the subscriber got %d events of %d", len(w.received), len(events))
		return
	}
	for i := range events {
		if w.received[i].EventID != events[i].EventID {
			w.Fatalf("the subscriber's event %d is %s, not %s", i, printEvent(&w.received[i]), printEvent(&events[i]))
		}
	}
	for i := range w.stream {
		checkEnvelope(w, &w.stream[i])
	}
}

// checkReadModels folds the log again and compares with what is stored.
func (w *world) checkReadModels(events []engine.Event) {
	w.Helper()
	ctx := context.Background()
	rec, err := w.store.Thread(ctx, w.thread)
	if err != nil {
		w.Fatal(err)
	}
	thread := &engine.ThreadRead{ThreadID: rec.ID, SessionID: rec.SessionID, Agent: rec.Read.Agent, Project: rec.Project,
		Name: rec.Name, ParentThreadID: rec.ParentID, CreatedAt: rec.CreatedAt, UpdatedAt: rec.CreatedAt, Status: engine.ThreadIdle}
	var session *engine.SessionRead
	turns := map[engine.TurnID]*engine.TurnRead{}
	for i := range events {
		e := &events[i]
		if e.ThreadID != w.thread {
			m := engine.ReadModels{Session: session}
			engine.Apply(&m, e)
			session = m.Session
			continue
		}
		m := engine.ReadModels{Thread: thread, Session: session, Turn: turns[e.TurnID]}
		engine.Apply(&m, e)
		thread, session = m.Thread, m.Session
		if e.TurnID != "" {
			turns[e.TurnID] = m.Turn
		}
	}
	stored, err := w.store.Session(ctx, w.session)
	if err != nil {
		w.Fatal(err)
	}
	same(w, "thread", rec.Read, thread)
	same(w, "session", stored, session)
	for id, turn := range turns {
		stored, err := w.store.Turn(ctx, id)
		if err != nil {
			w.Fatal(err)
		}
		same(w, "turn "+string(id), stored, turn)
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	a, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s:\ngot  %s\nwant %s", what, a, b)
	}
}

// checkPairs checks that every call of a thread at rest has one result, after it.
func (w *world) checkPairs() {
	w.Helper()
	open := map[engine.ToolCallID]string{}
	all := map[engine.ToolCallID]bool{}
	for _, m := range w.messages() {
		for _, c := range m.ToolCalls {
			if all[c.ID] {
				w.Errorf("the call id %s is used twice", c.ID)
			}
			open[c.ID], all[c.ID] = c.Name, true
		}
		if m.Role != engine.RoleTool {
			continue
		}
		if open[m.ToolCallID] == "" {
			w.Errorf("a result without an open call: %s", printMessage(&m))
		}
		delete(open, m.ToolCallID)
	}
	rec, err := w.store.Thread(context.Background(), w.thread)
	if err != nil {
		w.Fatal(err)
	}
	if len(open) > 0 && !rec.Exec.Active {
		w.Errorf("calls without a result: %v", open)
	}
}
