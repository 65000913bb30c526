package tui

import (
	tea "charm.land/bubbletea/v2"
)

// onKey gives a key to the dialog, then to what works everywhere, then to the part
// in focus.
func (a *app) onKey(k tea.KeyPressMsg) tea.Cmd {
	a.notice = notice{}
	if !pressed(k, a.keys.Clear) {
		a.leaving = false
	}
	if a.dialog != nil {
		if f := a.dialog.form; f != nil && !pressed(k, a.keys.Interrupt, a.keys.Clear) {
			if f.onKey(k, a.keys) {
				return a.provide(f)
			}
			return nil
		}
		closed, cmd := a.dialog.onKey(k, a.keys)
		if closed {
			a.dialog = nil
		}
		return cmd
	}
	if a.tree.shown {
		return a.treeKey(k)
	}
	if cmd, ok := a.globalKey(k); ok {
		return cmd
	}
	switch a.focus {
	case focusComposer:
		return a.composerKey(k)
	case focusQueue:
		return a.queueKey(k)
	case focusTranscript:
		return a.transcriptKey(k)
	case focusThreads:
		return a.threadsKey(k)
	default:
		return nil
	}
}

func (a *app) globalKey(k tea.KeyPressMsg) (tea.Cmd, bool) {
	on := a.keys
	switch {
	case pressed(k, on.Clear):
		return a.clearOrQuit(), true
	case pressed(k, on.Interrupt):
		return a.escape(), true
	case pressed(k, on.Redraw):
		return tea.ClearScreen, true
	case pressed(k, on.Suspend):
		return tea.Suspend, true
	case pressed(k, on.Threads):
		if a.home == nil && !a.o.Watch {
			a.toggleList()
		}
	case pressed(k, on.Provide):
		return a.openForm(), true
	case pressed(k, on.Tree):
		if a.home != nil {
			return a.comeBack(), true
		}
		return a.showTree(), true
	case pressed(k, on.NewThread):
		if !a.readOnly() {
			return a.pickAgent(), true
		}
	case pressed(k, on.OpenAll):
		a.transcript.toggleAll()
	case k.String() == "f1", k.Text == "?" && (a.focus != focusComposer || a.composer.empty()) && !a.threads.searching:
		a.dialog = helpDialog(on)
	case pressed(k, on.PageUp):
		return a.scroll(-max(a.layout.transcript-2, 1)), true
	case pressed(k, on.PageDown):
		return a.scroll(max(a.layout.transcript-2, 1)), true
	case pressed(k, on.Top):
		a.transcript.toStart()
		return a.catchUp(), true
	case pressed(k, on.Bottom):
		a.transcript.toEnd()
	case pressed(k, on.Focus) && !(a.focus == focusComposer && a.composer.slash.open()):
		a.cycleFocus(1)
	case pressed(k, on.FocusBack):
		a.cycleFocus(-1)
	default:
		return nil, false
	}
	return nil, true
}

// clearOrQuit answers ctrl+c at once: the input goes first, then the program.
func (a *app) clearOrQuit() tea.Cmd {
	if !a.composer.empty() && !a.readOnly() {
		a.composer.take()
		a.say("input cleared; ctrl+c again leaves")
		return nil
	}
	if a.running() && !a.leaving && !a.readOnly() {
		a.leaving = true
		a.say("a turn is running; ctrl+c again leaves, esc interrupts it")
		return nil
	}
	return tea.Quit
}

// escape leaves the innermost thing; in the composer it interrupts the turn.
func (a *app) escape() tea.Cmd {
	switch {
	case a.composer.slash.open():
		a.composer.slash.close()
	case a.focus == focusThreads && (a.threads.searching || !a.threads.query.empty()):
		a.threads.searching = false
		a.threads.query.set("")
	case a.home != nil:
		return a.comeBack()
	case a.focus != focusComposer && !a.readOnly():
		a.setFocus(focusComposer)
	default:
		return a.interruptTurn()
	}
	return nil
}

func (a *app) toggleList() {
	if a.layout.list > 0 {
		a.list = listHidden
		if a.focus == focusThreads {
			a.setFocus(focusComposer)
		}
		return
	}
	a.list = listShown
	a.setFocus(focusThreads)
}

func (a *app) setFocus(f focus) {
	if f == focusComposer && a.readOnly() {
		f = focusTranscript
	}
	if a.focus == focusThreads && f != focusThreads {
		a.threads.searching = false
		a.threads.query.set("")
		if a.layout.width < roomForBoth && a.list == listShown {
			a.list = listAuto
		}
	}
	a.focus = f
	if f != focusTranscript {
		a.transcript.unselect()
	}
	if f == focusThreads && a.threads.selected == "" {
		a.threads.step(1)
	}
}

// cycleFocus goes through the parts that can take keys now.
func (a *app) cycleFocus(by int) {
	order := []focus{focusComposer, focusQueue, focusTranscript, focusThreads}
	can := map[focus]bool{focusComposer: !a.readOnly(), focusQueue: !a.queue.empty() && !a.readOnly(), focusTranscript: true, focusThreads: a.layout.list > 0}
	for i := range order {
		f := order[((int(a.focus)+by*(i+1))%len(order)+len(order))%len(order)]
		if !can[f] {
			continue
		}
		a.setFocus(f)
		if f == focusTranscript {
			a.transcript.selectStep(-1)
		}
		return
	}
}

func (a *app) composerKey(k tea.KeyPressMsg) tea.Cmd {
	c, on := &a.composer, a.keys
	switch {
	case c.slash.open() && pressed(k, on.Up):
		c.slash.step(-1)
	case c.slash.open() && pressed(k, on.Down):
		c.slash.step(1)
	case c.slash.open() && pressed(k, on.Complete):
		c.set(c.slash.completion())
		c.slash.update(c.text)
	case c.slash.open() && pressed(k, on.Send):
		c.set(c.slash.completion())
		return a.submitInput()
	case pressed(k, on.Send):
		return a.submitInput()
	case pressed(k, on.Quit) && c.empty():
		return tea.Quit
	default:
		c.onKey(k)
	}
	return nil
}

func (a *app) queueKey(k tea.KeyPressMsg) tea.Cmd {
	item, ok := a.queue.current()
	switch {
	case pressed(k, a.keys.Up):
		a.queue.step(-1)
	case pressed(k, a.keys.Down):
		if !a.queue.step(1) {
			a.setFocus(focusComposer)
		}
	case ok && pressed(k, a.keys.Remove):
		a.queue.forget(item.ID)
		if a.queue.empty() {
			a.setFocus(focusComposer)
		}
		b, id, ctx := a.backend, a.id, a.ctx
		return do("remove", func() error { return b.RemoveQueuedTurn(ctx, id, item.ID) })
	case ok && pressed(k, a.keys.Promote):
		a.queue.selected = 0
		b, id, ctx := a.backend, a.id, a.ctx
		return do("promote", func() error { return b.PromoteQueuedTurn(ctx, id, item.ID) })
	}
	return nil
}

func (a *app) transcriptKey(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case pressed(k, a.keys.Up):
		if !a.transcript.selectStep(-1) {
			return a.scroll(-1)
		}
		return a.catchUp()
	case pressed(k, a.keys.Down):
		if !a.transcript.selectStep(1) {
			return a.scroll(1)
		}
	case pressed(k, a.keys.Open):
		return a.toggle(a.transcript.view.selected)
	case a.home != nil && k.Text == "q":
		return a.comeBack()
	case k.Text != "" && !a.readOnly():
		a.setFocus(focusComposer)
		return a.composerKey(k)
	}
	return nil
}

func (a *app) threadsKey(k tea.KeyPressMsg) tea.Cmd {
	l := &a.threads
	switch {
	case pressed(k, a.keys.Up):
		l.step(-1)
	case pressed(k, a.keys.Down):
		l.step(1)
		return a.olderThreads()
	case pressed(k, a.keys.Send):
		if l.selected != "" {
			return a.openSelected()
		}
	case l.searching:
		return a.searchKey(k)
	case pressed(k, a.keys.Search):
		l.searching = true
	}
	return nil
}
