//go:build !unix

package storage

import (
	"errors"

	"github.com/gofrs/flock"
)

func isNoLocks(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// processLock is the lock that a process takes around its transactions.
type processLock struct{ f *flock.Flock }

func openProcessLock(path string) (*processLock, error) { return &processLock{flock.New(path)}, nil }

// try takes the lock where it is free.
func (l *processLock) try() (bool, error) { return l.f.TryLock() }

func (l *processLock) lock() error   { return l.f.Lock() }
func (l *processLock) unlock() error { return l.f.Unlock() }
func (l *processLock) close() error  { return l.f.Close() }
