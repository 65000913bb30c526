package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sideb-dev/sideb/engine"
)

// runJSON is the object of `run --output json`. Cost is in USD, null where it
// isn't known.
type runJSON struct {
	ThreadID engine.ThreadID `json:"threadId"`
	TurnID   engine.TurnID   `json:"turnId"`
	Status   runStatus       `json:"status"`
	Text     string          `json:"text"`
	Usage    engine.Usage    `json:"usage"`
	Cost     *float64        `json:"cost"`
	Steps    int             `json:"steps"`
}

// runStatus is how a run ended.
type runStatus string

const (
	runCompleted runStatus = "completed"
	runFailed    runStatus = "failed"
	runCancelled runStatus = "cancelled"
	runBlocked   runStatus = "blocked"
	runLimit     runStatus = "limit"
)

func (s runStatus) exitCode() int {
	switch s {
	case runCompleted:
		return exitDone
	case runFailed:
		return exitFailed
	case runCancelled:
		return exitInterrupted
	case runBlocked:
		return exitDecision
	case runLimit:
		return exitLimit
	}
	return exitFailed
}

func statusOf(turn *engine.TurnRead, why ending) runStatus {
	switch {
	case why == endedBlocked:
		return runBlocked
	case why == endedByTimeout && turn.Status != engine.TurnCompleted, turn.StopReason.Limit():
		return runLimit
	}
	switch turn.Status {
	case engine.TurnCompleted:
		return runCompleted
	case engine.TurnCancelled:
		return runCancelled
	case engine.TurnFailed:
		return runFailed
	case engine.TurnQueued, engine.TurnRunning:
		return runBlocked
	}
	return runFailed
}

// tell prints what turn came to and makes the exit code of it.
func (o *runOptions) tell(ctx context.Context, w *world, turn *engine.TurnRead, why ending) error {
	status := statusOf(turn, why)
	if err := o.print(ctx, w, turn, status); err != nil {
		return err
	}
	code := status.exitCode()
	if code == exitDone {
		return nil
	}
	return &exitError{code: code, err: reason(turn, status, why)}
}

func (o *runOptions) print(ctx context.Context, w *world, turn *engine.TurnRead, status runStatus) error {
	if o.output == outputStream {
		return nil
	}
	text, err := w.answer(ctx, turn)
	if err != nil {
		return err
	}
	if o.output == outputText {
		if o.OutTTY {
			text = plain(text)
		}
		if text != "" {
			_, err = fmt.Fprintln(o.Out, trimNewline(text))
		}
		return err
	}
	e := json.NewEncoder(o.Out)
	e.SetEscapeHTML(false)
	return e.Encode(runJSON{turn.ThreadID, turn.TurnID, status, text, turn.Usage, turn.KnownCost(), turn.Steps})
}

// reason says in words why a run didn't simply complete.
func reason(turn *engine.TurnRead, status runStatus, why ending) error {
	switch status {
	case runLimit:
		if why == endedByTimeout {
			return engine.Errorf(engine.CodeLimit, "", "the time limit has passed; thread %s can be continued", turn.ThreadID)
		}
		return engine.Errorf(engine.CodeLimit, "", "stopped by a limit (%s); thread %s can be continued", turn.StopReason, turn.ThreadID)
	case runBlocked:
		return engine.Errorf(engine.CodeConflict, "", "thread %s waits for a decision", turn.ThreadID)
	case runCancelled:
		return engine.Errorf(engine.CodeCanceled, "", "interrupted; thread %s can be continued", turn.ThreadID)
	case runCompleted, runFailed:
	}
	code := turn.ErrorCode
	if code == "" {
		code = engine.CodeInternal
	}
	text := firstOf(turn.Error, string(turn.StopReason))
	if text == "" {
		text = "no reason was recorded"
	}
	return &engine.Error{Code: code, Op: "turn failed", Message: text, Err: errors.New(text)}
}

// answer is the last visible top-level text of the AI side in turn.
func (w *world) answer(ctx context.Context, turn *engine.TurnRead) (string, error) {
	if turn.RunID == "" {
		return "", nil
	}
	page, err := w.control.Messages(ctx, engine.MessageQuery{Thread: turn.ThreadID, Run: turn.RunID, Limit: -1})
	if err != nil {
		return "", err
	}
	for i := len(page.Messages) - 1; i >= 0; i-- {
		m := &page.Messages[i]
		if m.Role == engine.RoleAssistant && m.Depth == 0 && m.Text() != "" {
			return m.Text(), w.fill(ctx, m)
		}
	}
	return "", nil
}
