package engine_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// said is one thing that the outside saw, and the thread that it concerned.
type said struct {
	thread engine.ThreadID
	text   string
}

// node is one thread of the scenario's tree. The root has no name; its children
// are child1, child2, …, and theirs child1.1 and so on.
type node struct {
	name string
	rec  *engine.ThreadRecord
	kids []engine.Child // registry entries of its children
}

// tree walks the threads depth first, in the order of their creation.
func (w *world) tree() []node {
	if w.root == "" {
		return nil
	}
	ctx := context.Background()
	var out []node
	var walk func(id engine.ThreadID, name string)
	walk = func(id engine.ThreadID, name string) {
		rec, err := w.store.Thread(ctx, id)
		if err != nil {
			return // the process crashed before the thread came to be
		}
		kids, err := w.store.Children(ctx, id)
		if err != nil {
			w.Error(err)
			return
		}
		out = append(out, node{name, rec, kids})
		for i, k := range kids {
			next := fmt.Sprintf("child%d", i+1)
			if name != "" {
				next = fmt.Sprintf("%s.%d", name, i+1)
			}
			walk(k.Reference, next)
		}
	}
	walk(w.root, "")
	return out
}

// find is the id of a named thread, "" where there is none.
func (w *world) find(name string) engine.ThreadID {
	for _, n := range w.tree() {
		if n.name == name {
			return n.rec.ID
		}
	}
	return ""
}

// heard makes lines of what was said, thread by thread: threads run side by side,
// and only what one of them does has an order.
func (w *world) heard(log []said) []string {
	order, names := map[engine.ThreadID]int{}, map[engine.ThreadID]string{}
	for i, n := range w.tree() {
		order[n.rec.ID], names[n.rec.ID] = i, n.name
		if n.name != "" {
			w.names[string(n.rec.ID)] = n.name
		}
	}
	slices.SortStableFunc(log, func(a, b said) int { return cmp.Compare(order[a.thread], order[b.thread]) })
	lines := make([]string, len(log))
	for i, s := range log {
		if lines[i] = s.text; names[s.thread] != "" {
			lines[i] = names[s.thread] + ": " + s.text
		}
	}
	return lines
}

func printNode(n *node) string {
	r := &n.rec.Read
	s := cmp.Or(n.name, "root") + " " + r.Agent
	if r.Name != "" {
		s += fmt.Sprintf(" %q", r.Name)
	}
	s += " " + string(r.Status)
	if n.rec.Terminated != 0 {
		s += " terminated"
	}
	stop := string(r.LastStop)
	if r.Status == engine.ThreadCancelled {
		stop = "" // of two that ended it at once, either may be named
	}
	for _, f := range [][2]string{{"doing", r.Doing}, {"stop", stop}, {"text", r.StatusText}} {
		if f[1] != "" {
			s += " " + f[0] + "=" + f[1]
		}
	}
	if r.QueueLength > 0 {
		s += fmt.Sprintf(" queue=%d", r.QueueLength)
	}
	return s
}

// printChild shows a registry entry as JSON, without the time.
func printChild(c engine.Child) string {
	c.CreatedAt = 0
	b, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// requests lists the deferred subagents of all threads, and remembers each.
func (w *world) requests() []engine.RequestInfo {
	w.Helper()
	list, err := w.e.Control().Requests(context.Background(), "")
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range list {
		if !slices.Contains(w.asks, r.RequestID) {
			w.asks = append(w.asks, r.RequestID)
			w.names[string(r.RequestID)] = fmt.Sprintf("request%d", len(w.asks))
		}
	}
	return list
}

func (w *world) provide(n, values string) []string {
	w.Helper()
	w.requests()
	i := 0
	var env map[string]string
	if _, err := fmt.Sscan(n, &i); err != nil || i < 1 || i > len(w.asks) {
		w.Fatalf("there is no request %s", n)
	}
	if err := json.Unmarshal([]byte(values), &env); err != nil {
		w.Fatal(err)
	}
	return w.attempt(func(c *engine.ControlPlane) error {
		_, err := c.ProvideEnv(context.Background(), w.asks[i-1], env)
		return err
	})
}

// fill sets the keys k1, k2, … of the thread in one commit.
func (w *world) fill(n string) []string {
	w.Helper()
	count := 0
	if _, err := fmt.Sscan(n, &count); err != nil {
		w.Fatal(err)
	}
	c := &engine.Commit{Now: time.Now(), Thread: w.thread}
	for i := 1; i <= count; i++ {
		c.Values = append(c.Values, engine.Value{Key: fmt.Sprintf("k%d", i), Value: json.RawMessage("0")})
	}
	if _, err := w.store.Commit(context.Background(), c); err != nil {
		w.Fatal(err)
	}
	return nil
}

// filePath finds the random part of an attachment's path.
var filePath = regexp.MustCompile(`-[0-9a-f]{8}(\.[a-z]+)`)

// checkTree is what must hold of every thread: its log folds to its read models,
// its calls are paired, and a child that the registry calls running has work.
func (w *world) checkTree(events []engine.Event) {
	w.Helper()
	root := w.thread
	defer func() { w.thread = root }()
	for _, n := range w.tree() {
		w.thread = n.rec.ID
		w.checkReadModels(events)
		w.checkPairs()
		if !n.rec.Exec.Active && n.rec.Owner != "" {
			w.Errorf("thread %s at rest is owned by %s", n.name, n.rec.Owner)
		}
		if n.rec.Terminated != 0 && n.rec.Read.QueueLength > 0 {
			w.Errorf("terminated thread %q has %d items in its queue", n.name, n.rec.Read.QueueLength)
		}
		w.checkRegistry(n.kids, events)
	}
}

// checkRegistry compares the registry with the log and with the children.
func (w *world) checkRegistry(kids []engine.Child, events []engine.Event) {
	w.Helper()
	folded := map[engine.ThreadID]*engine.Child{}
	for i := range events {
		if e := &events[i]; e.ThreadID == w.thread && e.SubagentID != "" {
			m := engine.ReadModels{Child: folded[e.SubagentID]}
			engine.Apply(&m, e)
			folded[e.SubagentID] = m.Child
		}
	}
	for i := range kids {
		k := &kids[i]
		same(w, "registry entry", k, folded[k.Reference])
		rec, err := w.store.Thread(context.Background(), k.Reference)
		if err != nil {
			w.Error(err)
			continue
		}
		busy := rec.Read.Status == engine.ThreadRunning || rec.Read.Status == engine.ThreadQueued || rec.Read.Status == engine.ThreadBlocked
		if k.Status == "running" && !busy {
			w.Errorf("the registry calls %s running, which is %s", k.Reference, rec.Read.Status)
		}
		if (k.Status == "terminated") != (rec.Terminated != 0) {
			w.Errorf("the registry calls %s %s; terminated at %d", k.Reference, k.Status, rec.Terminated)
		}
	}
}

// checkSecrets checks that what the scenario declares as never seen isn't in a
// request, a message, an event, or readable on the disk.
func (w *world) checkSecrets(events []engine.Event) {
	w.Helper()
	search := func(where string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			w.Error(err)
		}
		for _, never := range w.s.never {
			if bytes.Contains(b, []byte(never)) {
				w.Errorf("%q is in %s: %s", never, where, b)
			}
		}
	}
	if len(w.s.never) == 0 {
		return
	}
	for _, r := range w.script.Requests() {
		search("a request", []any{r.System, r.Messages, r.Tools})
	}
	search("an event", events)
	for _, n := range w.tree() {
		page, err := w.store.Messages(context.Background(), engine.MessageQuery{Thread: n.rec.ID, Limit: -1, IncludeSilent: true, MaxDepth: -1})
		if err != nil {
			w.Fatal(err)
		}
		search("a message", page.Messages)
		search("the thread's state", string(n.rec.Exec.State))
	}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, never := range w.s.never {
			if strings.Contains(string(b), never) {
				w.Errorf("%q is readable in %s", never, d.Name())
			}
		}
		return err
	})
	if err != nil {
		w.Error(err)
	}
}
