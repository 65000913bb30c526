package storage

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/sideb-dev/sideb/engine"
)

// Options says where the store is and where time and ids come from.
type Options struct {
	Dir   string           // data directory; made (0700) where it isn't there
	Now   func() time.Time // nil is the system's clock
	NewID func() string    // required: of the runtime and of hosts
	Logf  func(format string, args ...any)
	// FileKey keeps the secrets' key in a file of the directory, even where a
	// keyring is there.
	FileKey bool
	// Poll looks for other processes' commits at intervals instead of watching
	// files: a test's fake clock can't pass while a goroutine waits for the system.
	Poll bool
}

// Store implements engine.Store. Make it with Open and end it with Close.
type Store struct {
	dir     string
	now     func() time.Time
	newID   func() string
	logf    func(format string, args ...any)
	runtime engine.RuntimeID

	w       *writer
	readers *pool
	secrets *secrets
	changes *changes

	host hostState
	stop sync.Once
}

// hostState is what makes this process a host.
type hostState struct {
	mu     sync.Mutex
	id     engine.HostID
	lock   *flock.Flock
	scopes []engine.HostScope
	beat   *heartbeat // only where lock is nil
}

func (h *hostState) ID() engine.HostID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id
}

// Open opens the data directory, and makes it or brings its schema forward where
// needed. It fails with CodeInvalid where the directory can't be used or is of a
// newer version, and with CodeCorrupt where the database is damaged.
func Open(ctx context.Context, o Options) (*Store, error) {
	const op = "open data directory"
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if err := makeDir(o.Dir); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, op, "%w", err)
	}
	s := &Store{dir: dir, now: o.Now, newID: o.NewID, logf: o.Logf}
	lock, err := openProcessLock(writeLock(dir))
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, op, "%s can't be written: check who may write there, or choose another directory with --data-dir (%w)", dir, err)
	}
	c, err := s.prepare(lock)
	if err != nil {
		_ = lock.close() // the first error is the one to tell
		return nil, s.fault(op, err)
	}
	s.readers = newPool(dbPath(dir))
	s.secrets = newSecrets(dir, string(s.runtime), o.FileKey)
	s.changes = newChanges()
	s.w = startWriter(s, c, lock)
	s.changes.watch(s, o.Poll)
	return s, nil
}

// prepare opens the writer's connection, makes the schema current, and reads or
// makes the runtime's id.
func (s *Store) prepare(lock *processLock) (c *conn, err error) {
	if err := lock.lock(); err != nil && !isNoLocks(err) {
		return nil, engine.Errorf(engine.CodeInvalid, "open data directory", "lock %s: %w", writeLock(s.dir), err)
	}
	defer lock.unlock() //nolint:errcheck // the writer takes it again, and says what is wrong
	if c, err = openConn(dbPath(s.dir), false); err != nil {
		return nil, err
	}
	if err = migrate(c, s.dir); err == nil {
		err = s.identify(c)
	}
	if err != nil {
		_ = c.close() // the first error is the one to tell
		return nil, err
	}
	return c, nil
}

func (s *Store) identify(c *conn) error {
	const query = `SELECT value FROM meta WHERE key = 'runtime'`
	found, err := c.one(query, func(r row) error { s.runtime = engine.RuntimeID(r.text(0)); return nil })
	if err != nil || found {
		return err
	}
	s.runtime = engine.RuntimeID(s.newID())
	_, err = c.exec(`INSERT INTO meta (key, value) VALUES ('runtime', ?)`, string(s.runtime))
	return err
}

// Runtime is the id of this data directory.
func (s *Store) Runtime() engine.RuntimeID { return s.runtime }

// Close ends the host that this process was, waits for commits in flight and
// closes the database. Later calls of the store fail with CodeCanceled.
func (s *Store) Close() error {
	var err error
	s.stop.Do(func() {
		s.unregister()
		s.changes.close()
		err = s.w.close()
		s.readers.close()
	})
	return err
}

func micros(t time.Time) engine.Micros { return engine.MicrosOf(t) }
