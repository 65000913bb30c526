package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// applySignals appends intents and removes those that were acted on.
func (ch *change) applySignals(t *tx, _ *threadRow) error {
	for i := range ch.Signals {
		sig := &ch.Signals[i]
		r, err := t.thread(sig.ThreadID)
		if err != nil {
			return err
		}
		_, err = t.c.exec(`INSERT INTO signals (thread, kind, turn, reason, created) VALUES (?, ?, ?, ?, ?)`,
			r.num, string(sig.Kind), string(sig.TurnID), sig.Reason, int64(sig.CreatedAt))
		if err != nil {
			return err
		}
	}
	for _, id := range ch.Handled {
		if _, err := t.c.exec(`DELETE FROM signals WHERE id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

// Signals lists intents for threads that this host owns, or that nobody alive
// owns, oldest first.
func (s *Store) Signals(ctx context.Context) ([]engine.Signal, error) {
	var list []engine.Signal
	err := s.read(ctx, "read signals", func(c *conn) error {
		var owners []engine.HostID
		err := c.query(`SELECT g.id, t.id, g.kind, g.turn, g.reason, g.created, t.owner
			FROM signals g JOIN threads t ON t.num = g.thread ORDER BY g.id`, func(r row) error {
			list = append(list, engine.Signal{
				ID: r.int(0), ThreadID: engine.ThreadID(r.text(1)), Kind: engine.SignalKind(r.text(2)),
				TurnID: engine.TurnID(r.text(3)), Reason: r.text(4), CreatedAt: engine.Micros(r.int(5)),
			})
			owners = append(owners, engine.HostID(r.text(6)))
			return nil
		})
		if err != nil {
			return err
		}
		roll := s.roll(c)
		mine := list[:0]
		for i, sig := range list {
			other, err := roll.other(owners[i])
			if err != nil {
				return err
			}
			if !other {
				mine = append(mine, sig)
			}
		}
		list = mine
		return nil
	})
	return list, err
}
