package cmd

import (
	"context"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// ending says what ended the wait for a turn, where it wasn't the turn itself.
type ending string

const (
	endedByTimeout   ending = "timeout"
	endedByInterrupt ending = "interrupt"
	endedBlocked     ending = "blocked"
)

// interruptPatience bounds the wait for an interrupted turn to be recorded.
const interruptPatience = 5 * time.Second

// await waits until turn has ended, the timeout (0 for none) or an interrupt has
// ended it, or it waits for a decision.
func (w *world) await(ctx context.Context, turn *engine.TurnRead, timeout time.Duration) (*engine.TurnRead, ending, error) {
	wait, cancel := context.WithCancel(ctx)
	defer cancel()
	interrupted, stop := interruptible(ctx)
	defer stop()
	var expired <-chan time.Time
	if timeout > 0 {
		expired = time.After(timeout)
	}
	done := w.turnEnd(wait, turn.TurnID)
	blocked := w.blockedTurn(wait, turn)
	select {
	case r := <-done:
		return r.turn, "", r.err
	case b := <-blocked:
		return b, endedBlocked, nil
	case <-expired:
		t, err := w.interrupt(ctx, turn, "the time limit of the run has passed", done)
		return t, endedByTimeout, err
	case <-interrupted.Done():
		t, err := w.interrupt(ctx, turn, "interrupted by the user", done)
		return t, endedByInterrupt, err
	}
}

type turnResult struct {
	turn *engine.TurnRead
	err  error
}

func (w *world) turnEnd(ctx context.Context, id engine.TurnID) <-chan turnResult {
	done := make(chan turnResult, 1)
	go func() {
		t, err := w.control.WaitTurn(ctx, id)
		done <- turnResult{t, err}
	}()
	return done
}

// blockedTurn delivers the turn once nothing can go on with it but a decision.
func (w *world) blockedTurn(ctx context.Context, turn *engine.TurnRead) <-chan *engine.TurnRead {
	found := make(chan *engine.TurnRead, 1)
	go func() {
		if w.control.WaitSettled(ctx, turn.SessionID) != nil {
			return
		}
		thread, err := w.control.Thread(ctx, turn.ThreadID)
		if err != nil || thread.Status != engine.ThreadBlocked {
			return
		}
		if now, err := w.control.Turn(ctx, turn.TurnID); err == nil && !now.Status.Ended() {
			found <- now
		}
	}()
	return found
}

// interrupt ends turn as cancelled and returns it as it is then recorded. A turn
// that still waits in the queue is taken out of it.
func (w *world) interrupt(ctx context.Context, turn *engine.TurnRead, reason string, done <-chan turnResult) (*engine.TurnRead, error) {
	err := w.control.InterruptTurn(ctx, turn.ThreadID, turn.TurnID, reason)
	if engine.CodeOf(err) == engine.CodeConflict {
		err = w.unqueue(ctx, turn)
	}
	if err != nil {
		return nil, err
	}
	select {
	case r := <-done:
		return r.turn, r.err
	case <-time.After(interruptPatience):
		return nil, engine.Errorf(engine.CodeCanceled, "interrupt turn",
			"turn %s hasn't ended yet; it is marked to end, see `sideb threads show %s`", turn.TurnID, turn.ThreadID)
	}
}

func (w *world) unqueue(ctx context.Context, turn *engine.TurnRead) error {
	items, err := w.control.Queue(ctx, turn.ThreadID)
	if err != nil {
		return err
	}
	for _, i := range items {
		if i.TurnID == turn.TurnID {
			return w.control.RemoveQueuedTurn(ctx, turn.ThreadID, i.ID)
		}
	}
	return nil
}

// sequence is the number of the session's last event.
func (w *world) sequence(ctx context.Context, id engine.SessionID) (int64, error) {
	s, err := w.control.Session(ctx, id)
	if err != nil {
		return 0, err
	}
	return s.Sequence, nil
}

// newestTurn is the last submitted turn that hasn't ended, else the last one at
// all, else nil.
func (w *world) newestTurn(ctx context.Context, id engine.ThreadID) (*engine.TurnRead, error) {
	turns, err := w.control.Turns(ctx, id, engine.MaxQueue)
	if err != nil || len(turns) == 0 {
		return nil, err
	}
	for i := range turns {
		if !turns[i].Status.Ended() {
			return &turns[i], nil
		}
	}
	return &turns[0], nil
}
