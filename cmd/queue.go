package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type queueOptions struct {
	*globals
	json bool
}

func newQueue(g *globals) *cobra.Command {
	o := &queueOptions{globals: g}
	c := &cobra.Command{
		Use:   "queue THREAD [list|remove|promote] [ITEM…]",
		Short: "Show and change what waits for a thread",
		Long: `Show and change what waits for a thread.

  sideb queue THREAD                  what waits, the next one first
  sideb queue THREAD remove ITEM…     take items out of the queue
  sideb queue THREAD promote ITEM     move an item to the front

ITEM is the id of a queue item, of its turn, or the start of one.`,
		Args: queueArgs,
		RunE: action(o.run),

		ValidArgsFunction: func(c *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return []cobra.Completion{"list", "remove", "promote"}, cobra.ShellCompDirectiveNoFileComp
			}
			return g.completeThreads(c, args, start)
		},
	}
	jsonFlag(c, &o.json)
	return c
}

func queueArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("which thread? `sideb threads list` lists them")
	}
	verb, items := "list", []string(nil)
	if len(args) > 1 {
		verb, items = args[1], args[2:]
	}
	switch {
	case verb == "list" && len(items) == 0,
		verb == "remove" && len(items) > 0,
		verb == "promote" && len(items) == 1:
		return nil
	case !slices.Contains([]string{"list", "remove", "promote"}, verb):
		return fmt.Errorf("unknown action %q; there are list, remove and promote", verb)
	case verb == "list":
		return fmt.Errorf("list takes no item")
	case len(items) > 1:
		return fmt.Errorf("promote takes one item")
	default:
		return fmt.Errorf("%s wants an item; `sideb queue %s` lists them", verb, args[0])
	}
}

func (o *queueOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, args[0])
	if err != nil {
		return err
	}
	if len(args) > 1 && args[1] != "list" {
		if err := o.change(ctx, w, t.ThreadID, args[1], args[2:]); err != nil {
			return err
		}
	}
	items, err := w.control.Queue(ctx, t.ThreadID)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, orEmpty(items))
	}
	o.print(items)
	return nil
}

func (o *queueOptions) change(ctx context.Context, w *world, thread engine.ThreadID, verb string, refs []string) error {
	items, err := w.control.Queue(ctx, thread)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		id, err := findItem(items, ref)
		if err != nil {
			return err
		}
		if verb == "promote" {
			err = w.control.PromoteQueuedTurn(ctx, thread, id)
		} else {
			err = w.control.RemoveQueuedTurn(ctx, thread, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func findItem(items []engine.QueueItem, ref string) (engine.QueueID, error) {
	var found []engine.QueueID
	for _, i := range items {
		if string(i.ID) == ref || string(i.TurnID) == ref {
			return i.ID, nil
		}
		if ref != "" && (strings.HasPrefix(string(i.ID), ref) || strings.HasPrefix(string(i.TurnID), ref)) {
			found = append(found, i.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", engine.Errorf(engine.CodeNotFound, "find queue item", "nothing in the queue has the id %s; it may have been taken up already", ref)
	}
	return "", engine.Errorf(engine.CodeInvalid, "find queue item", "%s is the start of several ids", ref)
}

func (o *queueOptions) print(items []engine.QueueItem) {
	now := time.Now()
	t := table{header: []string{"ITEM", "KIND", "ORIGIN", "QUEUED", "WHAT"}, empty: "the queue is empty"}
	for _, i := range items {
		what := i.Tool
		if i.Message != nil {
			what = i.Message.Text()
		}
		t.add(string(i.ID), string(i.Kind), string(i.Origin), ago(now, i.CreatedAt), oneLine(what, 200))
	}
	t.write(o.globals)
}
