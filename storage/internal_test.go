package storage

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func openHere(t *testing.T, now func() time.Time) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Now: now, NewID: rand.Text, Logf: t.Logf, FileKey: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Store) mustExec(t *testing.T, query string, args ...any) {
	t.Helper()
	err := s.w.do(context.Background(), func(x *tx) error {
		_, err := x.c.exec(query, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHeartbeatTellsWithoutLocks: a host that wrote its heartbeat lately is alive
// although it holds no lock.
func TestHeartbeatTellsWithoutLocks(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now := start
	s := openHere(t, func() time.Time { return now })
	s.mustExec(t, `INSERT INTO hosts (id, project, session, started, heartbeat) VALUES ('h', '/p', '', 1, ?)`, int64(micros(start)))
	for _, c := range []struct {
		age   time.Duration
		alive bool
	}{{0, true}, {4 * time.Second, true}, {beatStale, false}, {time.Hour, false}} {
		now = start.Add(c.age)
		err := s.read(t.Context(), "look", func(conn *conn) error {
			alive, err := s.alive(conn, "h")
			if alive != c.alive {
				t.Errorf("heartbeat of age %v: alive %v", c.age, alive)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestSecretIsBoundToItsPlace: a sealed value that is copied to another name
// doesn't open there.
func TestSecretIsBoundToItsPlace(t *testing.T) {
	s := openHere(t, nil)
	_, err := s.Commit(t.Context(), &engine.Commit{Env: []engine.EnvValue{
		{Scope: engine.EnvUser, Name: "A", Value: "one", Type: engine.VariableSecret},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.mustExec(t, `UPDATE env SET name = 'B'`)
	_, err = s.Env(t.Context(), engine.EnvUser, "")
	if engine.CodeOf(err) != engine.CodeCorrupt {
		t.Errorf("a moved secret: %v", err)
	}
}

// TestPanicEndsOneCommitOnly: what a commit does wrong is its own error.
func TestPanicEndsOneCommitOnly(t *testing.T) {
	s := openHere(t, nil)
	err := s.w.do(t.Context(), func(*tx) error { panic("no") })
	if engine.CodeOf(err) != engine.CodeInternal {
		t.Errorf("a panic gave %v", err)
	}
	s.mustExec(t, `INSERT INTO meta (key, value) VALUES ('k', 'v')`)
}

// TestCallerGivesUpWhileAnotherProcessWrites: while the write lock is elsewhere, a
// caller's context still ends its wait, and nothing is committed.
func TestCallerGivesUpWhileAnotherProcessWrites(t *testing.T) {
	s := openHere(t, nil)
	other, err := openProcessLock(writeLock(s.dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.lock(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		failed <- s.w.do(ctx, func(x *tx) error {
			_, err := x.c.exec(`INSERT INTO meta (key, value) VALUES ('given up', '')`)
			return err
		})
	}()
	cancel()
	if err := <-failed; engine.CodeOf(err) != engine.CodeCanceled {
		t.Errorf("error %v", err)
	}
	if err := other.close(); err != nil { // releases it
		t.Fatal(err)
	}
	s.mustExec(t, `INSERT INTO meta (key, value) VALUES ('committed', '')`)
	err = s.read(t.Context(), "look", func(c *conn) error {
		n, err := c.integer(`SELECT count(*) FROM meta WHERE key IN ('given up', 'committed')`)
		if n != 1 {
			t.Errorf("%d rows, want that of the second commit", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
