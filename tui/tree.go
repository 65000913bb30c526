package tui

import (
	"slices"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// tree is the screen of threads and their children. Until the reader moves it
// shows its start; from then on nothing that happens moves what is in view.
type tree struct {
	styles *styles
	forest forest
	scope  treeScope
	shown  bool
	loaded bool
	width  int
	height int // rows of threads

	rows     []treeRow
	selected engine.ThreadID
	offset   int
	free     bool // the reader has moved

	filtering bool
	query     editor

	gen     int  // grows with every scope
	stale   bool // events came since it was read
	reading bool
	settled bool // what was read last can't have missed a late commit
	last    time.Time
	ticking bool
	cursor  string // for older trees, "" where there are none
}

// treeScope is what a tree shows: the threads below root, or all of a project.
type treeScope struct {
	root    engine.ThreadID
	session engine.SessionID // of root; "" where it has to be looked up
	project *string          // where there is no root; nil is any project
}

func newTree(s *styles) tree {
	return tree{styles: s, query: newEditor(), forest: newForest("")}
}

// reset begins with another scope.
func (t *tree) reset(scope treeScope) {
	*t = tree{styles: t.styles, gen: t.gen + 1, ticking: t.ticking, query: newEditor(), scope: scope, forest: newForest(scope.root), width: t.width, height: t.height}
}

func (t *tree) setSize(width, height int) {
	if width == t.width && height == t.height {
		return
	}
	t.width, t.height = width, height
	t.reveal()
}

// put takes what was read and returns the sessions to be read besides.
func (t *tree) put(reads []engine.ThreadRead) []engine.SessionID {
	unknown, woken := t.forest.put(reads)
	switch {
	case !t.loaded:
		t.forest.order()
		for _, n := range t.forest.roots {
			n.folded = t.scope.root == "" && n.sum.working == 0
		}
	case !t.free:
		t.forest.raise(woken)
	default:
		t.forest.raise(slices.DeleteFunc(woken, func(n *node) bool { return t.listed(n) }))
	}
	t.arrange()
	return unknown
}

// listed reports whether a tree had a place before.
func (t *tree) listed(n *node) bool {
	return slices.ContainsFunc(t.rows, func(r treeRow) bool { return r.node == n })
}

// arrange makes the rows anew. What is in view stays where it is: the selected
// thread, or the one on top where that is out of view.
func (t *tree) arrange() {
	at := t.index(t.selected)
	if at < t.offset || at >= t.offset+t.height {
		at = min(t.offset, len(t.rows)-1)
	}
	line, anchor := at-t.offset, engine.ThreadID("")
	if at >= 0 {
		anchor = t.rows[at].node.read.ThreadID
	}
	t.rows = t.forest.flatten(t.query.text)
	if !t.free || t.index(t.selected) < 0 && len(t.rows) > 0 {
		t.selected = t.at(min(max(at, 0), len(t.rows)-1))
	}
	switch i := t.index(anchor); {
	case !t.free:
		t.selected, t.offset = t.at(0), 0
	case i >= 0:
		t.offset = i - line
	}
	t.clamp()
}

func (t *tree) clamp() { t.offset = max(min(t.offset, len(t.rows)-t.height), 0) }

func (t *tree) index(id engine.ThreadID) int {
	return slices.IndexFunc(t.rows, func(r treeRow) bool { return r.node.read.ThreadID == id })
}

// at is the thread of row i, "" where there is none.
func (t *tree) at(i int) engine.ThreadID {
	if i < 0 || i >= len(t.rows) {
		return ""
	}
	return t.rows[i].node.read.ThreadID
}

// current is the selected thread, nil where there is none.
func (t *tree) current() *node { return t.forest.nodes[t.selected] }

// step moves the selection and scrolls as little as it takes.
func (t *tree) step(by int) {
	t.choose(min(max(t.index(t.selected)+by, 0), len(t.rows)-1))
}

func (t *tree) choose(i int) {
	if i < 0 || i >= len(t.rows) {
		return
	}
	t.free = true
	t.selected = t.at(i)
	t.reveal()
}

func (t *tree) reveal() {
	if i := t.index(t.selected); i >= 0 {
		t.offset = min(max(t.offset, i-t.height+1), i)
	}
	t.clamp()
}

// toStart shows the start again, and keeps to it.
func (t *tree) toStart() {
	t.free = false
	t.forest.order()
	t.arrange()
}

func (t *tree) scroll(by int) {
	t.free = true
	t.offset += by
	t.clamp()
}

// fold closes or opens n.
func (t *tree) fold(n *node, folded bool) {
	if n == nil || len(n.children) == 0 {
		return
	}
	t.free = true
	n.folded = folded
	t.arrange()
}

// foldAll closes every tree, or opens them all where none is open.
func (t *tree) foldAll() {
	open := slices.ContainsFunc(t.forest.roots, func(n *node) bool { return len(n.children) > 0 && !n.folded })
	if n := t.current(); n != nil && open {
		for n.parent != nil {
			n = n.parent
		}
		t.selected = n.read.ThreadID
	}
	t.free = true
	for _, n := range t.forest.roots {
		n.foldBelow(open)
	}
	t.arrange()
}

func (n *node) foldBelow(folded bool) {
	n.folded = folded && n.parent == nil
	for _, c := range n.children {
		c.foldBelow(folded)
	}
}

// left folds the selected thread, or goes to its parent.
func (t *tree) left() {
	switch n := t.current(); {
	case n == nil:
	case len(n.children) > 0 && !n.folded && t.query.empty():
		t.fold(n, true)
	case n.parent != nil:
		t.choose(t.index(n.parent.read.ThreadID))
	}
}

// right opens the selected thread, or goes to its first child.
func (t *tree) right() {
	switch n := t.current(); {
	case n == nil || len(n.children) == 0:
	case n.folded:
		t.fold(n, false)
	default:
		t.step(1)
	}
}

// busy selects the next thread below that works, from the start again at the end.
func (t *tree) busy() {
	from := t.index(t.selected)
	for i := range t.rows {
		at := (from + 1 + i) % len(t.rows)
		if working(&t.rows[at].node.read) {
			t.choose(at)
			return
		}
	}
}

// wantsOlder reports whether the selection is near the end of what was read.
func (t *tree) wantsOlder() bool {
	return t.cursor != "" && t.query.empty() && t.index(t.selected) >= len(t.rows)-5
}
