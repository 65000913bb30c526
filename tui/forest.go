package tui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// forest is the threads of one or more sessions as trees, folded from read models.
type forest struct {
	root   engine.ThreadID // the only tree's, "" for every tree of the project
	nodes  map[engine.ThreadID]*node
	roots  []*node // in the order shown
	newest engine.Micros
}

// node is one thread of a tree. Children are in the order of their creation.
type node struct {
	read     engine.ThreadRead
	parent   *node
	children []*node
	folded   bool
	sum      sums
}

// sums are over a node and everything below it.
type sums struct {
	threads, working int
	tokens           int64
	cost             float64
	unknown          bool // some call had no price
}

func newForest(root engine.ThreadID) forest {
	return forest{root: root, nodes: map[engine.ThreadID]*node{}}
}

// put takes read models, whatever their order. Threads of other trees are left
// out where there is one root; else the sessions of those whose parent isn't
// known are returned, to be read whole. It reports the trees that are new or
// began to work.
func (f *forest) put(reads []engine.ThreadRead) (unknown []engine.SessionID, woken []*node) {
	slices.SortFunc(reads, func(a, b engine.ThreadRead) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	was := map[*node]bool{}
	for _, r := range f.roots {
		was[r] = r.sum.working > 0
	}
	var strangers []*engine.ThreadRead
	for i := range reads {
		r := &reads[i]
		f.newest = max(f.newest, r.UpdatedAt)
		if n := f.nodes[r.ThreadID]; n == nil {
			strangers = append(strangers, r)
		} else if r.Sequence >= n.read.Sequence {
			n.read = *r
		}
	}
	for _, r := range f.plantAll(strangers) {
		if f.root == "" && !slices.Contains(unknown, r.SessionID) {
			unknown = append(unknown, r.SessionID)
		}
	}
	for _, n := range f.roots {
		n.settle()
		if working, known := was[n]; !known || n.sum.working > 0 && !working {
			woken = append(woken, n)
		}
	}
	return unknown, woken
}

// plantAll adds threads that are new, parents before children, and returns those
// whose parent isn't known.
func (f *forest) plantAll(reads []*engine.ThreadRead) []*engine.ThreadRead {
	for {
		left := slices.DeleteFunc(reads, f.plant)
		if len(left) == len(reads) || len(left) == 0 {
			return left
		}
		reads = left
	}
}

// plant adds a thread that is new; false where its parent isn't known.
func (f *forest) plant(r *engine.ThreadRead) bool {
	n := &node{read: *r}
	if r.ThreadID == f.root || f.root == "" && r.ParentThreadID == "" {
		f.roots = append(f.roots, n)
	} else if n.parent = f.nodes[r.ParentThreadID]; n.parent != nil {
		n.parent.children = append(n.parent.children, n)
	} else {
		return false
	}
	f.nodes[r.ThreadID] = n
	return true
}

// settle sums up, bottom up.
func (n *node) settle() {
	s := sums{threads: 1, tokens: n.read.Usage.TotalTokens, unknown: n.read.CostUnknown}
	if n.read.Cost != nil {
		s.cost = *n.read.Cost
	}
	if working(&n.read) {
		s.working = 1
	}
	for _, c := range n.children {
		c.settle()
		s.threads, s.working = s.threads+c.sum.threads, s.working+c.sum.working
		s.tokens, s.cost, s.unknown = s.tokens+c.sum.tokens, s.cost+c.sum.cost, s.unknown || c.sum.unknown
	}
	n.sum = s
}

// total sums all trees.
func (f *forest) total() sums {
	var t sums
	for _, n := range f.roots {
		t.threads, t.working = t.threads+n.sum.threads, t.working+n.sum.working
		t.tokens, t.cost, t.unknown = t.tokens+n.sum.tokens, t.cost+n.sum.cost, t.unknown || n.sum.unknown
	}
	return t
}

// order puts the trees that work first, then the one that changed last.
func (f *forest) order() {
	slices.SortStableFunc(f.roots, func(a, b *node) int {
		if w := cmp.Compare(min(b.sum.working, 1), min(a.sum.working, 1)); w != 0 {
			return w
		}
		return cmp.Compare(b.lastChange(), a.lastChange())
	})
}

func (n *node) lastChange() engine.Micros {
	at := n.read.UpdatedAt
	for _, c := range n.children {
		at = max(at, c.lastChange())
	}
	return at
}

// raise puts trees first, in the order that they have.
func (f *forest) raise(trees []*node) {
	slices.SortStableFunc(f.roots, func(a, b *node) int {
		return cmp.Compare(boolInt(slices.Contains(trees, b)), boolInt(slices.Contains(trees, a)))
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// treeRow is a thread on its line: guides are what is drawn before it.
type treeRow struct {
	node   *node
	guides string
}

// flatten lists the rows that are to be seen: without what is folded, or with
// query what matches and what leads to it.
func (f *forest) flatten(query string) []treeRow {
	q := strings.ToLower(strings.TrimSpace(query))
	var rows []treeRow
	for _, n := range f.roots {
		rows = n.flatten(rows, "", "", q)
	}
	return rows
}

func (n *node) flatten(rows []treeRow, own, below, q string) []treeRow {
	if q != "" && !n.leadsTo(q) {
		return rows
	}
	rows = append(rows, treeRow{node: n, guides: own})
	if n.folded && q == "" {
		return rows
	}
	for i, c := range n.children {
		if i == len(n.children)-1 {
			rows = c.flatten(rows, below+"└", below+"  ", q)
		} else {
			rows = c.flatten(rows, below+"├", below+"│ ", q)
		}
	}
	return rows
}

func (n *node) leadsTo(q string) bool {
	return n.matches(q) || slices.ContainsFunc(n.children, func(c *node) bool { return c.leadsTo(q) })
}

func (n *node) matches(q string) bool {
	r := &n.read
	text := r.Agent + "\n" + r.Name + "\n" + r.Title + "\n" + r.StatusText + "\n" + string(r.Status)
	return strings.Contains(strings.ToLower(text), q) || strings.HasPrefix(string(r.ThreadID), q)
}

// working reports whether a thread has work: one that waits for its child too.
func working(t *engine.ThreadRead) bool { return active(t.Status) || waitsForChild(t) != "" }

// waitsForChild is the child that the thread waits for, "" where it doesn't.
func waitsForChild(t *engine.ThreadRead) engine.ThreadID {
	id, ok := strings.CutPrefix(t.Doing, "child:")
	if !ok || t.Status != engine.ThreadBlocked && t.Status != engine.ThreadRunning {
		return ""
	}
	return engine.ThreadID(id)
}
