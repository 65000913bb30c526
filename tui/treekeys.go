package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// place is the open conversation while another thread is looked into.
type place struct {
	conversation conversation
	transcript   *transcript
	queue        []engine.QueueItem
	focus        focus
}

// showTree shows the tree of the open thread.
func (a *app) showTree() tea.Cmd {
	if a.id == "" || a.thread == nil || a.backend == nil {
		a.say("no thread is open yet")
		return nil
	}
	root := a.thread.ThreadID
	if a.tree.scope.root == root {
		a.tree.shown, a.tree.stale = true, true
		return a.followTree()
	}
	a.tree.reset(treeScope{root: root, session: a.thread.SessionID})
	a.tree.shown = true
	return a.loadTree()
}

func (a *app) loadTree() tea.Cmd {
	a.tree.reading = true
	return readTree(a.ctx, a.backend, a.tree.gen, a.tree.scope, "")
}

func (a *app) onTree(msg treeMsg) tea.Cmd {
	t := &a.tree
	if msg.gen != t.gen {
		return nil
	}
	t.reading = false
	if msg.err != nil {
		if engine.CodeOf(msg.err) != engine.CodeCanceled {
			a.sayError(msg.err)
		}
		if !t.loaded && a.o.Watch && t.scope.root != "" {
			a.fatal = msg.err
			return tea.Quit
		}
		return nil
	}
	if msg.session != "" {
		t.scope.session = msg.session
	}
	if msg.whole {
		t.cursor = msg.cursor
	}
	unknown := t.put(msg.threads)
	t.loaded = true
	// Much that changed is followed by a longer rest, so that a tree of any size
	// leaves the machine to those who work.
	t.last = msg.at.Add(max(time.Duration(len(msg.threads))*treeRest, msg.took*treeShare-treePace))
	if len(unknown) > 0 {
		t.reading = true
		return readSessions(a.ctx, a.backend, t.gen, unknown)
	}
	return a.followTree()
}

// followTree reads what changed, one read at a time and not too often.
func (a *app) followTree() tea.Cmd {
	t := &a.tree
	if !t.shown || a.backend == nil {
		return nil
	}
	tick := a.animateTree()
	if !t.stale || t.reading || !t.loaded {
		return tick
	}
	t.stale, t.reading, t.settled = false, true, false
	wait := min(t.last.Add(treePace).Sub(a.o.Now()), 2*time.Second)
	since := t.forest.newest - engine.Micros(treeOverlap.Microseconds())
	return tea.Batch(tick, readChanges(a.ctx, a.backend, t.gen, t.scope, since, wait))
}

// animateTree lets the clocks run while something works.
func (a *app) animateTree() tea.Cmd {
	t := &a.tree
	if t.ticking || !t.shown || t.settled && t.forest.total().working == 0 {
		return nil
	}
	t.ticking = true
	return treeTick()
}

// onTreeTick moves the clocks, and reads once more what changed when all is quiet.
func (a *app) onTreeTick() tea.Cmd {
	t := &a.tree
	t.ticking = false
	if !t.shown {
		return nil
	}
	if !t.settled && !t.reading && !t.stale && t.loaded {
		t.settled, t.reading = true, true
		since := t.forest.newest - engine.Micros(treeSettle.Microseconds())
		return tea.Batch(a.animateTree(), readChanges(a.ctx, a.backend, t.gen, t.scope, since, 0))
	}
	return a.animateTree()
}

func (a *app) olderTrees() tea.Cmd {
	t := &a.tree
	if !t.wantsOlder() || t.reading {
		return nil
	}
	cursor := t.cursor
	t.cursor, t.reading = "", true
	return readTree(a.ctx, a.backend, t.gen, t.scope, cursor)
}

// treeKey handles a key on the tree.
func (a *app) treeKey(k tea.KeyPressMsg) tea.Cmd {
	if a.tree.filtering && a.filterKey(k) {
		return nil
	}
	t, on := &a.tree, a.keys
	switch {
	case pressed(k, on.Interrupt):
		return a.leaveTree()
	case pressed(k, on.Clear, on.Quit), a.o.Watch && k.Text == "q":
		return tea.Quit
	case pressed(k, on.Redraw):
		return tea.ClearScreen
	case pressed(k, on.Suspend):
		return tea.Suspend
	case pressed(k, on.Help), k.Text == "?":
		a.dialog = treeHelpDialog(on)
	case pressed(k, on.Tree):
		return a.leaveTree()
	case pressed(k, on.Send):
		if n := t.current(); n != nil {
			return a.lookInto(n.read.ThreadID)
		}
	case pressed(k, on.Search):
		t.filtering = true
	case pressed(k, on.OpenAll):
		t.foldAll()
	default:
		return a.moveInTree(k)
	}
	return nil
}

func (a *app) moveInTree(k tea.KeyPressMsg) tea.Cmd {
	t, on := &a.tree, a.keys
	switch {
	case pressed(k, on.Up), k.Text == "k":
		t.step(-1)
	case pressed(k, on.Down), k.Text == "j":
		t.step(1)
	case pressed(k, on.PageUp):
		t.step(-max(t.height-2, 1))
	case pressed(k, on.PageDown):
		t.step(max(t.height-2, 1))
	case pressed(k, on.Top, on.LineStart):
		t.toStart()
	case pressed(k, on.Bottom, on.LineEnd):
		t.choose(len(t.rows) - 1)
	case pressed(k, on.Left), k.Text == "h":
		t.left()
	case pressed(k, on.Right), k.Text == "l":
		t.right()
	case k.Code == tea.KeySpace:
		if n := t.current(); n != nil {
			t.fold(n, !n.folded)
		}
	case pressed(k, on.Focus):
		t.busy()
	}
	return a.olderTrees()
}

// filterKey edits the filter; it reports false for a key that isn't the filter's.
func (a *app) filterKey(k tea.KeyPressMsg) bool {
	t := &a.tree
	switch {
	case pressed(k, a.keys.Backspace):
		t.query.cutRange(t.query.before(t.query.at), t.query.at)
	case pressed(k, a.keys.KillLeft):
		t.query.set("")
	case pressed(k, a.keys.Send):
		t.filtering = false
		return true
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		t.query.insert(oneLineSpaces(k.Text))
	default:
		return false
	}
	t.free = true
	t.arrange()
	t.reveal()
	return true
}

// leaveTree leaves the filter, then the tree. A watch has nothing behind it.
func (a *app) leaveTree() tea.Cmd {
	t := &a.tree
	if t.filtering || !t.query.empty() {
		t.filtering = false
		t.query.set("")
		t.arrange()
		t.reveal()
		return nil
	}
	if a.o.Watch {
		a.say("q leaves")
		return nil
	}
	t.shown = false
	a.backlog.dirty = a.id != ""
	return a.catchUp()
}

// lookInto opens a thread of the tree: the one that was open as it was, any other
// to be read only.
func (a *app) lookInto(id engine.ThreadID) tea.Cmd {
	a.tree.shown = false
	if a.home == nil && id == a.id {
		a.backlog.dirty = true
		return a.catchUp()
	}
	a.home = &place{a.conversation, a.transcript, a.queue.items, a.focus}
	a.conversation = conversation{gen: a.nextGen(), id: id, loading: true}
	a.transcript = newTranscript(a.styles)
	a.transcript.theme = a.home.transcript.theme
	a.queue.set(nil)
	a.focus = focusTranscript
	a.forgetReads()
	return openThread(a.ctx, a.backend, a.gen, id)
}

// comeBack leaves a thread that was looked into for the tree.
func (a *app) comeBack() tea.Cmd {
	h := a.home
	a.conversation, a.transcript, a.focus, a.home = h.conversation, h.transcript, h.focus, nil
	a.queue.set(h.queue)
	a.stream = nil
	a.forgetReads()
	a.backlog.dirty = a.id != ""
	a.tree.shown, a.tree.stale = true, true
	return tea.Batch(a.catchUp(), a.followTree(), a.animate())
}

// at runs f in the conversation of gen, be it the one that is out of view, and
// returns nil where it is closed.
func (a *app) at(gen int, f func() tea.Cmd) tea.Cmd {
	if gen == a.gen {
		return f()
	}
	if a.home == nil || gen != a.home.conversation.gen {
		return nil
	}
	kept := a.backlog
	a.swap()
	a.backlog.refreshing = true // the one in view reads for itself
	defer func() {
		a.swap()
		a.backlog.dirty, a.backlog.refreshing = kept.dirty, kept.refreshing
	}()
	return f()
}

func (a *app) swap() {
	a.conversation, a.home.conversation = a.home.conversation, a.conversation
	a.transcript, a.home.transcript = a.home.transcript, a.transcript
}

// readOnly reports whether the open thread takes no messages here.
func (a *app) readOnly() bool { return a.o.ReadOnly || a.home != nil }

func (a *app) nextGen() int {
	a.gens++
	return a.gens
}

func (a *app) forgetReads() {
	a.backlog.dirty, a.backlog.refreshing, a.backlog.older = false, false, false
	clear(a.backlog.changed)
}
