package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type sendOptions struct {
	*globals
	json   bool
	detach bool
	attach attachFlag
}

func newSend(g *globals) *cobra.Command {
	o := &sendOptions{globals: g}
	c := &cobra.Command{
		Use:   "send THREAD MESSAGE|-",
		Short: "Submit a turn, queued when the thread is busy, and print its id",
		Long: `Submit a turn, queued when the thread is busy, and print its id.

Where another sideb hosts the thread, it runs the turn and this command is done
at once. Else this command runs the thread until it has settled; with --detach it
leaves the turn in the queue for the next host.`,
		Args: cobra.ExactArgs(2),
		RunE: action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	o.attach.add(c)
	c.Flags().BoolVar(&o.detach, "detach", false, "don't run the thread here")
	return c
}

func (o *sendOptions) run(ctx context.Context, args []string) error {
	text, err := o.message(args[1])
	if err != nil {
		return err
	}
	files, err := o.attach.uploads()
	if err != nil {
		return err
	}
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, args[0])
	if err != nil {
		return err
	}
	here, err := o.runsHere(ctx, w, t)
	if err != nil {
		return err
	}
	if here {
		if err := w.becomeHost(ctx, t); err != nil {
			return err
		}
	}
	turn, err := w.control.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: t.ThreadID, Content: text, Uploads: files})
	if err != nil {
		return err
	}
	if err := o.print(turn); err != nil || !here {
		return err
	}
	return w.settle(ctx, t)
}

// runsHere reports whether this process has to run what it submits.
func (o *sendOptions) runsHere(ctx context.Context, w *world, t *engine.ThreadRead) (bool, error) {
	if o.detach {
		return false, nil
	}
	live, err := w.control.LiveHost(ctx, t.ThreadID)
	return !live, err
}

func (o *sendOptions) print(turn *engine.TurnRead) error {
	if !o.json {
		_, err := fmt.Fprintln(o.Out, turn.TurnID)
		return err
	}
	return printJSON(o.Out, map[string]any{
		"threadId": turn.ThreadID, "turnId": turn.TurnID, "status": turn.Status,
	})
}

// settle hosts the thread's session until it has no more work. An interrupt
// stops the hosting; what is open then waits for the next host.
func (w *world) settle(ctx context.Context, t *engine.ThreadRead) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	if err := w.host(ctx, t.SessionID); err != nil {
		return err
	}
	return w.control.WaitSettled(ctx, t.SessionID)
}
