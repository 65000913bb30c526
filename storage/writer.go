package storage

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/sideb-dev/sideb/engine"
	"modernc.org/sqlite"
)

// maxGroup bounds how many commits share a transaction, and so how long the first
// of them waits for the last.
const maxGroup = 128

// job is one change that a caller waits for: its work, and what it came to.
type job struct {
	apply func(t *tx) error
	state atomic.Int32 // waiting, then either begun or left
	done  chan struct{}
	err   error
}

const (
	jobWaits int32 = iota
	jobBegun
	jobLeft // its caller gave up before it was begun
)

// writer has the only connection that writes, and what it remembers of rows. Who
// has put its token into turn may use them. Every caller that waits tries to: the
// one that succeeds commits for all, so that a lone one changes no goroutine.
type writer struct {
	s    *Store
	c    *conn
	log  *logFile
	lock *processLock
	jobs chan *job
	turn chan struct{}
	quit chan struct{}

	cache   *cache
	group   []*job // of the last transaction, used again
	args    []any  // of statements with many, used again
	last    int    // how many the last group had
	version uint32 // the pager's data version after our last transaction
	seen    int64  // PRAGMA data_version when the changes channel was last served
}

func startWriter(s *Store, c *conn, lock *processLock) *writer {
	w := &writer{
		s: s, c: c, cache: newCache(), log: openLog(dbPath(s.dir) + "-wal"), lock: lock,
		jobs: make(chan *job, 2*maxGroup), turn: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	w.seen, _ = c.integer("PRAGMA data_version") // where it fails, the first look reports a change
	return w
}

// close waits for the commit that is on its way. The turn is never given back.
func (w *writer) close() error {
	close(w.quit)
	w.turn <- struct{}{}
	return errors.Join(w.log.close(), w.c.close(), w.lock.close())
}

// do applies f in a transaction and returns once it is durable. Where ctx ends
// before f was begun, nothing of it happens.
func (w *writer) do(ctx context.Context, f func(t *tx) error) error {
	j := &job{apply: f, done: make(chan struct{})}
	select {
	case <-w.quit:
		return errClosed()
	default:
	}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return errClosed()
	}
	for {
		select {
		case <-j.done:
			return j.err
		case w.turn <- struct{}{}:
			w.lead(j)
		case <-ctx.Done():
			return j.leave(ctx.Err())
		case <-w.quit:
			return j.leave(errClosed())
		}
	}
}

// leave gives up a job that wasn't begun; else its caller has to know how it
// ended.
func (j *job) leave(why error) error {
	if j.state.CompareAndSwap(jobWaits, jobLeft) {
		return why
	}
	<-j.done
	return j.err
}

func (j *job) begin() bool { return j.state.CompareAndSwap(jobWaits, jobBegun) }

// lead commits what waits, and gives the turn back. While another process has the
// write lock, a goroutine waits for it, so that the caller can still give up.
func (w *writer) lead(j *job) {
	select {
	case <-j.done: // by the one who had the turn before
		<-w.turn
		return
	case <-w.quit:
		<-w.turn
		return
	default:
	}
	free, err := w.lock.try()
	if free || err != nil {
		w.commit(err)
		<-w.turn
		return
	}
	go func() {
		w.commit(w.lock.lock())
		<-w.turn
	}()
}

// commit applies what waits in one transaction, under the write lock that was
// just taken, or failed to be.
func (w *writer) commit(lockErr error) {
	group := w.gather()
	if len(group) == 0 {
		w.unlock()
		return
	}
	errs := make([]error, len(group))
	var err error
	if lockErr != nil && !isNoLocks(lockErr) {
		err = engine.Errorf(engine.CodeInternal, "commit", "lock %s: %w", writeLock(w.s.dir), lockErr)
	} else {
		w.log.grow()
		err = w.transact(group, errs)
		w.unlock()
	}
	if err != nil {
		w.cache.clear()
		err = w.s.fault("commit", err)
	}
	for i, j := range group {
		if j.err = errs[i]; err != nil {
			j.err = err
		}
		close(j.done)
	}
}

func (w *writer) unlock() {
	if err := w.lock.unlock(); err != nil && !isNoLocks(err) {
		w.s.logf("storage: unlock %s: %v", writeLock(w.s.dir), err)
	}
}

// gather takes all that wait and leaves out those whose callers gave up. After a
// group it first lets the callers run that the group has just woken: most of them
// bring their next commit.
func (w *writer) gather() []*job {
	for range 3 {
		if len(w.jobs) >= w.last {
			break
		}
		runtime.Gosched()
	}
	w.group = w.group[:0]
	for len(w.group) < maxGroup {
		select {
		case j := <-w.jobs:
			if j.begin() {
				w.group = append(w.group, j)
			}
			continue
		default:
		}
		break
	}
	w.last = len(w.group)
	return w.group
}

// transact is one transaction; errs gets each member's own failure. An error
// means that nothing of the group was committed.
//
// Savepoints cost more than failures are worth: a group is first applied without,
// and where a member fails, rolled back and applied again with one for each.
func (w *writer) transact(group []*job, errs []error) error {
	careful := false
	for {
		if _, err := w.c.exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		if v, err := w.dataVersion(); err != nil || v != w.version {
			w.cache.clear()
		}
		applied, err := w.members(group, errs, careful)
		if err == nil && applied > 0 {
			_, err = w.c.exec("COMMIT")
		}
		if err != nil || applied == 0 {
			w.cache.clear()
			_, back := w.c.exec("ROLLBACK")
			switch {
			case err == errAgain:
				careful = true
				continue
			case err == nil:
				err = back // where err isn't nil, there may be no transaction left to end
			}
		}
		v, verr := w.dataVersion()
		if verr != nil {
			w.cache.clear()
		}
		w.version = v
		return err
	}
}

// errAgain says that the group has to be applied with savepoints.
var errAgain = errors.New("a member failed")

// members applies the group and returns how many succeeded. An error ends the
// transaction.
func (w *writer) members(group []*job, errs []error, careful bool) (applied int, err error) {
	for i, j := range group {
		if careful {
			errs[i], err = w.saved(j)
		} else {
			errs[i] = w.member(j)
		}
		switch {
		case err != nil:
			return applied, err
		case fatal(errs[i]):
			return applied, errs[i]
		case errs[i] == nil:
			applied++
		case !careful && len(group) > 1:
			return applied, errAgain
		}
	}
	return applied, nil
}

// fatal reports whether the transaction as a whole can't go on.
func fatal(err error) bool { return sqliteCode(err) != 0 && sqliteCode(err)&0xff != constraint }

func (w *writer) member(j *job) error {
	t := &tx{s: w.s, c: w.c, cache: w.cache, args: w.args}
	err := t.guard(j.apply)
	w.args = t.args
	if err != nil {
		t.forget()
	}
	return err
}

// saved applies one member in a savepoint of its own. The second error ends the
// transaction.
func (w *writer) saved(j *job) (error, error) {
	if _, err := w.c.exec("SAVEPOINT member"); err != nil {
		return nil, err
	}
	failed := w.member(j)
	if fatal(failed) {
		return nil, failed
	}
	if failed != nil {
		if _, err := w.c.exec("ROLLBACK TO member"); err != nil {
			return nil, err
		}
	}
	_, err := w.c.exec("RELEASE member")
	return failed, err
}

// dataVersion changes with every transaction that this connection commits, or
// learns of when it begins one.
func (w *writer) dataVersion() (uint32, error) {
	fc, ok := w.c.c.(sqlite.FileControl)
	if !ok {
		return 0, engine.Errorf(engine.CodeInternal, "commit", "the driver tells no data version")
	}
	return fc.FileControlDataVersion("main")
}

// noticeOthers reports whether another process committed since the last time. Our
// own commits don't count: the writer's connection made them.
func (w *writer) noticeOthers() bool {
	select {
	case w.turn <- struct{}{}:
	case <-w.quit:
		return false
	}
	defer func() { <-w.turn }()
	select {
	case <-w.quit:
		return false
	default:
	}
	v, err := w.c.integer("PRAGMA data_version")
	if err != nil {
		w.s.logf("storage: look for changes: %v", err)
		return false
	}
	changed := v != w.seen
	w.seen = v
	return changed
}
