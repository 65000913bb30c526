package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// Turn reads one turn.
func (s *Store) Turn(ctx context.Context, id engine.TurnID) (*engine.TurnRead, error) {
	const op = "read turn"
	u := new(engine.TurnRead)
	err := s.read(ctx, op, func(c *conn) error {
		found, err := c.one(`SELECT read FROM turns WHERE id = ?`, func(r row) error {
			return decode("turn", r.text(0), u)
		}, string(id))
		if err == nil && !found {
			err = engine.Errorf(engine.CodeNotFound, op, "there is no turn %s", id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// Turns lists the newest limit turns of a thread (0: all), newest first.
func (s *Store) Turns(ctx context.Context, thread engine.ThreadID, limit int) ([]engine.TurnRead, error) {
	const op = "list turns"
	if limit <= 0 {
		limit = -1
	}
	var list []engine.TurnRead
	err := s.read(ctx, op, func(c *conn) error {
		const query = `SELECT u.read FROM threads t LEFT JOIN turns u ON u.thread = t.num WHERE t.id = ?
			ORDER BY u.submitted DESC, u.rowid DESC LIMIT ?`
		found, err := c.one(query, func(r row) error {
			if r[0] == nil {
				return nil
			}
			var u engine.TurnRead
			err := decode("turn", r.text(0), &u)
			list = append(list, u)
			return err
		}, string(thread), limit)
		if err == nil && !found {
			err = notThere(op, thread)
		}
		return err
	})
	return list, err
}

// Children lists a thread's child registry in order of creation.
func (s *Store) Children(ctx context.Context, parent engine.ThreadID) ([]engine.Child, error) {
	const op = "list children"
	var list []engine.Child
	err := s.read(ctx, op, func(c *conn) error {
		const query = `SELECT k.child FROM threads t LEFT JOIN children k ON k.parent = t.num WHERE t.id = ? ORDER BY k.num`
		found, err := c.one(query, func(r row) error {
			if r[0] == nil {
				return nil
			}
			var k engine.Child
			err := decode("child", r.text(0), &k)
			list = append(list, k)
			return err
		}, string(parent))
		if err == nil && !found {
			err = notThere(op, parent)
		}
		return err
	})
	return list, err
}

// Session reads the session's read model.
func (s *Store) Session(ctx context.Context, id engine.SessionID) (*engine.SessionRead, error) {
	const op = "read session"
	var read *engine.SessionRead
	err := s.read(ctx, op, func(c *conn) error {
		row, err := readSession(c, id)
		if err == nil && row == nil {
			err = engine.Errorf(engine.CodeNotFound, op, "there is no session %s", id)
		}
		if err == nil {
			read = row.read
		}
		return err
	})
	return read, err
}

// Events reads up to Limit events of a session after a sequence, in order.
func (s *Store) Events(ctx context.Context, q engine.EventQuery) ([]engine.Event, error) {
	const op = "read events"
	limit := q.Limit
	if limit <= 0 {
		limit = 1000
	}
	var list []engine.Event
	err := s.read(ctx, op, func(c *conn) error {
		query := `SELECT e.seq, e.event FROM events e WHERE e.session = (SELECT num FROM sessions WHERE id = ?) AND e.seq > ?`
		args := []any{string(q.Session), q.After}
		if q.Thread != "" {
			query += ` AND e.thread = (SELECT num FROM threads WHERE id = ?)`
			args = append(args, string(q.Thread))
		}
		return c.query(query+` ORDER BY e.seq LIMIT ?`, func(r row) error {
			var e engine.Event
			err := decode("event", r.text(1), &e)
			e.Sequence = r.int(0)
			list = append(list, e)
			return err
		}, append(args, limit)...)
	})
	return list, err
}
