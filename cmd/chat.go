package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type chatOptions struct {
	*globals
	thread  string
	message string
}

func newChat(g *globals) *cobra.Command {
	o := &chatOptions{globals: g}
	c := &cobra.Command{
		Use:   "chat [AGENT]",
		Short: "Chat with an agent in the terminal interface",
		Args:  cobra.MaximumNArgs(1),
		RunE:  action(o.run),
	}
	c.Flags().StringVar(&o.thread, "thread", "", "open the thread with this `ID`")
	c.Flags().StringVar(&o.message, "message", "", "send `TEXT` first")
	return c
}

func (o *chatOptions) run(ctx context.Context, args []string) error {
	target := tuiTarget{fresh: o.thread == "", threadRef: o.thread, message: o.message}
	if len(args) == 1 {
		target.agent = args[0]
	}
	return openTUI(ctx, o.globals, target)
}

// tuiTarget is what the terminal interface opens on; the zero value is the last
// thread, or a new one.
type tuiTarget struct {
	agent     string // of the new thread
	fresh     bool   // a new thread, whatever was open last
	threadRef string
	thread    engine.ThreadID // what threadRef resolved to
	message   string
}

// openTUI checks what can be checked before the screen is taken, and runs the
// terminal interface as a host of the project.
func openTUI(ctx context.Context, g *globals, target tuiTarget) error {
	if !g.InTTY || !g.OutTTY {
		return usagef("the terminal interface needs a terminal; in a script use `sideb run [AGENT] MESSAGE` (see `sideb run --help`)")
	}
	w, err := openTUIWorld(ctx, g, &target)
	if err != nil {
		return err
	}
	defer w.close()
	defs := w.control.Definitions()
	if target.agent != "" && defs.Agents[target.agent] == nil {
		return usagef("there is no agent %q; %s", target.agent, knownAgents(defs))
	}
	if err := w.host(ctx, ""); err != nil {
		return err
	}
	return runTUI(ctx, w, target)
}

func openTUIWorld(ctx context.Context, g *globals, target *tuiTarget) (*world, error) {
	if target.threadRef == "" {
		return g.openHost(ctx)
	}
	w, err := g.openReader(ctx)
	if err != nil {
		return nil, err
	}
	t, err := w.thread(ctx, target.threadRef)
	if err == nil {
		target.thread = t.ThreadID
		err = w.becomeHost(ctx, t)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}
