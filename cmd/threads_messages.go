package cmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type threadsMessagesOptions struct {
	*globals
	json bool
	all  bool
}

func newThreadsMessages(g *globals) *cobra.Command {
	o := &threadsMessagesOptions{globals: g}
	c := &cobra.Command{
		Use:   "messages THREAD",
		Short: "Print the messages of a thread, those in its queue at the end",
		Args:  cobra.ExactArgs(1),
		RunE:  action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	c.Flags().BoolVar(&o.all, "all", false, "silent messages and those of sub-prompts too")
	return c
}

func (o *threadsMessagesOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, args[0])
	if err != nil {
		return err
	}
	messages, err := o.read(ctx, w, t.ThreadID)
	if err != nil {
		return err
	}
	if !o.json {
		o.print(messages)
		return nil
	}
	out := make([]messageJSON, len(messages))
	for i := range messages {
		out[i] = toMessageJSON(&messages[i])
	}
	return printJSON(o.Out, out)
}

// read returns the thread's messages in order, each with its whole content, and
// then what its queue holds.
func (o *threadsMessagesOptions) read(ctx context.Context, w *world, id engine.ThreadID) ([]engine.Message, error) {
	// The queue first: a message that moves into the conversation meanwhile is
	// then seen twice and dropped once, and never missed.
	queue, err := w.control.Queue(ctx, id)
	if err != nil {
		return nil, err
	}
	q := engine.MessageQuery{Thread: id, Limit: -1, IncludeSilent: o.all}
	if o.all {
		q.MaxDepth = -1
	}
	page, err := w.control.Messages(ctx, q)
	if err != nil {
		return nil, err
	}
	messages, seen := page.Messages, make(map[engine.MessageID]bool, len(page.Messages))
	for i := range messages {
		seen[messages[i].ID] = true
		if err := w.fill(ctx, &messages[i]); err != nil {
			return nil, err
		}
	}
	for _, item := range queue {
		if m := item.Message; m != nil && !seen[m.ID] && (o.all || !m.Silent) {
			m.Status = engine.MessagePending
			messages = append(messages, *m)
		}
	}
	return messages, nil
}

// fill puts the whole of a stored output in the place of its preview.
func (w *world) fill(ctx context.Context, m *engine.Message) error {
	if m.OutputRef == "" {
		return nil
	}
	out, err := w.control.Output(ctx, m.OutputRef)
	if err != nil {
		return err
	}
	m.SetText(string(out.Data))
	return nil
}

func (o *threadsMessagesOptions) print(messages []engine.Message) {
	for i := range messages {
		m := &messages[i]
		head := fmt.Sprintf("%s  %s", speaker(m), m.CreatedAt.Time().Local().Format(time.DateTime))
		if m.Status != engine.MessageCompleted {
			head += "  " + string(m.Status)
		}
		if o.color() {
			head = "\x1b[1m" + head + "\x1b[0m"
		}
		fmt.Fprintln(o.Out, head)
		if text := m.Text(); text != "" {
			fmt.Fprintln(o.Out, indent(plain(text)))
		}
		for _, c := range m.ToolCalls {
			fmt.Fprintln(o.Out, indent("→ "+c.Name+" "+oneLine(c.Arguments, 400)))
		}
		for _, a := range m.Attachments {
			fmt.Fprintln(o.Out, indent("+ "+oneLine(a.Path, 400)+" ("+a.MimeType+")"))
		}
		fmt.Fprintln(o.Out)
	}
}

// speaker names who a message is from, as a reader of the thread sees it.
func speaker(m *engine.Message) string {
	var s string
	switch m.Role {
	case engine.RoleUser:
		s = "side B"
	case engine.RoleAssistant:
		s = "side A"
	case engine.RoleTool:
		s = "tool " + m.Name
		if m.ToolStatus == engine.ToolError {
			s += " (error)"
		}
	case engine.RoleSystem:
		s = "system"
	}
	if m.Depth > 0 {
		s = strings.Repeat("  ", m.Depth) + s
	}
	return s
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}
