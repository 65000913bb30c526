package sandbox

import (
	"fmt"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/sandbox/value"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// Status is how a run ended.
type Status string

// Statuses (authoring surface §16).
const (
	Success    Status = "success"
	Failed     Status = "error"
	LinkError  Status = "link_error"
	Memory     Status = "memory"
	Terminated Status = "terminated"
)

// Error is what went wrong. Line and Column count from 1, Column in UTF-16 units,
// in the source as it was given; 0 when unknown.
type Error struct {
	Name      string `json:"name"`
	Message   string `json:"message"`
	Stack     string `json:"stack,omitempty"`
	Line      int    `json:"line,omitempty"`
	Column    int    `json:"column,omitempty"`
	Filename  string `json:"filename,omitempty"`
	Specifier string `json:"specifier,omitempty"`
}

func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Log is one call of a console method.
type Log struct {
	Level     string `json:"level"` // log, info, warn, error or debug
	Args      []any  `json:"args"`
	Timestamp int64  `json:"timestamp"` // milliseconds since 1970
}

// Result is how a run ended.
type Result struct {
	Status   Status
	Value    any // with Success; value.Undefined where there is none
	Err      *Error
	Logs     []Log
	Reports  []any
	Duration time.Duration
}

// thrownError is the Error of what untrusted code threw.
func thrownError(t *worker.Thrown) *Error {
	return &Error{Name: t.Name, Message: t.Message, Stack: t.Stack, Line: t.Line, Column: t.Column, Filename: t.File}
}

func linkError(r *worker.SandboxRefuse) *Error {
	return &Error{Name: r.Name, Message: r.Message, Line: r.Line, Column: r.Column, Filename: r.Filename, Specifier: r.Specifier}
}

// died classifies the end of a worker that nobody asked for.
func died(d *worker.Died, limit int64) (Status, *Error) {
	switch {
	case strings.Contains(d.Reason, "stack overflowed"):
		return Failed, &Error{Name: "RangeError", Message: "Maximum call stack size exceeded: code or data is nested too deeply"}
	case outOfMemory(d):
		return Memory, &Error{Name: "MemoryError", Message: fmt.Sprintf("the sandbox used more memory than its limit of %s", bytesText(limit))}
	}
	return Failed, &Error{Name: "SandboxError", Message: "the sandbox's process ended: " + d.Reason}
}

// outOfMemory knows the ways in which a process ends that gets no more memory.
func outOfMemory(d *worker.Died) bool {
	if d.Reason == "signal: killed" { // not by us: the system chose it
		return true
	}
	for _, sign := range []string{"out of memory", "cannot allocate memory", "failed to reserve", "failed to allocate", "failed to create new OS thread", "pthread_create failed", "SIGSEGV", "bad page"} {
		if strings.Contains(d.Reason, sign) || strings.Contains(d.Stderr, sign) {
			return true
		}
	}
	return false
}

func bytesText(n int64) string {
	if n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

func decodeOr(raw []byte, fns value.Functions) (any, *Error) {
	v, err := value.Decode(raw, fns)
	if err != nil {
		return nil, &Error{Name: "SerializationError", Message: err.Error()}
	}
	return v, nil
}
