package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// applyEffects adds, changes and removes scheduled effects.
func (ch *change) applyEffects(t *tx, _ *threadRow) error {
	for i := range ch.Schedule {
		eff := &ch.Schedule[i]
		r, err := t.thread(eff.ThreadID)
		if err != nil {
			return err
		}
		body, err := encode("effect", eff)
		if err != nil {
			return err
		}
		_, err = t.c.exec(`INSERT INTO effects (id, thread, name, at, state, body) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET at = excluded.at, state = excluded.state, body = excluded.body`,
			string(eff.ID), r.num, eff.Name, int64(eff.At), string(eff.State), body)
		if err != nil {
			return err
		}
	}
	for _, id := range ch.Unschedule {
		if _, err := t.c.exec(`DELETE FROM effects WHERE id = ?`, string(id)); err != nil {
			return err
		}
	}
	return nil
}

// Scheduled lists scheduled effects by when they are due.
func (s *Store) Scheduled(ctx context.Context, thread engine.ThreadID, name string) ([]engine.Scheduled, error) {
	return s.effects(ctx, `SELECT f.body FROM effects f JOIN threads t ON t.num = f.thread
		WHERE (?1 = '' OR t.id = ?1) AND (?2 = '' OR f.name = ?2) ORDER BY f.at, f.id`, string(thread), name)
}

// Due lists the pending effects of a scope whose time has come, oldest first, and
// when the next one's comes.
func (s *Store) Due(ctx context.Context, scope engine.HostScope, now engine.Micros) ([]engine.Scheduled, engine.Micros, error) {
	const pending = ` FROM effects f JOIN threads t ON t.num = f.thread JOIN sessions s ON s.num = t.session
		WHERE f.state = 'pending' AND t.terminated = 0 AND t.project = ?2 AND (?3 = '' OR s.id = ?3)`
	var next engine.Micros
	args := []any{int64(now), scope.Project, string(scope.Session)}
	err := s.read(ctx, "find the next effect", func(c *conn) error {
		at, err := c.integer(`SELECT f.at`+pending+` AND f.at > ?1 ORDER BY f.at LIMIT 1`, args...)
		next = engine.Micros(at)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	due, err := s.effects(ctx, `SELECT f.body`+pending+` AND f.at <= ?1 ORDER BY f.at, f.id`, args...)
	return due, next, err
}

func (s *Store) effects(ctx context.Context, query string, args ...any) ([]engine.Scheduled, error) {
	var list []engine.Scheduled
	err := s.read(ctx, "list effects", func(c *conn) error {
		return c.query(query, func(r row) error {
			var eff engine.Scheduled
			err := decode("effect", r.text(0), &eff)
			list = append(list, eff)
			return err
		}, args...)
	})
	return list, err
}
