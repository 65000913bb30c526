package storage

import (
	"context"
	"fmt"
	"slices"

	"github.com/sideb-dev/sideb/engine"
)

// applyMessages inserts or replaces messages, and drops some.
func (ch *change) applyMessages(t *tx, self *threadRow) error {
	for i := range ch.done.Messages {
		m := &ch.done.Messages[i]
		owner := self
		if self == nil || m.ThreadID != self.id {
			var err error
			if owner, err = t.thread(m.ThreadID); err != nil {
				return err
			}
		}
		if err := t.putMessage(owner, m, ch.messages[i]); err != nil {
			return fmt.Errorf("write message %s: %w", m.ID, err)
		}
		if m.OutputRef != "" {
			if err := t.useOutput(owner.num, m.OutputRef); err != nil {
				return err
			}
		}
	}
	for _, id := range ch.DropMessages {
		if self == nil {
			return engine.Errorf(engine.CodeInvalid, "commit", "a message is dropped of no thread")
		}
		if err := t.dropMessage(self, id); err != nil {
			return fmt.Errorf("drop message %s: %w", id, err)
		}
	}
	return nil
}

func (t *tx) putMessage(owner *threadRow, m *engine.Message, body string) error {
	const insert = `INSERT INTO messages (thread, ord, id, silent, depth, run, body) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (thread, id) DO NOTHING`
	n, err := t.c.exec(insert, owner.num, owner.nextOrd, string(m.ID), m.Silent, m.Depth, string(m.RunID), body)
	if err != nil {
		return err
	}
	owner.dirty = true
	if n == 1 {
		m.Ord = owner.nextOrd
		owner.nextOrd++
		owner.count(m.Silent, m.Depth, 1)
		return nil
	}
	if m.Ord, err = t.uncount(owner, m.ID); err != nil {
		return err
	}
	owner.count(m.Silent, m.Depth, 1)
	_, err = t.c.exec(`UPDATE messages SET silent = ?, depth = ?, run = ?, body = ? WHERE thread = ? AND ord = ?`,
		m.Silent, m.Depth, string(m.RunID), body, owner.num, m.Ord)
	return err
}

func (t *tx) dropMessage(owner *threadRow, id engine.MessageID) error {
	ord, err := t.uncount(owner, id)
	if err != nil || ord == 0 {
		return err
	}
	_, err = t.c.exec(`DELETE FROM messages WHERE thread = ? AND ord = ?`, owner.num, ord)
	return err
}

// uncount takes a stored message out of its thread's counts and returns its ord,
// 0 where it isn't there.
func (t *tx) uncount(owner *threadRow, id engine.MessageID) (ord int64, err error) {
	const query = `SELECT ord, silent, depth FROM messages WHERE thread = ? AND id = ?`
	_, err = t.c.one(query, func(r row) error {
		ord = r.int(0)
		owner.count(r.int(1) != 0, int(r.int(2)), -1)
		return nil
	}, owner.num, string(id))
	return ord, err
}

// count keeps the totals that listings show, so that they needn't count.
func (t *threadRow) count(silent bool, depth int, by int64) {
	t.dirty = true
	t.messages += by
	if !silent && depth == 0 {
		t.shown += by
	}
}

// Message reads one message.
func (s *Store) Message(ctx context.Context, thread engine.ThreadID, id engine.MessageID) (*engine.Message, error) {
	const op = "read message"
	var m *engine.Message
	err := s.read(ctx, op, func(c *conn) error {
		const query = `SELECT m.ord, m.body FROM messages m JOIN threads t ON t.num = m.thread WHERE t.id = ? AND m.id = ?`
		_, err := c.one(query, func(r row) (err error) {
			m, err = scanMessage(r)
			return err
		}, string(thread), string(id))
		return err
	})
	if err == nil && m == nil {
		err = engine.Errorf(engine.CodeNotFound, op, "thread %s has no message %s", thread, id)
	}
	return m, err
}

func scanMessage(r row) (*engine.Message, error) {
	m := new(engine.Message)
	err := decode("message", r.text(1), m)
	m.Ord = r.int(0)
	return m, err
}

// Messages reads a window of a thread's messages.
func (s *Store) Messages(ctx context.Context, q engine.MessageQuery) (*engine.MessagePage, error) {
	const op = "read messages"
	page := &engine.MessagePage{}
	err := s.readTogether(ctx, op, func(c *conn) error {
		var num, all, shown int64
		found, err := c.one(`SELECT num, messages, shown FROM threads WHERE id = ?`, func(r row) error {
			num, all, shown = r.int(0), r.int(1), r.int(2)
			return nil
		}, string(q.Thread))
		if err != nil {
			return err
		}
		if !found {
			return notThere(op, q.Thread)
		}
		if err := readWindow(c, num, q, page); err != nil {
			return err
		}
		total := all
		switch {
		case !page.More && q.Before == 0 && q.After == 0:
			total = int64(len(page.Messages))
		case q.Run == "" && q.IncludeSilent && q.MaxDepth < 0:
		case q.Run == "" && !q.IncludeSilent && q.MaxDepth == 0:
			total = shown
		default:
			where, args := messageFilter(num, q)
			total, err = c.integer(`SELECT count(*) FROM messages WHERE `+where, args...)
		}
		page.Total = int(total)
		page.More = len(page.Messages) < page.Total
		return err
	})
	return page, err
}

func readWindow(c *conn, num int64, q engine.MessageQuery, page *engine.MessagePage) error {
	limit := q.Limit
	if limit == 0 {
		limit = 100
	}
	where, args := messageFilter(num, q)
	if q.Before != 0 {
		where += ` AND ord < ?`
		args = append(args, q.Before)
	}
	order := ` ORDER BY ord DESC`
	if q.After != 0 {
		where, order = where+` AND ord > ?`, ` ORDER BY ord`
		args = append(args, q.After)
	}
	// One more than wanted tells whether the window leaves some out.
	probe := int64(-1)
	if limit > 0 {
		probe = int64(limit) + 1
	}
	err := c.query(`SELECT ord, body FROM messages WHERE `+where+order+` LIMIT ?`, func(r row) error {
		if limit > 0 && len(page.Messages) == limit {
			page.More = true
			return nil
		}
		m, err := scanMessage(r)
		if err == nil {
			page.Messages = append(page.Messages, *m)
		}
		return err
	}, append(args, probe)...)
	if q.After == 0 {
		slices.Reverse(page.Messages)
	}
	return err
}

func messageFilter(num int64, q engine.MessageQuery) (string, []any) {
	where, args := `thread = ?`, []any{num}
	if !q.IncludeSilent {
		where += ` AND silent = 0`
	}
	if q.MaxDepth >= 0 {
		where += ` AND depth <= ?`
		args = append(args, q.MaxDepth)
	}
	if q.Run != "" {
		where += ` AND run = ?`
		args = append(args, string(q.Run))
	}
	return where, args
}

func notThere(op string, id engine.ThreadID) error {
	return engine.Errorf(engine.CodeNotFound, op, "there is no thread %s", id)
}
