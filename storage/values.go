package storage

import (
	"context"
	"encoding/json"

	"github.com/sideb-dev/sideb/engine"
)

// applyValues sets and deletes keys of the thread's key-value store (runtime
// §14).
func (ch *change) applyValues(t *tx, self *threadRow) error {
	for _, v := range ch.Values {
		if self == nil {
			return engine.Errorf(engine.CodeInvalid, "commit", "a value is set on no thread")
		}
		query := `DELETE FROM kv WHERE thread = ? AND key = ?`
		args := []any{self.num, v.Key}
		if v.Value != nil {
			query = `INSERT INTO kv (thread, key, value) VALUES (?, ?, ?)
				ON CONFLICT (thread, key) DO UPDATE SET value = excluded.value`
			args = append(args, string(v.Value))
		}
		if _, err := t.c.exec(query, args...); err != nil {
			return err
		}
	}
	return nil
}

// Value reads a key of a thread's key-value store, nil where there is none.
func (s *Store) Value(ctx context.Context, thread engine.ThreadID, key string) (value json.RawMessage, err error) {
	err = s.read(ctx, "read value", func(c *conn) error {
		const query = `SELECT v.value FROM kv v JOIN threads t ON t.num = v.thread WHERE t.id = ? AND v.key = ?`
		_, err := c.one(query, func(r row) error { value = r.blob(0); return nil }, string(thread), key)
		return err
	})
	return value, err
}

// Values counts a thread's keys.
func (s *Store) Values(ctx context.Context, thread engine.ThreadID) (n int, err error) {
	err = s.read(ctx, "count values", func(c *conn) error {
		const query = `SELECT count(*) FROM kv WHERE thread = (SELECT num FROM threads WHERE id = ?)`
		count, err := c.integer(query, string(thread))
		n = int(count)
		return err
	})
	return n, err
}
