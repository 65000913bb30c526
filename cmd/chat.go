package cmd

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type chatOptions struct {
	*globals
	thread  string
	message string
	attach  attachFlag
}

func newChat(g *globals) *cobra.Command {
	o := &chatOptions{globals: g}
	c := &cobra.Command{
		Use:   "chat [AGENT]",
		Short: "Chat with an agent in the terminal interface",
		Args:  cobra.MaximumNArgs(1),
		RunE:  action(o.run),

		ValidArgsFunction: g.completeAgents,
	}
	c.Flags().StringVar(&o.thread, "thread", "", "open the thread with this `ID`")
	g.completeThreadFlag(c)
	c.Flags().StringVar(&o.message, "message", "", "send `TEXT` first")
	o.attach.add(c)
	return c
}

func (o *chatOptions) run(ctx context.Context, args []string) error {
	files, err := o.attach.uploads()
	if err != nil {
		return err
	}
	target := tuiTarget{ref: o.thread, message: o.message, files: files}
	if len(args) == 1 && o.thread == "" {
		target.agent = args[0]
	}
	return openTUI(ctx, o.globals, target)
}

// tuiTarget is what the terminal interface opens on; the zero value is the last
// thread, or a new one where there is none.
type tuiTarget struct {
	agent   string          // of the new thread
	ref     string          // the thread that the user named
	thread  engine.ThreadID // what ref resolved to
	message string
	files   []engine.Upload // that go with the first message
}

// openTUI runs the terminal interface as a host of the project. What takes time
// is opened behind the first frame; only a thread that the user named is looked
// up before, so that a mistyped id is told on a clean screen.
func openTUI(ctx context.Context, g *globals, target tuiTarget) error {
	if !g.InTTY || !g.OutTTY {
		return usagef("the terminal interface needs a terminal; in a script use `sideb run [AGENT] MESSAGE` (see `sideb run --help`)")
	}
	s := &tuiSession{g: g, target: &target}
	defer s.close()
	if err := s.find(ctx); err != nil {
		return err
	}
	signals, stop := interruptible(ctx)
	defer stop()
	if err := runTUI(ctx, g, target, s.connect); err != nil {
		return err
	}
	// The interface leaves in good order when it is told to, and says nothing.
	return signals.Err()
}

// tuiSession is what a run of the terminal interface has open.
type tuiSession struct {
	g      *globals
	target *tuiTarget

	mu    sync.Mutex // connect runs beside the interface, which may end before it
	world *world
}

func (s *tuiSession) find(ctx context.Context) error {
	if s.target.ref == "" {
		return nil
	}
	w, err := s.g.openReader(ctx)
	if err != nil {
		return err
	}
	s.world = w
	t, err := w.thread(ctx, s.target.ref)
	if err != nil {
		return err
	}
	s.target.thread = t.ThreadID
	return w.becomeHost(ctx, t)
}

// connect opens what find hasn't and begins to host.
func (s *tuiSession) connect(ctx context.Context) (*engine.ControlPlane, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world == nil {
		w, err := s.g.openHost(ctx)
		if err != nil {
			return nil, err
		}
		s.world = w
	}
	defs := s.world.control.Definitions()
	if name := s.target.agent; name != "" && defs.Agents[name] == nil {
		return nil, usagef("there is no agent %q; %s", name, knownAgents(defs))
	}
	return s.world.control, s.world.host(ctx, "")
}

func (s *tuiSession) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world != nil {
		s.world.close()
	}
}
