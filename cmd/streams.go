package cmd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/term"
)

// streams is how a command meets its surroundings. Tests give their own.
type streams struct {
	In       io.Reader
	Out, Err io.Writer

	InTTY, OutTTY, ErrTTY bool

	// Getenv reads the process environment; the bool tells set from empty.
	Getenv func(string) (string, bool)
	// ReadSecret asks and reads a line from the terminal without showing it.
	ReadSecret func(prompt string) (string, error)
	// Width is the width of the terminal behind Out in cells, 0 where there is
	// none.
	Width int
}

func systemStreams() *streams {
	s := &streams{
		In:     os.Stdin,
		Out:    &quietWriter{w: os.Stdout},
		Err:    &quietWriter{w: os.Stderr},
		InTTY:  term.IsTerminal(os.Stdin.Fd()),
		OutTTY: term.IsTerminal(os.Stdout.Fd()),
		ErrTTY: term.IsTerminal(os.Stderr.Fd()),
		Getenv: os.LookupEnv,
		ReadSecret: func(prompt string) (string, error) {
			return readSecret(prompt, os.Stderr)
		},
	}
	if s.OutTTY {
		s.Width, _, _ = term.GetSize(os.Stdout.Fd())
	}
	return s
}

// env returns a variable, "" where it isn't set.
func (s *streams) env(name string) string {
	v, _ := s.Getenv(name)
	return v
}

// quietWriter swallows everything once its reader has gone: `sideb … | head`
// isn't an error of sideb.
type quietWriter struct {
	w    io.Writer
	gone atomic.Bool
}

func (q *quietWriter) Write(p []byte) (int, error) {
	if q.gone.Load() {
		return len(p), nil
	}
	n, err := q.w.Write(p)
	if closedPipe(err) {
		q.gone.Store(true)
		return len(p), nil
	}
	return n, err
}

// Windows has its own words for a pipe without a reader.
const (
	errNoData     = syscall.Errno(232)
	errBrokenPipe = syscall.Errno(109)
)

func closedPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, fs.ErrClosed) {
		return true
	}
	return runtime.GOOS == "windows" && (errors.Is(err, errNoData) || errors.Is(err, errBrokenPipe))
}
