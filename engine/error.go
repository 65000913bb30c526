package engine

import (
	"context"
	"errors"
	"fmt"
)

// Code classifies an Error. Exit codes, HTTP statuses and status lines are each
// one exhaustive map over it.
type Code string

const (
	CodeInvalid  Code = "invalid"   // the request can't be right, whatever the state
	CodeNotFound Code = "not_found" // a named thing isn't there
	CodeConflict Code = "conflict"  // the state forbids it: terminated, stale lease
	CodeBusy     Code = "busy"      // another owner has it now; try again
	CodeCanceled Code = "canceled"  // the caller or the user stopped it
	CodeLimit    Code = "limit"     // a documented cap was hit
	CodeModel    Code = "model"     // the model provider failed
	CodeTool     Code = "tool"      // a tool couldn't be run
	CodeSandbox  Code = "sandbox"   // a worker couldn't be started or died
	CodeCorrupt  Code = "corrupt"   // stored data can't be read
	CodeInternal Code = "internal"  // a defect
)

// Error is the engine's error: what was attempted (Op), and what went wrong and
// what to do (Message, which includes the text of the cause Err).
type Error struct {
	Code    Code
	Op      string
	Message string
	Err     error
}

func (e *Error) Error() string {
	s := e.Message
	if s == "" && e.Err != nil {
		s = e.Err.Error()
	}
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error; a %w verb in format sets its cause.
func Errorf(code Code, op, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Op: op, Message: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf returns the code of the first Error in err's chain, CodeCanceled for a
// cancelled or timed-out context, and CodeInternal for anything else.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return CodeCanceled
	default:
		return CodeInternal
	}
}
