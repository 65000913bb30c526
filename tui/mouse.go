package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// searchKey edits the search; what is loaded is narrowed at once, and the store is
// asked for the rest.
func (a *app) searchKey(k tea.KeyPressMsg) tea.Cmd {
	q := &a.threads.query
	switch {
	case pressed(k, a.keys.Backspace):
		q.cutRange(q.before(q.at), q.at)
	case pressed(k, a.keys.KillLeft):
		q.set("")
	case k.Text != "":
		q.insert(oneLineSpaces(k.Text))
	default:
		return nil
	}
	a.selectFirst()
	if q.empty() || a.backend == nil {
		return nil
	}
	return listThreads(a.ctx, a.backend, q.text, "", false)
}

func (a *app) selectFirst() {
	if items := a.threads.shown(); len(items) > 0 {
		a.threads.selected = items[0].ThreadID
	}
}

func (a *app) olderThreads() tea.Cmd {
	if !a.threads.wantsOlder() || a.backend == nil {
		return nil
	}
	cursor := a.threads.cursor
	a.threads.cursor = ""
	return listThreads(a.ctx, a.backend, "", cursor, false)
}

func (a *app) openSelected() tea.Cmd {
	id := a.threads.selected
	a.setFocus(focusComposer)
	if id == a.id {
		return nil
	}
	return a.open(id)
}

func (a *app) scroll(by int) tea.Cmd {
	a.transcript.scroll(by)
	return a.catchUp()
}

// toggle opens or folds e; the whole of a large result is read when it opens.
func (a *app) toggle(e *entry) tea.Cmd {
	a.transcript.toggle(e)
	if e == nil || e.tool == nil || !e.open || a.backend == nil {
		return nil
	}
	var cmds []tea.Cmd
	if e.tool.ref != "" {
		cmds = append(cmds, readOutput(a.ctx, a.backend, a.gen, e.key, e.tool.ref))
	}
	if v := e.tool; v.parent != "" && v.inside == "" && a.defs != nil && a.defs.Prompts[v.name] != nil {
		cmds = append(cmds, readInside(a.ctx, a.backend, a.gen, a.id, e.key, *v))
	}
	return tea.Batch(cmds...)
}

func (a *app) onOutput(msg outputMsg) tea.Cmd {
	if msg.gen != a.gen {
		return nil
	}
	if msg.err != nil {
		a.sayError(msg.err)
		return nil
	}
	a.transcript.setResult(msg.key, msg.text, msg.inside)
	return nil
}

func (a *app) onPaste(msg tea.PasteMsg) tea.Cmd {
	a.notice = notice{}
	switch {
	case a.dialog != nil && a.dialog.form != nil:
		a.dialog.form.paste(msg.Content)
	case a.dialog != nil:
	case a.tree.shown:
		if a.tree.filtering {
			a.tree.query.insert(oneLine(msg.Content))
			a.tree.arrange()
		}
	case a.focus == focusThreads && a.threads.searching:
		a.threads.query.insert(oneLine(msg.Content))
		a.selectFirst()
	case !a.readOnly():
		a.setFocus(focusComposer)
		a.composer.insert(msg.Content)
		a.composer.slash.update(a.composer.text)
	}
	return nil
}

const wheelLines = 3

func (a *app) onWheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := wheelLines
	switch msg.Button {
	case tea.MouseWheelUp:
		by = -wheelLines
	case tea.MouseWheelDown:
	default:
		return nil
	}
	switch {
	case a.dialog != nil:
		a.dialog.step(by)
	case a.tree.shown:
		a.tree.scroll(by)
		return a.olderTrees()
	case msg.X < a.layout.list:
		a.threads.step(by / wheelLines)
		return a.olderThreads()
	default:
		return a.scroll(by)
	}
	return nil
}

func (a *app) onClick(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || a.dialog != nil {
		return nil
	}
	if a.tree.shown {
		return a.treeClick(msg)
	}
	l := &a.layout
	if msg.X < l.list {
		if id := a.threads.idAt(msg.Y); id != "" {
			a.threads.selected = id
			return a.openSelected()
		}
		return nil
	}
	y := msg.Y - l.header
	switch {
	case y >= 0 && y < l.transcript:
		return a.toggle(a.transcript.at(y))
	case y == l.transcript+l.queue+l.popup:
		a.transcript.toEnd()
	case y > l.transcript+l.queue+l.popup:
		a.setFocus(focusComposer)
	case y < l.transcript+l.queue:
		a.setFocus(focusQueue)
	}
	return nil
}

// treeClick selects a thread; a click on the selected one opens it, and one on
// its fold mark folds it.
func (a *app) treeClick(msg tea.MouseClickMsg) tea.Cmd {
	t := &a.tree
	i := msg.Y - a.arrangeTree().header - 1 + t.offset
	if msg.Y <= a.arrangeTree().header || i < 0 || i >= len(t.rows) || i >= t.offset+t.height {
		return nil
	}
	row := t.rows[i]
	mark := 1 + ansi.StringWidth(row.guides)
	switch was := t.selected; {
	case msg.X == mark && len(row.node.children) > 0:
		t.choose(i)
		t.fold(row.node, !row.node.folded)
	case was == row.node.read.ThreadID:
		return a.lookInto(was)
	default:
		t.choose(i)
	}
	return nil
}

// idAt is the thread on line y of the panel.
func (l *threadList) idAt(y int) engine.ThreadID {
	if y < 0 || y >= len(l.rows) {
		return ""
	}
	return l.rows[y]
}

// setResult puts the whole of a result in the place of its preview, or adds what
// was said inside the call.
func (t *transcript) setResult(key, text, inside string) {
	for _, e := range t.entries {
		if e.key == key && e.tool != nil {
			if inside != "" {
				e.tool.inside = inside
			} else {
				e.tool.result, e.tool.ref = text, ""
			}
			e.laid.valid = false
		}
	}
}
