package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/sideb-dev/sideb/engine"
)

func dbPath(dir string) string    { return filepath.Join(dir, "sideb.db") }
func writeLock(dir string) string { return filepath.Join(dir, "write.lock") }
func keyPath(dir string) string   { return filepath.Join(dir, "key") }

func hostLock(dir string, id engine.HostID) string {
	return filepath.Join(dir, "hosts", string(id)+".lock")
}

// makeDir creates the data directory, for its owner only.
func makeDir(dir string) error {
	if dir == "" {
		return engine.Errorf(engine.CodeInvalid, "open data directory", "no directory was given: choose one with --data-dir")
	}
	err := os.MkdirAll(filepath.Join(dir, "hosts"), 0o700)
	if err == nil {
		return nil
	}
	return engine.Errorf(engine.CodeInvalid, "open data directory",
		"%s can't be created or written: check who may write there, or choose another directory with --data-dir (%w)", dir, err)
}

// errNoLocks says that the file system has no locks, so that a heartbeat has to
// do.
var errNoLocks = errors.New("file locks are not supported here")

// holdLock takes a new lock file for this process.
func holdLock(path string) (*flock.Flock, error) {
	l := flock.New(path)
	ok, err := l.TryLock()
	switch {
	case errors.Is(err, errors.ErrUnsupported), isNoLocks(err):
		return nil, errNoLocks
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%s is held by another process", path)
	}
	return l, nil
}

// lockHeld reports whether some process holds the lock file. The probe is a
// shared lock, so that two probes at once don't take each other for the holder.
func lockHeld(path string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // removed between the two calls: its holder ended
	}
	if err != nil {
		return false, err
	}
	if free {
		return false, l.Unlock()
	}
	return true, nil
}
