package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// View implements tea.Model.
func (a *app) View() tea.View {
	v := tea.View{AltScreen: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: a.title()}
	if a.layout.width == 0 {
		return v
	}
	if a.same && a.drawn.Content != "" {
		return a.drawn
	}
	lines, cursor := a.draw()
	v.Content, v.Cursor = strings.Join(lines, "\n"), cursor
	a.drawn = v
	return v
}

func (a *app) title() string {
	if a.thread == nil {
		return "sideb"
	}
	return cut(threadTitle(a.thread), 60) + " · sideb"
}

// draw returns the screen's lines and the cursor, nil where nothing is written.
func (a *app) draw() ([]string, *tea.Cursor) {
	l := &a.layout
	if l.tooSmall() {
		return fitHeight([]string{cut("sideb needs", l.width), cut("30×7 cells", l.width)}, l.height), nil
	}
	if a.tree.shown {
		return a.drawTree()
	}
	a.arrange()
	main, cursor := a.drawMain()
	lines := main
	if l.list > 0 {
		lines, cursor = a.beside(main, cursor)
	}
	lines = append(lines, a.statusLine())
	if a.dialog != nil {
		cursor = nil
		lines = a.dialog.over(lines, a.styles, l.width)
	}
	return lines, cursor
}

// drawTree is the tree of threads, with the cursor in its filter.
func (a *app) drawTree() ([]string, *tea.Cursor) {
	l := a.arrangeTree()
	lines := fitHeight(a.tree.render(a.o.Now(), l, a.treeTitle(), a.namesOf), a.layout.height-1)
	lines = append(lines, a.statusLine())
	if a.dialog != nil {
		return a.dialog.over(lines, a.styles, a.layout.width), nil
	}
	if !a.tree.filtering || l.header == 0 {
		return lines, nil
	}
	q := a.tree.query
	cursor := tea.NewCursor(min(3+ansi.StringWidth(q.text[:q.at]), a.layout.width-1), 0)
	cursor.Blink = false
	return lines, cursor
}

// beside puts the thread list to the left of the conversation, or in its place.
func (a *app) beside(main []string, cursor *tea.Cursor) ([]string, *tea.Cursor) {
	l := &a.layout
	list := a.threads.render(a.o.Now(), a.focus == focusThreads)
	if l.main <= 0 {
		main, cursor = nil, nil
	}
	bar := a.styles.rule.on("│") + " "
	lines := make([]string, len(list))
	for i := range list {
		lines[i] = list[i]
		if main != nil {
			lines[i] = pad(list[i], l.list) + bar + main[i]
		}
	}
	if cursor != nil {
		cursor.X += l.left
	}
	if a.focus == focusThreads && a.threads.searching {
		q := a.threads.query
		cursor = tea.NewCursor(min(2+ansi.StringWidth(q.text[:q.at]), l.list-1), 0)
		cursor.Blink = false
	}
	return lines, cursor
}

func fitHeight(lines []string, h int) []string {
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines[:h]
}

// drawMain is the conversation, the queue and the composer.
func (a *app) drawMain() ([]string, *tea.Cursor) {
	l := &a.layout
	if l.main <= 0 {
		return nil, nil
	}
	lines := make([]string, 0, l.height)
	if l.header > 0 {
		lines = append(lines, a.header(), "")
	}
	if body := a.welcome(); body != nil {
		lines = append(lines, fitHeight(body, l.transcript)...)
	} else {
		lines = append(lines, a.transcript.render()...)
	}
	if l.queue > 0 {
		lines = append(lines, fitHeight(a.queue.render(l.main, a.focus == focusQueue), l.queue)...)
	}
	if l.popup > 0 {
		lines = append(lines, a.composer.slash.render(a.styles, l.main, l.popup)...)
	}
	lines = append(lines, a.rule())
	if l.composer == 0 {
		return lines, nil
	}
	focused := a.focus == focusComposer
	text, x, y := a.composer.render(a.placeholder(), focused)
	cursor := tea.NewCursor(min(x, l.main-1), len(lines)+y)
	cursor.Blink = false
	lines = append(lines, text...)
	if !focused {
		cursor = nil
	}
	return lines, cursor
}

func (a *app) header() string {
	title := "New thread"
	switch {
	case a.thread != nil:
		title = threadTitle(a.thread)
		if name := oneLine(a.thread.Name); a.thread.ParentThreadID != "" {
			return "  " + a.styles.title.on(cut(oneLine(a.thread.Agent), a.layout.main-4)) + a.styles.dim.on(cut("  "+name, max(a.layout.main-4-ansi.StringWidth(oneLine(a.thread.Agent)), 0)))
		}
	case a.backend == nil || a.loading:
		title = "sideb"
	}
	return "  " + a.styles.title.on(cut(title, a.layout.main-4))
}

// rule parts the conversation from the composer, and tells of what is below the
// view.
func (a *app) rule() string {
	t := a.transcript
	label := ""
	if !t.view.follow {
		label = " ↓ ctrl+end "
		if t.view.unseen > 0 {
			label = " ↓ " + plural(t.view.unseen, "new message") + " · ctrl+end "
			if ansi.StringWidth(label)+4 > a.layout.main {
				label = " ↓ new "
			}
		}
	}
	n := max(a.layout.main-ansi.StringWidth(label)-2, 0)
	return a.styles.rule.on(strings.Repeat("─", n)) + a.styles.accent.on(label) +
		a.styles.rule.on(strings.Repeat("─", min(2, a.layout.main)))
}

func (a *app) placeholder() string {
	switch {
	case a.backend == nil || a.loading:
		return "loading…"
	case a.thread != nil && a.thread.Terminated != 0:
		return "this thread has ended; ctrl+n starts another"
	case a.running():
		return "write ahead: enter queues it"
	default:
		return "write a message"
	}
}

// welcome is what an empty conversation shows, nil where there is one.
func (a *app) welcome() []string {
	t := a.transcript
	if len(t.entries)+len(t.tail) > 0 || a.thread != nil && t.more {
		return nil
	}
	s, width := a.styles, t.textWidth()
	if a.backend == nil || a.loading {
		return []string{"  " + s.faint.on("loading…")}
	}
	name := a.agent
	if a.thread != nil {
		name = a.thread.Agent
	}
	if name == "" {
		return indent(wrapText("This project defines no agent yet. Run “sideb check” to see what it holds, or “sideb init” to make a small one.", s.dim, width), "  ", "  ")
	}
	head, about := name, ""
	if a.defs != nil && a.defs.Agents[name] != nil {
		head, about = firstOf(oneLine(a.defs.Agents[name].Title), name), clean(a.defs.Agents[name].Description)
	}
	lines := []string{"  " + (s.strong + s.accent).on(cut(head, width))}
	if about != "" {
		lines = append(lines, indent(wrapText(about, "", width), "  ", "  ")...)
	}
	lines = append(lines, "")
	for _, hint := range [][2]string{
		{"enter", "send what you write below: a greeting will do"}, {"/", "commands, such as /new and /agents"},
		{"ctrl+b", "your threads"}, {"f1", "all keys"}, {"ctrl+c", "leave"},
	} {
		lines = append(lines, cut("  "+s.accent.on(pad(hint[0], 8))+s.dim.on(hint[1]), a.layout.main))
	}
	if p := len(a.problems()); p > 0 {
		lines = append(lines, "", "  "+s.warn.on(cut(plural(p, "problem")+" in this project: run sideb check", width)))
	}
	return lines
}

func (a *app) problems() []string {
	var out []string
	if a.defs != nil {
		for _, p := range a.defs.Problems {
			out = append(out, p.Message)
		}
	}
	return out
}
