package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// applyRequests adds deferred subagents and takes one that boots.
func (ch *change) applyRequests(t *tx, _ *threadRow) error {
	for i := range ch.Requests {
		req := &ch.Requests[i]
		r, err := t.thread(req.ThreadID)
		if err != nil {
			return err
		}
		_, err = t.c.exec(`INSERT INTO requests (id, thread, payload, created) VALUES (?, ?, ?, ?)`,
			string(req.ID), r.num, string(req.Payload), int64(req.CreatedAt))
		if err != nil {
			return err
		}
	}
	if ch.Fulfil == "" {
		return nil
	}
	n, err := t.c.exec(`DELETE FROM requests WHERE id = ?`, string(ch.Fulfil))
	if err == nil && n == 0 {
		err = noRequest(ch.Fulfil)
	}
	return err
}

func noRequest(id engine.RequestID) error {
	return engine.Errorf(engine.CodeNotFound, "find request", "there is no request %s that waits for variables (it may have been answered)", id)
}

const requestQuery = `SELECT q.id, t.id, q.payload, q.created FROM requests q JOIN threads t ON t.num = q.thread`

func scanRequest(r row) engine.Request {
	return engine.Request{ID: engine.RequestID(r.text(0)), ThreadID: engine.ThreadID(r.text(1)),
		Payload: r.blob(2), CreatedAt: engine.Micros(r.int(3))}
}

// Request reads one deferred subagent.
func (s *Store) Request(ctx context.Context, id engine.RequestID) (*engine.Request, error) {
	var req engine.Request
	err := s.read(ctx, "read request", func(c *conn) error {
		found, err := c.one(requestQuery+` WHERE q.id = ?`, func(r row) error {
			req = scanRequest(r)
			return nil
		}, string(id))
		if err == nil && !found {
			err = noRequest(id)
		}
		return err
	})
	return &req, err
}

// Requests lists what waits on a thread, oldest first; "" means any thread.
func (s *Store) Requests(ctx context.Context, thread engine.ThreadID) ([]engine.Request, error) {
	var list []engine.Request
	err := s.read(ctx, "list requests", func(c *conn) error {
		return c.query(requestQuery+` WHERE ?1 = '' OR t.id = ?1 ORDER BY q.created, q.id`, func(r row) error {
			list = append(list, scanRequest(r))
			return nil
		}, string(thread))
	})
	return list, err
}
