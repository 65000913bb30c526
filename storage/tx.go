package storage

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/sideb-dev/sideb/engine"
	sqlite3 "modernc.org/sqlite/lib"
)

const constraint = sqlite3.SQLITE_CONSTRAINT

// tx is one member of a transaction. It loads each row that it touches once,
// changes it in memory and writes it back once, in flush.
type tx struct {
	s     *Store
	c     *conn
	cache *cache

	threads  []*threadRow
	sessions []*sessionRow
	turns    []*turnRow
	children []*childRow
	args     []any // for statements with many, used again
}

// guard runs f and turns a panic into an error, so that one commit can't end the
// writer.
func (t *tx) guard(f func(t *tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = engine.Errorf(engine.CodeInternal, "commit", "panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(t)
}

// forget drops the rows that a failed member changed in memory.
func (t *tx) forget() {
	for _, r := range t.threads {
		delete(t.cache.threads, r.id)
	}
	for _, r := range t.sessions {
		delete(t.cache.sessions, r.id)
	}
	for _, r := range t.turns {
		delete(t.cache.turns, r.id)
	}
}

// cache is what the writer remembers between transactions. A row in it is what
// the database holds, but while a member changes it.
type cache struct {
	threads  map[engine.ThreadID]*threadRow
	sessions map[engine.SessionID]*sessionRow
	turns    map[engine.TurnID]*turnRow
}

// maxCached bounds each kind of row; a full kind starts afresh.
const maxCached = 4096

func newCache() *cache {
	return &cache{
		threads:  map[engine.ThreadID]*threadRow{},
		sessions: map[engine.SessionID]*sessionRow{},
		turns:    map[engine.TurnID]*turnRow{},
	}
}

func (c *cache) clear() {
	clear(c.threads)
	clear(c.sessions)
	clear(c.turns)
}

func remember[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= maxCached {
		clear(m)
	}
	m[k] = v
}

// thread loads a thread's row; CodeNotFound where there is none.
func (t *tx) thread(id engine.ThreadID) (*threadRow, error) {
	if r, ok := t.cache.threads[id]; ok {
		return touch(&t.threads, r), nil
	}
	for _, r := range t.threads { // one that a full cache dropped in this transaction
		if r.id == id {
			return r, nil
		}
	}
	r, err := loadThread(t.c, id)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, engine.Errorf(engine.CodeNotFound, "commit", "there is no thread %s", id)
	}
	remember(t.cache.threads, id, r)
	return touch(&t.threads, r), nil
}

func touch[T comparable](list *[]T, r T) T {
	if !slices.Contains(*list, r) {
		*list = append(*list, r)
	}
	return r
}

// flush writes back what changed.
func (t *tx) flush() error {
	for _, r := range t.threads {
		if err := r.write(t); err != nil {
			return err
		}
		if r.owner == "" && !r.active && r.queued == 0 {
			delete(t.cache.threads, r.id) // at rest: that costs no memory
		}
	}
	for _, r := range t.sessions {
		if err := r.write(t.c); err != nil {
			return fmt.Errorf("write session: %w", err)
		}
	}
	for _, r := range t.turns {
		if err := r.write(t.c); err != nil {
			return fmt.Errorf("write turn: %w", err)
		}
		if r.read != nil && r.read.Status.Ended() {
			delete(t.cache.turns, r.id)
		}
	}
	for _, r := range t.children {
		if err := r.write(t.c); err != nil {
			return fmt.Errorf("write child: %w", err)
		}
	}
	return nil
}
