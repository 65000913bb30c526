package storage

import (
	"context"
	"fmt"

	"github.com/sideb-dev/sideb/engine"
)

// applyQueue appends, removes and promotes queue items.
func (ch *change) applyQueue(t *tx, _ *threadRow) error {
	for i := range ch.Enqueue {
		if err := t.enqueue(&ch.Enqueue[i], ch.items[i]); err != nil {
			return err
		}
	}
	for _, id := range ch.Dequeue {
		if err := t.dequeue(id); err != nil {
			return err
		}
	}
	if ch.Promote == "" {
		return nil
	}
	const promote = `UPDATE queue SET ord = (SELECT min(q.ord) - 1 FROM queue q WHERE q.thread = queue.thread) WHERE id = ?`
	n, err := t.c.exec(promote, string(ch.Promote))
	if err == nil && n == 0 {
		err = notQueued(ch.Promote)
	}
	return err
}

func (t *tx) enqueue(item *engine.QueueItem, text string) error {
	r, err := t.thread(item.ThreadID)
	if err != nil {
		return err
	}
	const insert = `INSERT INTO queue (thread, ord, id, item)
		VALUES (?1, (SELECT ifnull(max(ord), 0) + 1 FROM queue WHERE thread = ?1), ?2, ?3)`
	if _, err := t.c.exec(insert, r.num, string(item.ID), text); err != nil {
		return fmt.Errorf("enqueue %s: %w", item.ID, err)
	}
	r.queued++
	r.dirty = true
	return nil
}

func (t *tx) dequeue(id engine.QueueID) error {
	var thread engine.ThreadID
	const query = `SELECT t.id FROM queue q JOIN threads t ON t.num = q.thread WHERE q.id = ?`
	found, err := t.c.one(query, func(r row) error { thread = engine.ThreadID(r.text(0)); return nil }, string(id))
	if err != nil {
		return err
	}
	if !found {
		return notQueued(id)
	}
	r, err := t.thread(thread)
	if err != nil {
		return err
	}
	r.queued--
	r.dirty = true
	_, err = t.c.exec(`DELETE FROM queue WHERE id = ?`, string(id))
	return err
}

func notQueued(id engine.QueueID) error {
	return engine.Errorf(engine.CodeConflict, "commit", "%s isn't in the queue any more", id)
}

// Queue lists what waits for a thread, first in line first.
func (s *Store) Queue(ctx context.Context, thread engine.ThreadID) ([]engine.QueueItem, error) {
	const op = "read queue"
	var items []engine.QueueItem
	err := s.read(ctx, op, func(c *conn) error {
		const query = `SELECT q.ord, q.item FROM threads t LEFT JOIN queue q ON q.thread = t.num WHERE t.id = ? ORDER BY q.ord`
		found, err := c.one(query, func(r row) error {
			if r[0] == nil {
				return nil
			}
			var item engine.QueueItem
			err := decode("queue item", r.text(1), &item)
			item.Ord = r.int(0)
			items = append(items, item)
			return err
		}, string(thread))
		if err == nil && !found {
			err = notThere(op, thread)
		}
		return err
	})
	return items, err
}
