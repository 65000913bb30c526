package storage

import (
	"encoding/json"

	"github.com/sideb-dev/sideb/engine"
)

// threadRow is a row of threads without its runtime state, which is only ever
// written.
type threadRow struct {
	num, session int64
	id           engine.ThreadID
	sessionID    engine.SessionID
	agent        string
	project      string
	terminated   engine.Micros
	fence        engine.Fence
	owner        engine.HostID
	active       bool
	queued       int64
	workAt       engine.Micros
	nextOrd      int64
	messages     int64
	shown        int64
	read         *engine.ThreadRead

	stored  leaseKey        // fence and owner as the database has them
	state   json.RawMessage // to be written, nil keeps what is there
	checked bool            // the commit names a lease: the UPDATE must happen
	dirty   bool
	folded  bool  // read changed
	era     int64 // of read.UpdatedAt, as the database has it
	gone    bool  // the commit deletes it
	text    string
}

type leaseKey struct {
	fence engine.Fence
	owner engine.HostID
}

const threadColumns = `t.num, t.session, t.id, s.id, t.agent, t.project, t.terminated, t.fence, t.owner, t.active,
	t.queued, t.work_at, t.next_ord, t.messages, t.shown, t.read, t.era`

func scanThread(r row) (*threadRow, error) {
	t := &threadRow{
		num: r.int(0), session: r.int(1), id: engine.ThreadID(r.text(2)), sessionID: engine.SessionID(r.text(3)),
		agent: r.text(4), project: r.text(5), terminated: engine.Micros(r.int(6)),
		fence: engine.Fence(r.int(7)), owner: engine.HostID(r.text(8)), active: r.int(9) != 0,
		queued: r.int(10), workAt: engine.Micros(r.int(11)), nextOrd: r.int(12), messages: r.int(13), shown: r.int(14),
		text: r.text(15), era: r.int(16), read: new(engine.ThreadRead),
	}
	t.stored = leaseKey{t.fence, t.owner}
	return t, decode("thread "+string(t.id), t.text, t.read)
}

// loadThread reads a thread's row, nil where there is none.
func loadThread(c *conn, id engine.ThreadID) (t *threadRow, err error) {
	const query = `SELECT ` + threadColumns + ` FROM threads t JOIN sessions s ON s.num = t.session WHERE t.id = ?`
	_, err = c.one(query, func(r row) (err error) { t, err = scanThread(r); return err }, string(id))
	return t, err
}

// write updates the row under the lease that the commit found. That the UPDATE
// changes no row means that the lease was lost.
func (t *threadRow) write(x *tx) error {
	if t.gone || !t.dirty && !t.folded && !t.checked {
		return nil
	}
	if err := t.encode(); err != nil {
		return err
	}
	const (
		set = `UPDATE threads SET agent = ?, terminated = ?, fence = ?, owner = ?, active = ?, queued = ?, next_ord = ?,
			messages = ?, shown = ?, updated = ?, status = ?, title = ?, read = ?, state = ifnull(?, state)`
		where = ` WHERE num = ? AND fence = ? AND owner = ?`
		// Indexed columns are set only when they change.
		plain   = set + where
		indexed = set + `, work_at = ?, era = ?` + where
	)
	r := t.read
	args := append(x.args[:0], t.agent, int64(t.terminated), int64(t.fence), string(t.owner), t.active, t.queued, t.nextOrd,
		t.messages, t.shown, int64(r.UpdatedAt), string(r.Status), r.Title, t.text, textOrNil(t.state))
	query, era := plain, eraOf(r.UpdatedAt)
	if t.trackWork(x) || era != t.era {
		query, args, t.era = indexed, append(args, int64(t.workAt), era), era
	}
	args = append(args, t.num, int64(t.stored.fence), string(t.stored.owner))
	n, err := x.c.exec(query, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return leaseLost(t.id)
	}
	t.stored = leaseKey{t.fence, t.owner}
	t.state, t.checked, t.dirty, t.folded = nil, false, false, false
	return nil
}

func eraOf(t engine.Micros) int64 { return int64(t) >> 26 }

func (t *threadRow) encode() error {
	if !t.folded {
		return nil
	}
	text, err := encode("thread", t.read)
	t.text = text
	return err
}

// trackWork keeps since when the thread has had something to do, and reports
// whether that changed.
func (t *threadRow) trackWork(x *tx) bool {
	has := t.active || t.queued > 0 && t.terminated == 0
	switch {
	case has && t.workAt == 0:
		t.workAt = max(1, micros(x.s.now()))
	case !has && t.workAt != 0:
		t.workAt = 0
	default:
		return false
	}
	return true
}

func leaseLost(id engine.ThreadID) error {
	return engine.Errorf(engine.CodeConflict, "commit", "this process doesn't hold thread %s any more: another one took it over", id)
}

// textOrNil is text for a column that may be NULL.
func textOrNil(b []byte) any {
	if b == nil {
		return nil
	}
	return string(b)
}

func encode(what string, v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", engine.Errorf(engine.CodeInvalid, "commit", "encode %s: %w", what, err)
	}
	return string(b), nil
}

func decode(what, text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return engine.Errorf(engine.CodeCorrupt, "read", "the stored %s can't be read: %w", what, err)
	}
	return nil
}
