package storage

import (
	"github.com/sideb-dev/sideb/engine"
)

// sessionRow is a row of sessions, with what its last event adds.
type sessionRow struct {
	num    int64
	id     engine.SessionID
	seq    int64
	stored engine.SessionRead // without what every event changes
	read   *engine.SessionRead
}

// readSession reads a session's row, nil where there is none.
func readSession(c *conn, id engine.SessionID) (*sessionRow, error) {
	s := &sessionRow{id: id, read: new(engine.SessionRead)}
	const query = `SELECT s.num, s.seq, s.read, e.seq, e.event FROM sessions s
		LEFT JOIN events e ON e.session = s.num AND e.seq = (SELECT max(seq) FROM events WHERE session = s.num)
		WHERE s.id = ?`
	found, err := c.one(query, func(r row) error {
		s.num, s.seq = r.int(0), max(r.int(1), r.int(3))
		if err := decode("session "+string(id), r.text(2), s.read); err != nil {
			return err
		}
		s.stored = atRest(s.read)
		if r[4] == nil {
			return nil
		}
		var last engine.Event
		err := decode("event", r.text(4), &last)
		s.read.UpdatedAt, s.read.Sequence = micros(last.Timestamp), r.int(3)
		return err
	}, string(id))
	if err != nil || !found {
		return nil, err
	}
	return s, nil
}

// atRest is what of a session an event of no concern to it leaves alone.
func atRest(r *engine.SessionRead) engine.SessionRead {
	s := *r
	s.UpdatedAt, s.Sequence = 0, 0
	return s
}

func (t *tx) session(id engine.SessionID) (*sessionRow, error) {
	if r, ok := t.cache.sessions[id]; ok {
		return touch(&t.sessions, r), nil
	}
	for _, r := range t.sessions {
		if r.id == id {
			return r, nil
		}
	}
	s, err := readSession(t.c, id)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, engine.Errorf(engine.CodeNotFound, "commit", "there is no session %s", id)
	}
	remember(t.cache.sessions, id, s)
	return touch(&t.sessions, s), nil
}

func (s *sessionRow) write(c *conn) error {
	if atRest(s.read) == s.stored {
		return nil
	}
	text, err := encode("session", s.read)
	if err != nil {
		return err
	}
	s.stored = atRest(s.read)
	_, err = c.exec(`UPDATE sessions SET seq = ?, read = ? WHERE num = ?`, s.seq, text, s.num)
	return err
}

// turnRow is a row of turns; read is nil while there is none.
type turnRow struct {
	id     engine.TurnID
	thread int64
	stored bool
	text   string
	read   *engine.TurnRead
}

func (t *tx) turn(id engine.TurnID) (*turnRow, error) {
	if r, ok := t.cache.turns[id]; ok {
		return touch(&t.turns, r), nil
	}
	for _, r := range t.turns {
		if r.id == id {
			return r, nil
		}
	}
	u := &turnRow{id: id}
	const query = `SELECT thread, read FROM turns WHERE id = ?`
	found, err := t.c.one(query, func(r row) error {
		u.thread, u.text, u.stored, u.read = r.int(0), r.text(1), true, new(engine.TurnRead)
		return decode("turn "+string(id), u.text, u.read)
	}, string(id))
	if err != nil {
		return nil, err
	}
	if found {
		remember(t.cache.turns, id, u)
	}
	return touch(&t.turns, u), nil
}

func (u *turnRow) write(c *conn) error {
	if u.read == nil || u.thread == 0 {
		return nil
	}
	text, err := encode("turn", u.read)
	if err != nil || text == u.text {
		return err
	}
	args := []any{u.thread, int64(u.read.SubmittedAt), string(u.read.Status), text, string(u.id)}
	query := `INSERT INTO turns (thread, submitted, status, read, id) VALUES (?, ?, ?, ?, ?)`
	if u.stored {
		query, args = `UPDATE turns SET status = ?, read = ? WHERE id = ?`, args[2:]
	}
	_, err = c.exec(query, args...)
	u.stored, u.text = true, text
	return err
}

// childRow is a row of the child registry; child is nil while there is none.
type childRow struct {
	parent    int64
	reference engine.ThreadID
	text      string
	child     *engine.Child
}

func (t *tx) child(parent int64, reference engine.ThreadID) (*childRow, error) {
	for _, r := range t.children {
		if r.parent == parent && r.reference == reference {
			return r, nil
		}
	}
	k := &childRow{parent: parent, reference: reference}
	const query = `SELECT child FROM children WHERE parent = ? AND reference = ?`
	_, err := t.c.one(query, func(r row) error {
		k.text, k.child = r.text(0), new(engine.Child)
		return decode("child "+string(reference), k.text, k.child)
	}, parent, string(reference))
	if err != nil {
		return nil, err
	}
	t.children = append(t.children, k)
	return k, nil
}

func (k *childRow) write(c *conn) error {
	if k.child == nil {
		return nil
	}
	text, err := encode("child", k.child)
	if err != nil || text == k.text {
		return err
	}
	_, err = c.exec(`INSERT INTO children (parent, reference, child) VALUES (?, ?, ?)
		ON CONFLICT (parent, reference) DO UPDATE SET child = excluded.child`, k.parent, string(k.reference), text)
	return err
}
