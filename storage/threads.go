package storage

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// Thread reads all of a thread but its messages.
func (s *Store) Thread(ctx context.Context, id engine.ThreadID) (*engine.ThreadRecord, error) {
	const op = "read thread"
	var rec *engine.ThreadRecord
	err := s.read(ctx, op, func(c *conn) error {
		const query = `SELECT ` + threadColumns + `, t.parent, t.user_id, t.name, t.created, t.state, i.arguments, i.spawn
			FROM threads t JOIN sessions s ON s.num = t.session LEFT JOIN thread_inputs i ON i.thread = t.num WHERE t.id = ?`
		found, err := c.one(query, func(r row) (err error) {
			rec, err = scanRecord(r)
			return err
		}, string(id))
		if err == nil && !found {
			err = notThere(op, id)
		}
		return err
	})
	return rec, err
}

func scanRecord(r row) (*engine.ThreadRecord, error) {
	t, err := scanThread(r)
	rec := &engine.ThreadRecord{
		Thread: engine.Thread{
			ID: t.id, SessionID: t.sessionID, ParentID: engine.ThreadID(r.text(17)), Agent: t.agent, Project: t.project,
			UserID: r.text(18), Name: r.text(19), Arguments: r.blob(22), Spawn: r.blob(23),
			CreatedAt: engine.Micros(r.int(20)), Terminated: t.terminated,
		},
		Fence: t.fence, Owner: t.owner,
		Exec: engine.Exec{Active: t.active, State: r.blob(21)},
		Read: *t.read,
	}
	if string(rec.Exec.State) == "null" {
		rec.Exec.State = nil
	}
	return rec, err
}

// Threads lists by last activity, newest first.
func (s *Store) Threads(ctx context.Context, q engine.ThreadQuery) (*engine.ThreadPage, error) {
	const op = "list threads"
	limit := q.Limit
	if limit <= 0 {
		limit = 50
	}
	where, args := threadFilter(q)
	if q.Cursor != "" {
		updated, num, err := parseCursor(q.Cursor)
		if err != nil {
			return nil, err
		}
		where = append(where, `(t.era, t.updated, t.num) < (?, ?, ?)`)
		args = append(args, eraOf(engine.Micros(updated)), updated, num)
	}
	query := `SELECT t.read, t.updated, t.num FROM threads t`
	if len(where) > 0 {
		query += ` WHERE ` + strings.Join(where, ` AND `)
	}
	query += ` ORDER BY t.era DESC, t.updated DESC, t.num DESC LIMIT ?`
	page := &engine.ThreadPage{}
	err := s.read(ctx, op, func(c *conn) error {
		last := ""
		return c.query(query, func(r row) error {
			if len(page.Threads) == limit {
				page.Cursor = last
				return nil
			}
			var t engine.ThreadRead
			err := decode("thread", r.text(0), &t)
			page.Threads = append(page.Threads, t)
			last = formatCursor(r.int(1), r.int(2))
			return err
		}, append(args, limit+1)...)
	})
	return page, err
}

func threadFilter(q engine.ThreadQuery) (where []string, args []any) {
	if q.Project != nil {
		where, args = append(where, `t.project = ?`), append(args, *q.Project)
	}
	if q.Agent != "" {
		where, args = append(where, `t.agent = ?`), append(args, q.Agent)
	}
	if q.Parent != nil {
		where, args = append(where, `t.parent = ?`), append(args, string(*q.Parent))
		if *q.Parent != "" {
			where = append(where, `t.parent <> ''`) // for the partial index
		}
	}
	if q.Session != "" {
		where, args = append(where, `t.session = (SELECT num FROM sessions WHERE id = ?)`), append(args, string(q.Session))
	}
	if q.Working { // few, whatever the order: found by their own index
		where = append(where, `t.num IN (SELECT w.num FROM threads w WHERE w.work_at <> 0)`)
	}
	if q.Search != "" {
		text := likeText(q.Search)
		where = append(where, `(t.title LIKE ? ESCAPE '\' OR t.name LIKE ? ESCAPE '\' OR t.agent LIKE ? ESCAPE '\' OR t.id LIKE ? ESCAPE '\')`)
		args = append(args, "%"+text+"%", "%"+text+"%", "%"+text+"%", text+"%")
	}
	return where, args
}

// likeText makes text a LIKE pattern that matches it as it stands.
func likeText(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

func formatCursor(updated, num int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", updated, num))
}

func parseCursor(cursor string) (updated, num int64, err error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(b), "%d.%d", &updated, &num)
	}
	if err != nil {
		return 0, 0, engine.Errorf(engine.CodeInvalid, "list threads", "the cursor %q isn't one of an earlier page", cursor)
	}
	return updated, num, nil
}
