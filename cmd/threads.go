package cmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newThreads(g *globals) *cobra.Command {
	list := &threadsListOptions{globals: g}
	c := &cobra.Command{
		Use:   "threads [list|show|messages|files|tree|delete]",
		Short: "List, read and delete threads",
		Args:  cobra.NoArgs,
		RunE:  action(list.run),
	}
	list.bind(c)
	c.AddCommand(newThreadsList(g), newThreadsShow(g), newThreadsMessages(g), newThreadsFiles(g), newThreadsTree(g), newThreadsDelete(g))
	return c
}

type threadsListOptions struct {
	*globals
	json   bool
	all    bool
	agent  string
	search string
	cursor string
	limit  int
}

func newThreadsList(g *globals) *cobra.Command {
	o := &threadsListOptions{globals: g}
	c := &cobra.Command{
		Use:   "list",
		Short: "List threads, the last active first",
		Long:  "List threads, the last active first: of every project, or of the one that --project names.",
		Args:  cobra.NoArgs,
		RunE:  action(o.run),
	}
	o.bind(c)
	return c
}

func (o *threadsListOptions) bind(c *cobra.Command) {
	jsonFlag(c, &o.json)
	c.Flags().BoolVar(&o.all, "all", false, "child threads too")
	c.Flags().StringVar(&o.agent, "agent", "", "only threads of `AGENT`")
	c.Flags().StringVar(&o.search, "search", "", "only threads with `TEXT` in title, name, agent or at the start of the id")
	c.Flags().StringVar(&o.cursor, "cursor", "", "go on after an earlier page's `CURSOR`")
	c.Flags().IntVar(&o.limit, "limit", 50, "at most `N` threads")
}

func (o *threadsListOptions) run(ctx context.Context, _ []string) error {
	if o.limit < 1 {
		return usagef("--limit must be at least 1")
	}
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	q := engine.ThreadQuery{Agent: o.agent, Search: o.search, Cursor: o.cursor, Limit: o.limit}
	if !o.all {
		root := engine.ThreadID("")
		q.Parent = &root
	}
	if o.project != "" {
		dir, err := o.projectDirectory()
		if err != nil {
			return err
		}
		q.Project = &dir
	}
	page, err := w.control.Threads(ctx, q)
	if err != nil {
		return err
	}
	if o.json {
		return o.printJSON(page)
	}
	o.print(page.Threads)
	return nil
}

func (o *threadsListOptions) printJSON(page *engine.ThreadPage) error {
	out := struct {
		Threads []threadJSON `json:"threads"`
		Cursor  *string      `json:"cursor"`
	}{Threads: make([]threadJSON, len(page.Threads)), Cursor: orNull(page.Cursor)}
	for i := range page.Threads {
		out.Threads[i] = toThreadJSON(&page.Threads[i])
	}
	return printJSON(o.Out, out)
}

func (o *threadsListOptions) print(threads []engine.ThreadRead) {
	ids := make([]string, len(threads))
	for i, t := range threads {
		ids[i] = string(t.ThreadID)
	}
	short, now := shortIDs(ids), time.Now()
	t := table{
		header: []string{"THREAD", "AGENT", "STATUS", "ACTIVE", "TITLE"},
		empty:  `no threads yet; "sideb" or "sideb run" starts one`,
	}
	for i := range threads {
		r := &threads[i]
		t.add(short[string(r.ThreadID)], r.Agent, string(r.Status), ago(now, r.UpdatedAt), oneLine(titleOf(r), 200))
	}
	t.write(o.globals)
}

// titleOf is what a person knows the thread by.
func titleOf(t *engine.ThreadRead) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Title != "":
		return t.Title
	default:
		return "(no title)"
	}
}
