package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// treeLayout is the height of the parts around the rows of a tree.
type treeLayout struct{ header, detail int }

const (
	detailRows    = 5 // the rule and four lines
	roomForDetail = 18
)

// arrangeTree sizes the tree's screen.
func (a *app) arrangeTree() treeLayout {
	l := treeLayout{}
	h := a.layout.height - 1 // the status line
	if h >= roomForHeader-1 {
		l.header = 2
	}
	if h >= roomForDetail-1 {
		l.detail = detailRows
	}
	a.tree.setSize(a.layout.width, max(h-l.header-1-l.detail, 1))
	return l
}

// detail tells all that is known of the selected thread.
func (t *tree) detail(now time.Time, names func(*engine.ThreadRead) speakerNames) []string {
	n := t.current()
	if n == nil {
		return nil
	}
	s, r, width := t.styles, &n.read, t.width-3
	head := s.strong.on(oneLine(r.Agent))
	if name := oneLine(firstOf(r.Name, r.Title)); name != "" {
		head += "  " + name
	}
	lines := []string{"  " + pad(cut(head, width-15), width-14) + s.faint.on(cut(string(r.ThreadID), 13))}
	lines = append(lines, "  "+cut(strings.Join(t.activity(n, now, names), s.faint.on(" · ")), width))
	lines = append(lines, "  "+cut(t.remark(r), width))
	return append(lines, "  "+s.dim.on(cut(t.account(n), width)))
}

// activity is what the thread does, by whom, since when and how far.
func (t *tree) activity(n *node, now time.Time, names func(*engine.ThreadRead) speakerNames) []string {
	s, r := t.styles, &n.read
	var parts []string
	text, ink := t.nowText(n)
	if working(r) && r.Side != "" {
		parts = append(parts, s.dim.on(names(r).name(r.Side)))
	}
	switch since := sinceText(r, now); {
	case text == "":
		parts = append(parts, s.dim.on(string(r.Status)), s.faint.on(since))
	case working(r) && since != "":
		parts = append(parts, ink.on(text)+s.dim.on(" for "+since))
	default:
		parts = append(parts, ink.on(text), s.faint.on(since))
	}
	if r.Step > 0 && working(r) {
		parts = append(parts, s.dim.on(fmt.Sprintf("step %d", r.Step)))
	}
	if r.QueueLength > 0 {
		parts = append(parts, s.dim.on(fmt.Sprintf("%d queued", r.QueueLength)))
	}
	if r.Model != "" {
		parts = append(parts, s.faint.on("model "+oneLine(r.Model)))
	}
	return parts
}

// remark is what the thread says of itself, or what went wrong last.
func (t *tree) remark(r *engine.ThreadRead) string {
	switch {
	case r.StatusText != "":
		return t.styles.dim.on("“" + oneLine(r.StatusText) + "”")
	case len(r.Incidents) > 0:
		return t.styles.warn.on("! " + oneLine(r.Incidents[len(r.Incidents)-1].Message))
	default:
		return ""
	}
}

func (t *tree) account(n *node) string {
	text := fmt.Sprintf("%s · %s tokens · %s", plural(n.read.Steps, "step"), count(n.read.Usage.TotalTokens), firstOf(costText(n.read.Cost, n.read.CostUnknown), "$0"))
	if len(n.children) > 0 {
		text += fmt.Sprintf("   with %s below: %s tokens · %s", plural(n.sum.threads-1, "thread"), count(n.sum.tokens), firstOf(sumCost(&n.sum), "$0"))
	}
	return text
}

// treeStatus is the status line's left part.
func (a *app) treeStatus() string {
	s, sum := a.styles, a.tree.forest.total()
	parts := []string{s.dim.on(plural(sum.threads, "thread"))}
	if sum.working > 0 {
		parts = append([]string{s.accent.on("●") + " " + fmt.Sprintf("%d working", sum.working)}, parts...)
	}
	if sum.tokens > 0 {
		parts = append(parts, s.dim.on(count(sum.tokens)+" tok"))
	}
	if c := sumCost(&sum); c != "" && c != "?" {
		parts = append(parts, s.dim.on(c))
	}
	return " " + strings.Join(parts, s.faint.on(" · "))
}

func (a *app) treeTitle() string {
	if root := a.tree.scope.root; root != "" {
		if n := a.tree.forest.nodes[root]; n != nil {
			return "Tree of “" + oneLine(threadTitle(&n.read)) + "”"
		}
		return "Tree"
	}
	return "Threads of this project"
}
