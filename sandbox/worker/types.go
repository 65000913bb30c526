package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Arg is the hidden command, os.Args[1], that makes this program a worker.
const Arg = "__sideb-worker"

// Options configure one worker process. The zero value is usable.
type Options struct {
	Exe  string                           // executable to start; "" means os.Executable()
	Dir  string                           // working directory of the process; "" means the host's
	Env  []string                         // environment of the process; nil means none
	VMs  int                              // event loops; 0 means one a CPU, at most 4
	Logf func(format string, args ...any) // what the worker says outside any call; nil discards it

	MemoryLimit int64 // bytes of live heap at which the worker ends; 0 means 4 GiB, negative none

	StallAfter time.Duration // a loop blocked this long is reported; 0 means 5 s
	// OnStall is told once of each block: which VM, in which fn ("" when it isn't
	// known) and since when. It runs on the worker's reading goroutine: don't block.
	OnStall func(vm int, fn string, since time.Time)
}

// BuildRequest names what Build links.
type BuildRequest struct {
	Entry           string            // source text (TypeScript) of the entry module
	ResolveDir      string            // directory the entry's imports resolve from
	Virtual         map[string]string // specifier -> source; wins over node_modules
	PreferInstalled []string          // virtual specifiers for which node_modules wins when it has them
	FS              map[string]string // files that exist in memory only: absolute path -> text
	// Lenient links despite broken files: importing such a file throws, at run
	// time, a SyntaxError with its first diagnostic. Diagnostics are the same.
	Lenient bool
}

// Diagnostic is one problem of the linked source. Line and Column count from 1
// (Column in bytes); 0 means that the position isn't known.
type Diagnostic struct {
	File      string `json:"file"` // absolute path or virtual specifier; "" for the entry
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Message   string `json:"message"`
	Specifier string `json:"specifier,omitempty"` // the import that couldn't be resolved
	Warning   bool   `json:"warning,omitempty"`
}

// BuildResult is a linked program. Code is "" when a diagnostic is an error
// (with Lenient: only when the entry itself can't be linked).
type BuildResult struct {
	Code        string       // linked text with its source map inline
	Inputs      []string     // absolute paths of the files that were read, sorted
	Diagnostics []Diagnostic // errors of all files, then warnings
}

// Host answers what JavaScript asks with host(method, args); it runs on a
// goroutine of its own. An error rejects the promise with an Error of the same
// message; *Thrown and errors with a method ErrorCode() string set name and code.
// The context ends with the call.
type Host func(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error)

// Thrown is what JavaScript threw or rejected with. Stack, File, Line and
// Column are those of the source before linking; they are "" or 0 when what was
// thrown isn't an Error or didn't come from project code.
type Thrown struct {
	Name    string          `json:"name"` // constructor name of the error; "" for other values
	Message string          `json:"message"`
	Stack   string          `json:"stack,omitempty"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Code    string          `json:"code,omitempty"` // the error's code property, when it is a string or a number
	Data    json.RawMessage `json:"data,omitempty"` // JSON of the thrown value's own properties, or of the value
}

func (e *Thrown) Error() string {
	if e.Name == "" || strings.HasPrefix(e.Message, e.Name+":") {
		return e.Message
	}
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// Died says that the worker process ended while, or before, an operation ran.
type Died struct {
	Reason string // one line, such as "the stack overflowed" or "killed"
	Stderr string // the last 64 KB that the process wrote to stderr
}

func (e *Died) Error() string { return fmt.Sprintf("worker died: %s", e.Reason) }
