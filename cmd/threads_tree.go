package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type threadsTreeOptions struct {
	*globals
	json bool
}

func newThreadsTree(g *globals) *cobra.Command {
	o := &threadsTreeOptions{globals: g}
	c := &cobra.Command{
		Use:   "tree [ROOT]",
		Short: "Show threads with their child threads, ended ones too",
		Args:  cobra.MaximumNArgs(1),
		RunE:  action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *threadsTreeOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	if len(args) == 1 {
		return o.one(ctx, w, args[0])
	}
	trees, err := w.trees(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, trees)
	}
	for _, t := range trees {
		o.print(t, 0)
	}
	return nil
}

func (o *threadsTreeOptions) one(ctx context.Context, w *world, ref string) error {
	t, err := w.thread(ctx, ref)
	if err != nil {
		return err
	}
	tree, err := w.control.Tree(ctx, t.ThreadID)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, tree)
	}
	o.print(tree, 0)
	return nil
}

// trees reads every root, page by page.
func (w *world) trees(ctx context.Context) ([]*engine.TreeNode, error) {
	all := []*engine.TreeNode{}
	for q := (engine.ThreadQuery{Limit: 200}); ; {
		trees, cursor, err := w.control.Trees(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, trees...)
		if cursor == "" {
			return all, nil
		}
		q.Cursor = cursor
	}
}

func (o *threadsTreeOptions) print(n *engine.TreeNode, depth int) {
	line := strings.Repeat("  ", depth) + string(n.ThreadID) + "  " + n.Agent
	if n.Name != "" {
		line += " (" + oneLine(n.Name, 60) + ")"
	}
	line += "  " + string(n.Status)
	if n.WaitingFor != "" {
		line += ", " + n.WaitingFor
	}
	if n.QueueLength > 0 {
		line += fmt.Sprintf(", %d queued", n.QueueLength)
	}
	fmt.Fprintf(o.Out, "%s  %s\n", line, dollars(n.SubtreeCost))
	for _, c := range n.Children {
		o.print(c, depth+1)
	}
}
