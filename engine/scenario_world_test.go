package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

var errCrash = errors.New("the process crashed")

// crashStore is a store whose process may die at a commit: from then on nothing
// is stored any more.
type crashStore struct {
	engine.Store
	mu      sync.Mutex
	commits int  // so far
	at      int  // crash at this one; 0 never
	after   bool // once it is durable, not before
	dead    bool
}

func (s *crashStore) Commit(ctx context.Context, c *engine.Commit) (*engine.Committed, error) {
	s.mu.Lock()
	s.commits++
	hit := s.commits == s.at
	s.dead = s.dead || hit && !s.after
	dead := s.dead
	s.mu.Unlock()
	if dead {
		return nil, errCrash
	}
	done, err := s.Store.Commit(ctx, c)
	if !hit {
		return done, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
	return nil, errCrash
}

func (s *crashStore) crashed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead
}

func (s *crashStore) crash() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = true
}

// world is one scenario's run: the outside, which survives crashes, and the
// process, which doesn't. It lives in a synctest bubble.
type world struct {
	testing.TB
	s       *scenario
	dir     string
	ids     atomic.Int64
	replies map[string][]provider.Reply
	script  *provider.Scripted

	store   *crashStore
	e       *engine.Engine
	at      int // the commit, counted over all processes, to crash at
	after   bool
	commits int // of earlier processes

	root     engine.ThreadID
	thread   engine.ThreadID // that directives are about: the root, unless they say in=
	session  engine.SessionID
	asks     []engine.RequestID
	asked    map[string]bool // turns that were submitted
	told     map[engine.TurnID]bool
	printed  int64 // sequence of the last event that was printed
	names    map[string]string
	numbered int // of names

	follow context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	log      []said
	gates    map[string]chan struct{}
	calls    map[string]int // of tools, by name
	ran      map[string]int // by name and arguments
	received []engine.Event // durable events that the subscriber got
	stream   []engine.Event // volatile ones since the last look
}

func newWorld(t testing.TB, s *scenario, at int, after bool) *world {
	w := &world{TB: t, s: s, dir: blank(t, s.blank), at: at, after: after, asked: map[string]bool{}, told: map[engine.TurnID]bool{},
		names: map[string]string{}, gates: map[string]chan struct{}{}, calls: map[string]int{}, ran: map[string]int{},
		replies: map[string][]provider.Reply{}}
	n := 0
	call := func() string { n++; return fmt.Sprintf("c%d", n) }
	for _, l := range s.lines { // in the order of the file, so that ids are
		rest, ok := strings.CutPrefix(l.text, "reply ")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ":")
		r, err := reply(s.replies[name][len(w.replies[name])], call, w.gate)
		if err != nil {
			t.Fatal(err)
		}
		w.replies[name] = append(w.replies[name], r)
	}
	w.script = &provider.Scripted{Replies: w.replies}
	w.start()
	return w
}

// blank is a data directory of its own. Making one takes a few syncs of the disk,
// so that it is copied from one that was made before.
func blank(t testing.TB, from string) string {
	dir := filepath.Join(t.TempDir(), "data")
	if from == "" {
		return dir
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (w *world) gate(name string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gates[name] == nil {
		w.gates[name] = make(chan struct{})
	}
	return w.gates[name]
}

// say notes what the outside saw of a thread.
func (w *world) say(thread engine.ThreadID, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, said{thread, fmt.Sprintf(format, args...)})
}

func (w *world) newID() string { return fmt.Sprintf("id%dx", w.ids.Add(1)) }

// start is a new process on the data directory.
func (w *world) start() {
	w.Helper()
	inner, err := storage.Open(context.Background(), storage.Options{Dir: w.dir, Now: time.Now, NewID: w.newID, FileKey: true, Poll: true})
	if err != nil {
		w.Fatal(err)
	}
	w.store = &crashStore{Store: inner, after: w.after}
	if w.at > w.commits {
		w.store.at = w.at - w.commits
	}
	w.e = engine.New(engine.Config{Store: w.store, Project: engine.FixedProject{Defs: w.s.defs}, Models: models{w}, Scripts: scripts{w},
		Now: time.Now, NewID: w.newID, After: time.After, ProcessEnv: w.processEnv,
		Logf: func(f string, a ...any) { w.Logf(f, a...) }})
	if err := w.e.Start(context.Background(), engine.HostScope{Project: "/project"}); err != nil {
		w.Fatal(err)
	}
	if w.session != "" {
		w.subscribe()
	}
}

func (w *world) processEnv(name string) (string, bool) {
	if v, ok := strings.CutPrefix(name, "HOME_"); ok {
		return "process " + strings.ToLower(v), true
	}
	return "", false
}

// subscribe follows the session from where the last process's subscriber was.
func (w *world) subscribe() {
	w.mu.Lock()
	after := int64(0)
	if n := len(w.received); n > 0 {
		after = w.received[n-1].Sequence
	}
	w.mu.Unlock()
	sub := w.e.Control().Subscribe(w.session, after)
	ctx, cancel := context.WithCancel(context.Background())
	w.follow, w.done = cancel, make(chan struct{})
	go func() {
		defer close(w.done)
		defer sub.Close()
		for {
			events, err := sub.Next(ctx)
			if err != nil {
				return
			}
			w.mu.Lock()
			for _, e := range events {
				if e.Volatile() {
					w.stream = append(w.stream, e)
				} else {
					w.received = append(w.received, e)
				}
			}
			w.mu.Unlock()
		}
	}()
}

// stop ends the process; what it does on its way out is stored unless it crashed.
func (w *world) stop() {
	w.Helper()
	if err := w.e.Stop(context.Background()); err != nil {
		w.Fatal(err)
	}
	if w.follow != nil {
		w.follow()
		<-w.done
	}
	w.commits += w.store.commits
	if err := w.store.Store.(*storage.Store).Close(); err != nil {
		w.Fatal(err)
	}
}

// settle waits until nothing moves any more. A crash on the way is followed by a
// new process.
func (w *world) settle() {
	w.Helper()
	for synctest.Wait(); w.store.crashed(); synctest.Wait() {
		w.stop()
		w.start()
	}
}

var (
	idPattern  = regexp.MustCompile(`id\d+x`)
	threadName = regexp.MustCompile(`@child[0-9.]+`)
)

// plain replaces ids by short names in the order in which they are printed.
func (w *world) plain(s string) string {
	s = filePath.ReplaceAllString(s, "-*$1")
	return idPattern.ReplaceAllStringFunc(s, func(id string) string {
		if w.names[id] == "" {
			w.numbered++
			w.names[id] = "#" + strconv.Itoa(w.numbered)
		}
		return w.names[id]
	})
}

// models is the world as engine.Models: it notes what each model saw.
type models struct{ w *world }

func (m models) Open(ctx context.Context, def *engine.ModelDef, getenv func(string) (string, bool)) (engine.Model, error) {
	if def.Provider == "keyed" {
		key, ok := getenv("KEYED_API_KEY")
		if !ok {
			return nil, engine.Errorf(engine.CodeModel, "open model", "provider keyed needs a key: set KEYED_API_KEY")
		}
		m.w.say(m.w.root, "key %s", key)
	}
	inner, err := m.w.script.Open(ctx, def, getenv)
	return asked{m.w, inner}, err
}

type asked struct {
	w     *world
	inner engine.Model
}

func (a asked) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	a.w.say(engine.ThreadID(req.User), "%s", printRequest(req))
	resp, err := a.inner.Generate(ctx, req, emit)
	if resp == nil {
		return resp, err
	}
	for i := range resp.ToolCalls {
		c := &resp.ToolCalls[i]
		c.Arguments = threadName.ReplaceAllStringFunc(c.Arguments, func(s string) string { return string(a.w.find(s[1:])) })
	}
	return resp, err
}
