package storage

import (
	"errors"

	"github.com/sideb-dev/sideb/engine"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// fault turns what SQLite or the system reported into an engine.Error that says
// what to do. An engine.Error stays as it is.
func (s *Store) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	if e := new(engine.Error); errors.As(err, &e) {
		return err
	}
	return faultIn(op, s.dir, err)
}

func faultIn(op, dir string, err error) error {
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return engine.Errorf(engine.CodeLimit, op, "the disk that holds %s is full: free some space and try again (%w)", dir, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return engine.Errorf(engine.CodeCorrupt, op,
			"the database %s is damaged: copy the directory away, then restore a backup or move sideb.db aside to start afresh (%w)", dbPath(dir), err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return engine.Errorf(engine.CodeBusy, op, "another program holds %s: close it and try again (%w)", dbPath(dir), err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return engine.Errorf(engine.CodeInvalid, op,
			"%s can't be opened for writing: check who may write there, or choose another directory with --data-dir (%w)", dbPath(dir), err)
	case sqlite3.SQLITE_IOERR:
		return engine.Errorf(engine.CodeInternal, op, "the disk that holds %s failed: check it and its free space (%w)", dir, err)
	default:
		return engine.Errorf(engine.CodeInternal, op, "%w", err)
	}
}

// sqliteCode is SQLite's extended result code, 0 where err isn't SQLite's.
func sqliteCode(err error) int {
	if e := new(sqlite.Error); errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
