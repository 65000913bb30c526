package storage

import (
	"fmt"

	"github.com/sideb-dev/sideb/engine"
)

// applyEvents numbers the events, folds each into the read models that its ids
// name and appends it to the log.
func (ch *change) applyEvents(t *tx, _ *threadRow) error {
	args := t.args[:0]
	for i := range ch.done.Events {
		e := &ch.done.Events[i]
		s, err := t.session(e.SessionID)
		if err != nil {
			return err
		}
		s.seq++
		e.Sequence = s.seq
		num, err := t.fold(e, s)
		if err != nil {
			return err
		}
		args = append(args, s.num, s.seq, num, ch.events[i])
		if len(args) == 4*maxRows || i == len(ch.done.Events)-1 {
			if _, err := t.c.exec(insertEvents[len(args)/4], args...); err != nil {
				return fmt.Errorf("append events: %w", err)
			}
			args = args[:0]
		}
	}
	t.args = args
	return nil
}

// maxRows is how many events one statement inserts.
const maxRows = 4

// insertEvents has the statement for each number of events.
var insertEvents = [maxRows + 1]string{
	1: insertEvent, 2: insertEvent + anEvent, 3: insertEvent + anEvent + anEvent, 4: insertEvent + anEvent + anEvent + anEvent,
}

const (
	insertEvent = `INSERT INTO events (session, seq, thread, event) VALUES (?, ?, ?, ?)`
	anEvent     = `, (?, ?, ?, ?)`
)

// fold applies one event to its read models and returns its thread's number, 0
// where it names none.
func (t *tx) fold(e *engine.Event, s *sessionRow) (int64, error) {
	m := engine.ReadModels{Session: s.read}
	var (
		thread *threadRow
		turn   *turnRow
		child  *childRow
		err    error
		num    int64
	)
	if e.ThreadID != "" {
		if thread, err = t.thread(e.ThreadID); err != nil {
			return 0, err
		}
		m.Thread, num = thread.read, thread.num
	}
	if e.TurnID != "" && thread != nil {
		if turn, err = t.turn(e.TurnID); err != nil {
			return 0, err
		}
		m.Turn = turn.read
	}
	if e.SubagentID != "" && thread != nil {
		if child, err = t.child(num, e.SubagentID); err != nil {
			return 0, err
		}
		m.Child = child.child
	}
	engine.Apply(&m, e)
	s.read = m.Session
	if thread != nil {
		thread.read, thread.folded = m.Thread, true
	}
	if turn != nil {
		turn.read = m.Turn
		if turn.thread == 0 {
			turn.thread = num
		}
		if turn.read != nil {
			remember(t.cache.turns, turn.id, turn)
		}
	}
	if child != nil {
		child.child = m.Child
	}
	return num, nil
}
