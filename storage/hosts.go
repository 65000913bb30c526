package storage

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

const (
	// beatEvery is how often a host without a lock writes its heartbeat.
	beatEvery = time.Second
	// beatStale is the age at which a heartbeat no longer counts.
	beatStale = 5 * time.Second
)

// Register makes this process a host for as long as the store is open. Called
// again it adds a scope to the same host.
func (s *Store) Register(ctx context.Context, scope engine.HostScope) (engine.HostID, error) {
	const op = "register host"
	h := &s.host
	h.mu.Lock()
	defer h.mu.Unlock()
	id := h.id
	if id == "" {
		id = engine.HostID(s.newID())
		lock, err := holdLock(hostLock(s.dir, id))
		if err != nil && !errors.Is(err, errNoLocks) {
			return "", engine.Errorf(engine.CodeInternal, op, "%w", err)
		}
		h.lock = lock
	}
	err := s.w.do(ctx, func(t *tx) error {
		if err := t.buryDead(id); err != nil {
			return err
		}
		beat := int64(0)
		if h.lock == nil {
			beat = int64(micros(s.now()))
		}
		_, err := t.c.exec(`INSERT INTO hosts (id, project, session, started, heartbeat) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			string(id), scope.Project, string(scope.Session), int64(micros(s.now())), beat)
		return err
	})
	if err != nil {
		if h.id == "" && h.lock != nil {
			s.dropLock(id)
		}
		return "", s.fault(op, err)
	}
	h.id = id
	s.changes.joined()
	h.scopes = append(h.scopes, scope)
	if h.lock == nil && h.beat == nil {
		h.beat = startHeartbeat(s, id)
	}
	return id, nil
}

// unregister ends the host that this process is. What it owned is free once its
// lock is; the row only spares others the look at the lock.
func (s *Store) unregister() {
	h := &s.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.id == "" {
		return
	}
	if h.beat != nil {
		h.beat.end()
	}
	id := h.id
	err := s.w.do(context.Background(), func(t *tx) error {
		_, err := t.c.exec(`DELETE FROM hosts WHERE id = ?`, string(id))
		return err
	})
	if err != nil {
		s.logf("storage: unregister host: %v", err)
	}
	s.dropLock(id)
}

func (s *Store) dropLock(id engine.HostID) {
	if s.host.lock == nil {
		return
	}
	path := hostLock(s.dir, id)
	if err := errors.Join(os.Remove(path), s.host.lock.Close()); err != nil {
		// Where an open file can't be removed, it can once it is closed.
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			s.logf("storage: remove host lock: %v", err)
		}
	}
	s.host.lock = nil
}

// buryDead removes what hosts that ended without a word have left.
func (t *tx) buryDead(self engine.HostID) error {
	var ids []engine.HostID
	err := t.c.query(`SELECT DISTINCT id FROM hosts`, func(r row) error {
		ids = append(ids, engine.HostID(r.text(0)))
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id == self {
			continue
		}
		alive, err := t.s.alive(t.c, id)
		if err != nil || alive {
			if err != nil {
				return err
			}
			continue
		}
		if _, err := t.c.exec(`DELETE FROM hosts WHERE id = ?`, string(id)); err != nil {
			return err
		}
		_ = os.Remove(hostLock(t.s.dir, id)) // a file that stays does no harm
	}
	return nil
}

// alive reports whether a host runs: it is registered, and holds its lock or,
// where there are no locks, wrote its heartbeat lately.
func (s *Store) alive(c *conn, id engine.HostID) (bool, error) {
	var beat int64
	found, err := c.one(`SELECT heartbeat FROM hosts WHERE id = ? LIMIT 1`, func(r row) error { beat = r.int(0); return nil }, string(id))
	if err != nil || !found {
		return false, err
	}
	if beat != 0 {
		return s.now().Sub(time.UnixMicro(beat)) < beatStale, nil
	}
	return lockHeld(hostLock(s.dir, id))
}

// roll answers for many threads which of their owners is another live host; each
// host is looked at once.
type roll struct {
	s     *Store
	c     *conn
	self  engine.HostID
	alive map[engine.HostID]bool
}

func (s *Store) roll(c *conn) *roll {
	return &roll{s: s, c: c, self: s.host.ID(), alive: map[engine.HostID]bool{}}
}

// other reports whether owner is a live host that isn't this process.
func (r *roll) other(owner engine.HostID) (bool, error) {
	if owner == "" || owner == r.self {
		return false, nil
	}
	alive, known := r.alive[owner]
	if known {
		return alive, nil
	}
	alive, err := r.s.alive(r.c, owner)
	r.alive[owner] = alive
	return alive, err
}

// Runnable lists the threads in scope that have work and no live owner (this
// process included), oldest work first.
func (s *Store) Runnable(ctx context.Context, scope engine.HostScope) ([]engine.ThreadID, error) {
	var list []engine.ThreadID
	err := s.read(ctx, "find work", func(c *conn) error {
		query, args := `SELECT t.id, t.owner FROM threads t WHERE t.work_at <> 0 AND t.project = ?`, []any{scope.Project}
		if scope.Session != "" {
			query += ` AND t.session = (SELECT num FROM sessions WHERE id = ?)`
			args = append(args, string(scope.Session))
		}
		var owners []engine.HostID
		err := c.query(query+` ORDER BY t.work_at, t.num`, func(r row) error {
			list = append(list, engine.ThreadID(r.text(0)))
			owners = append(owners, engine.HostID(r.text(1)))
			return nil
		}, args...)
		if err != nil {
			return err
		}
		roll, free := s.roll(c), list[:0]
		for i, id := range list {
			owned, err := roll.other(owners[i])
			if err != nil {
				return err
			}
			if !owned && (owners[i] == "" || owners[i] != roll.self) {
				free = append(free, id)
			}
		}
		list = free
		return nil
	})
	return list, err
}

// LiveHost reports whether another live host's scope covers the thread.
func (s *Store) LiveHost(ctx context.Context, thread engine.ThreadID) (bool, error) {
	const op = "look for a host"
	live := false
	err := s.read(ctx, op, func(c *conn) error {
		var hosts []engine.HostID
		const query = `SELECT h.id FROM threads t JOIN sessions s ON s.num = t.session
			LEFT JOIN hosts h ON h.project = t.project AND h.session IN ('', s.id) WHERE t.id = ?`
		found, err := c.one(query, func(r row) error {
			hosts = append(hosts, engine.HostID(r.text(0)))
			return nil
		}, string(thread))
		if err != nil {
			return err
		}
		if !found {
			return notThere(op, thread)
		}
		roll := s.roll(c)
		for _, id := range hosts {
			if live, err = roll.other(id); err != nil || live {
				return err
			}
		}
		return nil
	})
	return live, err
}

// heartbeat writes the host's time while file locks can't tell that it lives.
type heartbeat struct{ quit, ended chan struct{} }

func startHeartbeat(s *Store, id engine.HostID) *heartbeat {
	b := &heartbeat{quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(b.ended)
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-b.quit:
				return
			case <-tick.C:
			}
			err := s.w.do(context.Background(), func(t *tx) error {
				_, err := t.c.exec(`UPDATE hosts SET heartbeat = ? WHERE id = ?`, int64(micros(s.now())), string(id))
				return err
			})
			if err != nil {
				s.logf("storage: heartbeat: %v", err)
			}
		}
	}()
	return b
}

func (b *heartbeat) end() {
	close(b.quit)
	<-b.ended
}
