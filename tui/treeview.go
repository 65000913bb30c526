package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// treeColumns are the widths of the tree's columns, 0 for one that has no room.
type treeColumns struct {
	name, side, now, since, step, queue, own, ownCost, tokens, cost int
}

// columns fits the columns into width; what is only told of the selected thread
// in a narrow window has a column of its own in a wide one.
func treeColumnsFor(width int) treeColumns {
	c := treeColumns{name: width * 2 / 5, side: 2, since: 7}
	if width >= 72 {
		c.tokens, c.cost = 7, 8
	}
	if width >= 110 {
		c.side, c.step, c.queue, c.own, c.ownCost = 12, 5, 6, 7, 8
		c.name = width * 7 / 25
	}
	c.now = width - 1 - c.name - 1 - c.side - c.since - c.step - c.queue - c.own - c.ownCost - c.tokens - c.cost - 1
	return c
}

// render draws the screen but for the status line.
func (t *tree) render(now time.Time, l treeLayout, title string, names func(*engine.ThreadRead) speakerNames) []string {
	c := treeColumnsFor(t.width)
	var lines []string
	if l.header > 0 {
		lines = append(lines, t.header(title), "")
	}
	lines = append(lines, t.titles(c))
	for i := range t.height {
		switch at := t.offset + i; {
		case at < len(t.rows):
			lines = append(lines, t.row(at, c, now, names))
		case i == 0:
			lines = append(lines, "  "+t.styles.faint.on(t.emptyText()))
		default:
			lines = append(lines, "")
		}
	}
	if l.detail > 0 {
		lines = append(lines, t.rule())
		lines = append(lines, fitHeight(t.detail(now, names), l.detail-1)...)
	}
	return lines
}

func (t *tree) header(title string) string {
	if t.filtering || !t.query.empty() {
		return "  " + t.styles.accent.on("/") + cut(t.query.text, t.width-4)
	}
	return "  " + t.styles.title.on(cut(title, t.width-4))
}

func (t *tree) emptyText() string {
	switch {
	case !t.loaded:
		return "loading…"
	case !t.query.empty():
		return "nothing found"
	default:
		return "no threads yet"
	}
}

func (t *tree) titles(c treeColumns) string {
	line := " " + pad("  thread", c.name) + " "
	if c.own > 0 {
		line += pad("side", c.side)
	} else {
		line += strings.Repeat(" ", c.side)
	}
	line += pad("now", c.now) + padLeft("since", c.since) + padLeft("step", c.step) + padLeft("queue", c.queue)
	if c.own > 0 {
		line += padLeft("tokens", c.own) + padLeft("cost", c.ownCost) + padLeft("tree", c.tokens) + padLeft("cost", c.cost)
	} else {
		line += padLeft("tokens", c.tokens) + padLeft("cost", c.cost)
	}
	return t.styles.faint.on(cut(line, t.width))
}

// rule tells what is above and below the view.
func (t *tree) rule() string {
	label := ""
	if t.offset > 0 {
		label += fmt.Sprintf(" ↑ %d", t.offset)
	}
	if below := len(t.rows) - t.offset - t.height; below > 0 {
		label += fmt.Sprintf(" ↓ %d", below)
	}
	if label != "" {
		label += " "
	}
	n := max(t.width-ansi.StringWidth(label)-2, 0)
	return t.styles.rule.on(strings.Repeat("─", n)) + t.styles.accent.on(label) + t.styles.rule.on(strings.Repeat("─", min(2, t.width)))
}

func (t *tree) row(i int, c treeColumns, now time.Time, names func(*engine.ThreadRead) speakerNames) string {
	n := t.rows[i].node
	r := &n.read
	line := " " + t.nameCell(i, c.name) + " " + t.sideCell(r, c, names)
	line += pad(t.nowCell(n, c.now-1), c.now)
	s := t.styles
	line += s.dim.on(padLeft(sinceText(r, now), c.since)) + s.dim.on(padLeft(number(r.Step), c.step)) + s.dim.on(padLeft(number(r.QueueLength), c.queue))
	if c.own > 0 {
		line += s.dim.on(padLeft(tokensText(r.Usage.TotalTokens), c.own) + padLeft(costText(r.Cost, r.CostUnknown), c.ownCost))
	}
	if c.tokens > 0 {
		line += s.dim.on(padLeft(tokensText(n.sum.tokens), c.tokens) + padLeft(sumCost(&n.sum), c.cost))
	}
	if r.ThreadID == t.selected {
		return s.highlight(cut(line, t.width), t.width)
	}
	return line
}

// nameCell is the place in the tree, the state, the agent and the name.
func (t *tree) nameCell(i, width int) string {
	s, n := t.styles, t.rows[i].node
	fold := "  "
	switch {
	case len(n.children) > 0 && n.folded && t.query.empty():
		fold = "▸ "
	case len(n.children) > 0:
		fold = "▾ "
	case n.parent != nil && i > 0 && t.rows[i].guides != "":
		fold = "─ "
	}
	if t.rows[i].guides == "" && n.parent == nil && len(n.children) == 0 {
		fold = "  "
	}
	glyph, ink := treeGlyph(s, &n.read)
	lead := s.faint.on(t.rows[i].guides+fold) + ink.on(glyph) + " "
	room := width - ansi.StringWidth(t.rows[i].guides) - 4
	name := cut(oneLine(n.read.Agent), room)
	if title := oneLine(firstOf(n.read.Name, n.read.Title)); title != "" && room-ansi.StringWidth(name) > 4 {
		rest := cut(title, room-ansi.StringWidth(name)-2)
		return pad(lead+name+"  "+s.dim.on(rest)+t.hidden(n), width)
	}
	return pad(lead+name, width)
}

// hidden tells how many threads a folded one hides.
func (t *tree) hidden(n *node) string {
	if !n.folded || len(n.children) == 0 || !t.query.empty() {
		return ""
	}
	return t.styles.faint.on(fmt.Sprintf(" +%d", n.sum.threads-1))
}

func (t *tree) sideCell(r *engine.ThreadRead, c treeColumns, names func(*engine.ThreadRead) speakerNames) string {
	if r.Side == "" || !working(r) {
		return strings.Repeat(" ", c.side)
	}
	ink := t.styles.sideB
	if r.Side == engine.SideB {
		ink = t.styles.accent
	}
	text := strings.ToUpper(string(r.Side))
	if c.side > 4 {
		text = strings.TrimPrefix(names(r).name(r.Side), "Side ")
		text = strings.Replace(text, " · ", " ", 1)
	}
	return pad(ink.on(cut(text, c.side-1)), c.side)
}

// nowCell is what the thread does or how it ended, and its status text.
func (t *tree) nowCell(n *node, width int) string {
	text, ink := t.nowText(n)
	out := ink.on(cut(text, width))
	if status := oneLine(n.read.StatusText); status != "" && (working(&n.read) || text == "") {
		if room := width - ansi.StringWidth(text) - 3; room > 4 && text != "" {
			return out + t.styles.faint.on(" · ") + t.styles.dim.on(cut(status, room))
		} else if text == "" {
			return t.styles.dim.on(cut(status, width))
		}
	}
	return out
}

// nowText is what a thread does now, or how it came to rest.
func (t *tree) nowText(n *node) (string, ink) {
	s, r := t.styles, &n.read
	if id := waitsForChild(r); id != "" {
		return "awaits " + t.nameOf(id), s.dim
	}
	what, name, _ := strings.Cut(r.Doing, ":")
	switch {
	case r.Status == engine.ThreadQueued:
		return "queued", s.accent
	case r.Status == engine.ThreadBlocked:
		return "waits: " + oneLine(firstOf(r.Doing, "for a decision")), s.warn
	case r.Status == engine.ThreadRunning && what == "model":
		return "thinking", s.accent
	case r.Status == engine.ThreadRunning && what == "tool":
		return "runs " + oneLine(name), s.accent
	case r.Status == engine.ThreadRunning:
		return firstOf(oneLine(r.Doing), "working"), s.accent
	case r.LastOutcome == engine.TurnFailed:
		return "failed: " + oneLine(firstOf(r.LastError, string(r.LastStop), "unknown")), s.bad
	case r.LastStop.Limit():
		return "stopped: " + string(r.LastStop), s.warn
	case r.LastOutcome == engine.TurnCancelled:
		return "interrupted", s.dim
	case r.LastOutcome == engine.TurnCompleted && r.ParentThreadID != "":
		return "done", s.faint
	default:
		return "", s.faint
	}
}

// nameOf names another thread of the tree.
func (t *tree) nameOf(id engine.ThreadID) string {
	if n := t.forest.nodes[id]; n != nil {
		return oneLine(n.read.Agent)
	}
	return "a child"
}

func treeGlyph(s *styles, r *engine.ThreadRead) (string, ink) {
	switch {
	case waitsForChild(r) != "":
		return "◐", s.accent
	case r.LastOutcome == engine.TurnCompleted && !r.LastStop.Limit() && !working(r) && r.ParentThreadID != "":
		return "✓", s.good
	case r.LastStop.Limit() && !working(r):
		return "!", s.warn
	default:
		return statusGlyph(s, r.Status, r.LastOutcome)
	}
}

func sinceText(r *engine.ThreadRead, now time.Time) string {
	switch {
	case working(r) && r.Since != 0:
		return clock(now.Sub(r.Since.Time()))
	case working(r):
		return ""
	default:
		return age(r.UpdatedAt.Time(), now)
	}
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func tokensText(n int64) string {
	if n == 0 {
		return ""
	}
	return count(n)
}

func sumCost(s *sums) string {
	switch {
	case s.unknown && s.cost == 0:
		return "?"
	case s.unknown:
		return money(s.cost) + "+"
	case s.tokens == 0 && s.cost == 0:
		return ""
	default:
		return money(s.cost)
	}
}

func padLeft(s string, width int) string {
	if width == 0 {
		return ""
	}
	s = cut(s, width)
	return strings.Repeat(" ", max(width-ansi.StringWidth(s), 0)) + s
}
