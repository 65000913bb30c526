//go:build unix

package storage

import (
	"errors"
	"os"
	"syscall"
)

func isNoLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EOPNOTSUPP)
}

// processLock is the lock that a process takes around its transactions. Its file
// stays open: it is taken at every commit.
type processLock struct{ f *os.File }

func openProcessLock(path string) (*processLock, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	return &processLock{f}, err
}

// lock waits for its turn; the system keeps the order.
func (l *processLock) lock() error {
	for {
		err := syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			return err
		}
	}
}

// try takes the lock where it is free.
func (l *processLock) try() (bool, error) {
	err := syscall.Flock(int(l.f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK || err == syscall.EINTR {
		return false, nil
	}
	return err == nil, err
}

func (l *processLock) unlock() error { return syscall.Flock(int(l.f.Fd()), syscall.LOCK_UN) }
func (l *processLock) close() error  { return l.f.Close() }
