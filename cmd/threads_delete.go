package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type threadsDeleteOptions struct {
	*globals
	json bool
}

func newThreadsDelete(g *globals) *cobra.Command {
	o := &threadsDeleteOptions{globals: g}
	c := &cobra.Command{
		Use:   "delete THREAD…",
		Short: "Delete threads with their child threads and all that is theirs",
		Args:  cobra.MinimumNArgs(1),
		RunE:  action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *threadsDeleteOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	// All are resolved before the first goes: a mistyped id deletes nothing.
	ids := make([]engine.ThreadID, len(args))
	for i, ref := range args {
		t, err := w.thread(ctx, ref)
		if err != nil {
			return err
		}
		ids[i] = t.ThreadID
	}
	for _, id := range ids {
		if err := w.control.DeleteThread(ctx, id); err != nil {
			return err
		}
		if !o.json {
			fmt.Fprintf(o.Out, "deleted %s\n", id)
		}
	}
	if o.json {
		return printJSON(o.Out, map[string]any{"deleted": ids})
	}
	return nil
}
