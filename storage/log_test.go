package storage

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func walSize(t *testing.T, s *Store) int64 {
	t.Helper()
	st, err := os.Stat(dbPath(s.dir) + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

func addMessage(t *testing.T, s *Store, n int) {
	t.Helper()
	c := &engine.Commit{Thread: "t", Messages: []engine.Message{{ID: engine.MessageID(fmt.Sprint("m", n)), Role: engine.RoleUser, CreatedAt: 1}}}
	if n == 0 {
		c.Create = []engine.Thread{{ID: "t", SessionID: "s", CreatedAt: 1}}
	}
	if _, err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// TestLogGrowsAheadOfCommits: few of many commits append to the log, and what it
// holds is read back from a copy as a crash would leave it.
func TestLogGrowsAheadOfCommits(t *testing.T) {
	const commits = 40
	s := openHere(t, nil)
	grew, size := 0, walSize(t, s)
	for n := range commits {
		addMessage(t, s, n)
		if now := walSize(t, s); now != size {
			grew, size = grew+1, now
		}
	}
	if grew > commits/4 {
		t.Errorf("%d of %d commits grew the log", grew, commits)
	}
	dir := t.TempDir()
	for _, name := range []string{"sideb.db", "sideb.db-wal"} {
		b, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open(t.Context(), Options{Dir: dir, NewID: s.newID, FileKey: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // it only read
	page, err := c.Messages(t.Context(), engine.MessageQuery{Thread: "t", Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Messages) != commits {
		t.Errorf("%d messages after the crash, %d were committed", len(page.Messages), commits)
	}
}

// TestLogIsBounded: what grows it ahead stops where a checkpoint comes.
func TestLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	l := openLog(path)
	defer l.close() //nolint:errcheck // of a test
	for range 20 {
		l.grow()
		if err := os.Truncate(path, l.size-1); err != nil { // another size: somebody wrote
			t.Fatal(err)
		}
	}
	l.grow()
	if l.size != logFull {
		t.Errorf("the log has %d bytes, not %d", l.size, logFull)
	}
}

// TestWriterFlushesEachCommit: nothing is acknowledged before the disk has it.
func TestWriterFlushesEachCommit(t *testing.T) {
	s := openHere(t, nil)
	err := s.w.do(t.Context(), func(x *tx) error {
		mode, err := x.c.integer("PRAGMA synchronous")
		if mode != 2 {
			t.Errorf("synchronous is %d, not FULL", mode)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestThreadAtRestIsForgotten: what the writer remembers of threads is that of
// running ones.
func TestThreadAtRestIsForgotten(t *testing.T) {
	s := openHere(t, nil)
	if _, err := s.Register(t.Context(), engine.HostScope{}); err != nil {
		t.Fatal(err)
	}
	addMessage(t, s, 0)
	remembered := func() (n int) {
		s.w.turn <- struct{}{}
		defer func() { <-s.w.turn }()
		return len(s.w.cache.threads)
	}
	done, err := s.Commit(t.Context(), &engine.Commit{Thread: "t", Claim: &engine.Claim{}, Exec: &engine.Exec{Active: true}})
	if err != nil || remembered() != 1 {
		t.Fatalf("a running thread isn't remembered, %v", err)
	}
	if _, err := s.Commit(t.Context(), &engine.Commit{Thread: "t", Fence: done.Fence, Release: true, Exec: &engine.Exec{}}); err != nil {
		t.Fatal(err)
	}
	if n := remembered(); n != 0 {
		t.Errorf("%d threads at rest are remembered", n)
	}
}
