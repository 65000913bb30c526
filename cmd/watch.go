package cmd

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/tui"
)

type watchOptions struct {
	*globals

	mu    sync.Mutex // connect runs beside the interface, which may end before it
	world *world
}

func newWatch(g *globals) *cobra.Command {
	o := &watchOptions{globals: g}
	return &cobra.Command{
		Use:   "watch [THREAD]",
		Short: "Watch threads and their child threads work",
		Long: `Watch threads and their child threads work: the live tree of THREAD, or of all
threads of the project, those that work first. Enter reads a thread's
conversation, esc comes back.

It only reads: it hosts nothing and changes nothing, so it can run beside
whatever does the work. What a model is saying appears whole, once it is stored.`,
		Args:              cobra.MaximumNArgs(1),
		RunE:              action(o.run),
		ValidArgsFunction: g.completeThreads,
	}
}

func (o *watchOptions) run(ctx context.Context, args []string) error {
	if !o.InTTY || !o.OutTTY {
		return usagef("watch needs a terminal; in a script use `sideb threads tree [ROOT] --json`, or `sideb run --output stream-json`")
	}
	defer o.close()
	root := engine.ThreadID("")
	if len(args) == 1 {
		t, err := o.find(ctx, args[0])
		if err != nil {
			return err
		}
		root = t.ThreadID
	}
	signals, stop := interruptible(ctx)
	defer stop()
	if err := tui.Run(ctx, tui.Options{
		Watch: true, Thread: root, NoColor: !o.color(), Now: time.Now, NewID: newID,
		Connect: o.connect,
	}); err != nil {
		return err
	}
	return signals.Err()
}

// find resolves the thread that the user named, on a clean screen. Its project is
// opened for the labels of the sides; the tree shows without it too.
func (o *watchOptions) find(ctx context.Context, ref string) (*engine.ThreadRead, error) {
	w, err := o.openReader(ctx)
	if err != nil {
		return nil, err
	}
	o.world = w
	t, err := w.thread(ctx, ref)
	if err != nil {
		return nil, err
	}
	if err := w.becomeHost(ctx, t); err != nil {
		w.log.printf("open the project of thread %s: %v", t.ThreadID, err)
	}
	return t, nil
}

func (o *watchOptions) connect(ctx context.Context) (tui.Backend, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.world == nil {
		w, err := o.openHost(ctx)
		if err != nil {
			return nil, err
		}
		o.world = w
	}
	return tui.ForControlPlane(o.world.control), nil
}

func (o *watchOptions) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.world != nil {
		o.world.close()
	}
}
