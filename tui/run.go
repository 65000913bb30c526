package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/sideb-dev/sideb/engine"
)

// Options say what to open. One of Backend and Connect is required.
type Options struct {
	Backend Backend
	// Connect makes the Backend once the first frame is drawn, so that opening
	// the store and loading the project don't delay it. Its error ends Run.
	Connect func(ctx context.Context) (Backend, error)

	Thread   engine.ThreadID // open this one; "" is the newest, or with Agent a new one
	Agent    string          // start a new thread with this agent
	Message  string          // and submit this at once
	ReadOnly bool            // only watch: no composer
	// Watch shows the tree of threads, of Thread where there is one, else of the
	// project. Threads open to be read; nothing is ever changed.
	Watch   bool
	NoColor bool

	In  io.Reader // nil is the terminal
	Out io.Writer // nil is stdout
	Now func() time.Time
	// NewID makes turn ids; nil takes random ones.
	NewID func() string
	// Environ is the environment that tells what the terminal can do; nil is
	// this process's.
	Environ []string
}

// Run shows the interface until the person leaves or ctx ends. The terminal is
// as it was when Run returns, whatever happened. It fails with Connect's error,
// with ctx's, or with CodeInternal after a panic.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(ctx, o)
	firstFrame(a, o.Out)
	a.pace.program = tea.NewProgram(a, programOptions(ctx, o)...)
	m, err := a.pace.program.Run()
	cancel()
	if last, ok := m.(*app); ok {
		last.close()
		if last.fatal != nil {
			return last.fatal
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return engine.Errorf(engine.CodeInternal, "show the interface", "it crashed; the thread is unharmed: %w", err)
	case errors.Is(err, tea.ErrInterrupted), errors.Is(err, context.Canceled):
		return context.Canceled
	default:
		return err
	}
}

func programOptions(ctx context.Context, o Options) []tea.ProgramOption {
	opts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(frameRate)}
	if o.In != nil {
		opts = append(opts, tea.WithInput(o.In))
	}
	if o.Out != nil {
		opts = append(opts, tea.WithOutput(o.Out))
	}
	if o.Environ != nil {
		opts = append(opts, tea.WithEnvironment(o.Environ))
	}
	if o.NoColor {
		opts = append(opts, tea.WithColorProfile(colorprofile.ASCII))
	}
	return opts
}
