package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type threadsShowOptions struct {
	*globals
	json bool
}

func newThreadsShow(g *globals) *cobra.Command {
	o := &threadsShowOptions{globals: g}
	c := &cobra.Command{
		Use:   "show THREAD",
		Short: "Show one thread",
		Args:  cobra.ExactArgs(1),
		RunE:  action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *threadsShowOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, args[0])
	if err != nil {
		return err
	}
	children, err := w.control.Children(ctx, t.ThreadID)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, struct {
			threadJSON
			Children []engine.Child `json:"children"`
		}{toThreadJSON(t), orEmpty(children)})
	}
	o.print(t, children)
	return nil
}

func (o *threadsShowOptions) print(t *engine.ThreadRead, children []engine.Child) {
	now := time.Now()
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(o.Out, "%-9s %s\n", name, value)
		}
	}
	line("thread", string(t.ThreadID))
	line("title", oneLine(titleOf(t), 200))
	line("agent", t.Agent)
	line("project", projectName(t.Project))
	line("parent", string(t.ParentThreadID))
	line("status", statusLine(t, now))
	line("last", lastLine(t))
	line("created", t.CreatedAt.Time().Local().Format(time.DateTime))
	line("active", ago(now, t.UpdatedAt))
	line("steps", fmt.Sprint(t.Steps))
	line("tokens", tokens(t.Usage))
	line("cost", dollars(t.KnownCost()))
	for _, c := range children {
		line("child", fmt.Sprintf("%s  %s  %s", c.Reference, c.Name, c.Status))
	}
	for _, i := range t.Incidents {
		line(i.Level, oneLine(i.Message, 400))
	}
}

func statusLine(t *engine.ThreadRead, now time.Time) string {
	s := string(t.Status)
	if t.Doing != "" {
		s += ", " + t.Doing + " since " + ago(now, t.Since)
	}
	if t.QueueLength > 0 {
		s += fmt.Sprintf(", %d queued", t.QueueLength)
	}
	if t.StatusText != "" {
		s += ": " + oneLine(t.StatusText, 200)
	}
	if t.Terminated != 0 {
		s += ", terminated " + ago(now, t.Terminated)
	}
	return s
}

func lastLine(t *engine.ThreadRead) string {
	if t.LastOutcome == "" {
		return ""
	}
	s := string(t.LastOutcome)
	if t.LastStop != "" {
		s += " (" + string(t.LastStop) + ")"
	}
	if t.LastError != "" {
		s += ": " + oneLine(t.LastError, 400)
	}
	return s
}

func tokens(u engine.Usage) string {
	s := fmt.Sprintf("%d in, %d out", u.PromptTokens, u.CompletionTokens)
	if u.CachedTokens > 0 {
		s += fmt.Sprintf(", %d cached", u.CachedTokens)
	}
	return s
}
