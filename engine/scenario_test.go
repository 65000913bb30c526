package engine_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/storage"
)

var rewrite = flag.Bool("rewrite", false, "write the traces of testdata/scenarios anew")

func scenarioFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return files
}

// eachScenario runs test for every file, each in a bubble of its own.
func eachScenario(t *testing.T, test func(t *testing.T, file string, s *scenario)) {
	dir := blankDir(t)
	for _, file := range scenarioFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			s, err := readScenario(file)
			if err != nil {
				t.Fatal(err)
			}
			s.name, s.blank = name, dir
			test(t, file, s)
		})
	}
}

// blankDir makes a data directory with nothing in it.
func blankDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blank")
	store, err := storage.Open(t.Context(), storage.Options{Dir: dir, NewID: func() string { return "runtime" }, FileKey: true, Poll: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScenarios(t *testing.T) {
	eachScenario(t, func(t *testing.T, file string, s *scenario) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, s, 0, false)
			defer w.stop()
			traces := make([][]string, len(s.lines))
			for i, l := range s.lines {
				if l.directive == nil {
					traces[i] = l.want
					continue
				}
				traces[i] = w.run(l.directive)
				if !*rewrite && !slices.Equal(traces[i], l.want) {
					t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", file, l.text, strings.Join(traces[i], "\n"), strings.Join(l.want, "\n"))
				}
			}
			w.check()
			if *rewrite && !t.Failed() {
				if err := os.WriteFile(file, s.render(traces), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}

// run does one directive and returns its trace: what the outside saw, which turns
// ended, and what was asked for.
func (w *world) run(d []string) []string {
	w.Helper()
	out := w.in(part(d))
	w.settle()
	w.mu.Lock()
	log := w.log
	w.log = nil
	w.mu.Unlock()
	lines := append(w.heard(log), out...)
	lines = append(lines, w.ended()...)
	for i := range lines {
		lines[i] = "  " + w.plain(strings.ReplaceAll(lines[i], "\n", "\\n"))
	}
	return lines
}

// in does a directive to the thread that it names with in=NAME, else to the root.
func (w *world) in(d part) []string {
	w.Helper()
	name := d.option("in")
	if name == "" {
		return w.directive(d)
	}
	w.heard(nil)
	w.thread = w.find(name)
	defer func() { w.thread = w.root }()
	if w.thread == "" {
		w.Fatalf("there is no thread %s", name)
	}
	return w.directive(d)
}

// ended lists the turns that ended since it was last asked.
func (w *world) ended() []string {
	var out []string
	for _, t := range w.turns() {
		if t.Status.Ended() && !w.told[t.TurnID] {
			w.told[t.TurnID] = true
			out = append(out, printTurn(&t))
		}
	}
	return out
}

// turns lists the thread's turns, oldest first.
func (w *world) turns() []engine.TurnRead {
	w.Helper()
	if w.thread == "" {
		return nil
	}
	turns, err := w.store.Turns(context.Background(), w.thread, 1000)
	if err != nil {
		w.Fatal(err)
	}
	slices.Reverse(turns)
	return turns
}

func (w *world) messages() []engine.Message {
	w.Helper()
	page, err := w.store.Messages(context.Background(), engine.MessageQuery{Thread: w.thread, Limit: -1, IncludeSilent: true, MaxDepth: -1})
	if err != nil {
		w.Fatal(err)
	}
	return page.Messages
}

func (w *world) events(after int64) []engine.Event {
	w.Helper()
	var all []engine.Event
	for {
		events, err := w.store.Events(context.Background(), engine.EventQuery{Session: w.session, After: after})
		if err != nil {
			w.Fatal(err)
		}
		if len(events) == 0 {
			return all
		}
		all, after = append(all, events...), events[len(events)-1].Sequence
	}
}

// attempt does what a client does: where the process dies under it, it asks the
// next one again.
func (w *world) attempt(do func(c *engine.ControlPlane) error) []string {
	w.Helper()
	err := do(w.e.Control())
	for w.store.crashed() {
		w.settle()
		err = do(w.e.Control())
	}
	if err != nil {
		return []string{fmt.Sprintf("%s: %v", engine.CodeOf(err), err)}
	}
	return nil
}

// directive does one thing; the lines it returns follow what the outside saw.
func (w *world) directive(d part) []string {
	w.Helper()
	ctx := context.Background()
	switch d[0] {
	case "start":
		return w.create(d.arg(1))
	case "say":
		return w.submit(d)
	case "tick":
		wait, err := time.ParseDuration(d.arg(1))
		if err != nil {
			w.Fatal(err)
		}
		time.Sleep(wait) // of the bubble's clock
	case "release":
		close(w.gate(d.arg(1)))
	case "interrupt":
		return w.attempt(func(c *engine.ControlPlane) error {
			return c.InterruptTurn(ctx, w.thread, engine.TurnID(d.option("turn")), "stopped")
		})
	case "terminate":
		return w.attempt(func(c *engine.ControlPlane) error { return c.Terminate(ctx, w.thread) })
	case "remove":
		return w.attempt(func(c *engine.ControlPlane) error {
			return c.RemoveQueuedTurn(ctx, w.thread, engine.QueueID(d.arg(1)))
		})
	case "promote":
		return w.attempt(func(c *engine.ControlPlane) error {
			return c.PromoteQueuedTurn(ctx, w.thread, engine.QueueID(d.arg(1)))
		})
	case "queue-tool":
		return w.queueTool(d.arg(1), d.arg(2))
	case "env":
		v := engine.EnvValue{Scope: engine.EnvScope(d.arg(1)), Name: d.arg(2), Value: d.arg(3), Type: engine.VariableText}
		if v.Scope == engine.EnvThread {
			v.ThreadID = w.thread
		}
		if d.has("secret") {
			v.Type = engine.VariableSecret
		}
		return w.attempt(func(c *engine.ControlPlane) error { return c.SetEnv(ctx, []engine.EnvValue{v}) })
	case "fill":
		return w.fill(d.arg(1))
	case "provide":
		return w.provide(d.arg(1), d.arg(2))
	case "crash":
		w.store.crash()
	case "restart":
		w.stop()
		w.start()
	default:
		return w.show(d)
	}
	return nil
}

func (w *world) show(d part) []string {
	w.Helper()
	ctx := context.Background()
	var out []string
	switch d[0] {
	case "messages":
		for _, m := range w.messages() {
			out = append(out, printMessage(&m))
		}
	case "events":
		for _, e := range w.events(w.printed) {
			w.printed = e.Sequence
			if only := d.arg(1); only == "" || strings.HasPrefix(string(e.Type), only) {
				out = append(out, printEvent(&e))
			}
		}
	case "facts":
		for _, e := range w.events(0) {
			if e.ThreadID == w.thread {
				out = append(out, strings.TrimSpace(string(e.Type)+" "+e.Status))
			}
		}
	case "stream":
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, e := range w.stream {
			out = append(out, printEvent(&e))
		}
		w.stream = nil
	case "turns":
		for _, t := range w.turns() {
			out = append(out, printTurn(&t))
		}
	case "queue":
		items, err := w.store.Queue(ctx, w.thread)
		if err != nil {
			w.Fatal(err)
		}
		for _, i := range items {
			out = append(out, printItem(&i))
		}
	case "tree":
		for _, n := range w.tree() {
			out = append(out, printNode(&n))
		}
	case "registry":
		list, err := w.store.Children(ctx, w.thread)
		if err != nil {
			w.Fatal(err)
		}
		for _, c := range list {
			out = append(out, printChild(c))
		}
	case "requests":
		for _, r := range w.requests() {
			b, err := json.Marshal(r)
			if err != nil {
				w.Fatal(err)
			}
			out = append(out, string(b))
		}
	case "thread":
		t, err := w.e.Control().Thread(ctx, w.thread)
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, printThread(t))
	case "value":
		v, err := w.store.Value(ctx, w.thread, d.arg(1))
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, string(v))
	default:
		w.Fatalf("no directive: %v", d)
	}
	return out
}

func (w *world) create(agent string) []string {
	w.Helper()
	w.thread, w.root = "thread", "thread"
	out := w.attempt(func(c *engine.ControlPlane) error {
		t, err := c.Thread(context.Background(), w.thread)
		if err != nil {
			t, err = c.CreateThread(context.Background(), engine.CreateThread{ThreadID: w.thread, Agent: agent, Env: w.s.env})
		}
		if err == nil {
			w.session = t.SessionID
		}
		return err
	})
	if w.session == "" {
		w.thread, w.root = "", ""
		return out
	}
	w.subscribe()
	return out
}

// submit says something as a turn named t1, t2, … unless it has turn=NAME.
func (w *world) submit(d part) []string {
	w.Helper()
	turn := d.option("turn")
	if turn == "" {
		turn = fmt.Sprintf("t%d", len(w.asked)+1)
	}
	w.asked[turn] = true
	in := engine.SubmitTurn{ThreadID: w.thread, TurnID: engine.TurnID(turn), Content: d.arg(1), Role: engine.Role(d.option("role")), Silent: d.has("silent"), Uploads: uploads(d)}
	if n := d.option("max-steps"); n != "" {
		if _, err := fmt.Sscan(n, &in.Options.MaxSteps); err != nil {
			w.Fatal(err)
		}
	}
	return w.attempt(func(c *engine.ControlPlane) error {
		_, err := c.SubmitTurn(context.Background(), in)
		return err
	})
}

// queueTool puts a tool into the queue of a thread at rest.
func (w *world) queueTool(name, args string) []string {
	w.Helper()
	return w.attempt(func(c *engine.ControlPlane) error {
		_, err := w.store.Commit(context.Background(), w.queued(name, args))
		if engine.CodeOf(err) == engine.CodeConflict {
			err = nil // stored before the crash
		}
		if err == nil {
			_, err = c.ResumeThread(context.Background(), w.thread)
		}
		return err
	})
}

func (w *world) queued(tool, args string) *engine.Commit {
	turn := engine.TurnID("turn-" + tool)
	event := func(t engine.EventType, payload string) engine.Event {
		return engine.Event{Type: t, EventID: engine.EventID(w.newID()), Timestamp: time.Now(), SchemaVersion: engine.EventSchemaVersion,
			RuntimeID: w.store.Runtime(), SessionID: w.session, ThreadID: w.thread, TurnID: turn, Payload: []byte(payload)}
	}
	return &engine.Commit{Now: time.Now(), Thread: w.thread, Live: true, NewTurn: turn, Enqueue: []engine.QueueItem{{
		ID: engine.QueueID(w.newID()), ThreadID: w.thread, Kind: engine.QueueTool, TurnID: turn, Origin: engine.OriginTool,
		Tool: tool, Arguments: []byte(args)}}, Events: []engine.Event{
		event(engine.EventTurnSubmitted, `{"origin":"tool"}`), event(engine.EventQueueChanged, `{"op":"added","delta":1}`)}}
}
