package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("anything"), 1},
		{usagef("no"), 2},
		{fmt.Errorf("wrapped: %w", usagef("no")), 2},
		{&exitError{code: 4}, 4},
		{context.Canceled, 130},
		{engine.Errorf(engine.CodeInvalid, "", "x"), 2},
		{engine.Errorf(engine.CodeLimit, "", "x"), 3},
		{engine.Errorf(engine.CodeCanceled, "", "x"), 130},
		{engine.Errorf(engine.CodeNotFound, "", "x"), 1},
		{engine.Errorf(engine.CodeConflict, "", "x"), 1},
		{engine.Errorf(engine.CodeBusy, "", "x"), 1},
		{engine.Errorf(engine.CodeModel, "", "x"), 1},
		{engine.Errorf(engine.CodeTool, "", "x"), 1},
		{engine.Errorf(engine.CodeSandbox, "", "x"), 1},
		{engine.Errorf(engine.CodeCorrupt, "", "x"), 1},
		{engine.Errorf(engine.CodeInternal, "", "x"), 1},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("exit code of %v: %d, want %d", c.err, got, c.want)
		}
	}
}

func TestRunStatusOfTurn(t *testing.T) {
	for _, c := range []struct {
		status engine.TurnStatus
		stop   engine.StopReason
		why    ending
		want   runStatus
		code   int
	}{
		{engine.TurnCompleted, engine.StopOnResponse, "", runCompleted, 0},
		{engine.TurnCompleted, engine.StopMaxSideSteps, "", runLimit, 3},
		{engine.TurnFailed, engine.StopRepeatedError, "", runLimit, 3},
		{engine.TurnFailed, engine.StopStepError, "", runFailed, 1},
		{engine.TurnFailed, engine.StopSessionFail, "", runFailed, 1},
		{engine.TurnCancelled, engine.StopAbortedByUser, endedByInterrupt, runCancelled, 130},
		{engine.TurnCancelled, engine.StopAbortedByUser, "", runCancelled, 130},
		{engine.TurnCancelled, engine.StopAbortedByUser, endedByTimeout, runLimit, 3},
		{engine.TurnCompleted, engine.StopOnResponse, endedByTimeout, runCompleted, 0},
		{engine.TurnRunning, "", endedBlocked, runBlocked, 4},
	} {
		got := statusOf(&engine.TurnRead{Status: c.status, StopReason: c.stop}, c.why)
		if got != c.want || got.exitCode() != c.code {
			t.Errorf("%s, %s, %q: %s with exit code %d, want %s with %d", c.status, c.stop, c.why, got, got.exitCode(), c.want, c.code)
		}
	}
}

func TestErrorsAreReportedOnce(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nonsense"}, "sideb: unknown command \"nonsense\" for \"sideb\"\nusage: sideb [flags]\n"},
		{[]string{"threads", "show", "--json"}, `{"error":{"code":"invalid","message":"accepts 1 arg(s), received 0"}}` + "\n"},
	} {
		var out, errs bytes.Buffer
		s := &streams{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) (string, bool) { return "", false }}
		if code := execute(t.Context(), s, c.args); code != 2 {
			t.Errorf("%v: exit code %d", c.args, code)
		}
		if errs.String() != c.want || out.Len() > 0 {
			t.Errorf("%v: stderr %q, want %q; stdout %q", c.args, errs.String(), c.want, out.String())
		}
	}
}
