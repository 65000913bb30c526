package engine

import (
	"cmp"
	"context"
	"slices"
)

// TreeNode is one thread of a tree, with what its subtree costs. Costs are in
// USD; nil is unknown. Ended children stay in the tree.
type TreeNode struct {
	ThreadID    ThreadID     `json:"threadId"`
	Agent       string       `json:"agentId"`
	Name        string       `json:"name"`
	Status      ThreadStatus `json:"status"`
	Side        Side         `json:"side"`
	WaitingFor  string       `json:"waitingFor"` // "child:<id>", "model", "tool:<name>" or ""
	QueueLength int          `json:"queueLength"`
	Children    []*TreeNode  `json:"children"`
	Usage       Usage        `json:"usage"`
	Cost        *float64     `json:"cost"`
	SubtreeCost *float64     `json:"subtreeCost"`

	Read         *ThreadRead `json:"-"` // all that is known of the thread
	SubtreeUsage Usage       `json:"-"`
	Terminated   bool        `json:"-"`
}

// Tree reads a thread and its descendants.
func (c *ControlPlane) Tree(ctx context.Context, root ThreadID) (*TreeNode, error) {
	rec, err := c.e.c.Store.Thread(ctx, root)
	if err != nil {
		return nil, err
	}
	nodes := map[ThreadID]*TreeNode{}
	var order []*TreeNode
	for cursor := ""; ; {
		page, err := c.e.c.Store.Threads(ctx, ThreadQuery{Session: rec.SessionID, Cursor: cursor, Limit: 1000})
		if err != nil {
			return nil, err
		}
		for i := range page.Threads {
			n := treeNode(&page.Threads[i])
			nodes[n.ThreadID] = n
			order = append(order, n)
		}
		if cursor = page.Cursor; cursor == "" {
			break
		}
	}
	for _, n := range order {
		if parent := nodes[n.Read.ParentThreadID]; parent != nil {
			parent.Children = append(parent.Children, n)
		}
	}
	top := nodes[root]
	if top == nil { // it moved between two pages
		top = treeNode(&rec.Read)
	}
	top.settle()
	return top, nil
}

// Trees reads the trees of root threads that q selects, and the cursor of the
// next page.
func (c *ControlPlane) Trees(ctx context.Context, q ThreadQuery) ([]*TreeNode, string, error) {
	none := ThreadID("")
	q.Parent = &none
	page, err := c.e.c.Store.Threads(ctx, q)
	if err != nil {
		return nil, "", err
	}
	trees := make([]*TreeNode, 0, len(page.Threads))
	for i := range page.Threads {
		t, err := c.Tree(ctx, page.Threads[i].ThreadID)
		if err != nil {
			return nil, "", err
		}
		trees = append(trees, t)
	}
	return trees, page.Cursor, nil
}

func treeNode(r *ThreadRead) *TreeNode {
	n := &TreeNode{ThreadID: r.ThreadID, Agent: r.Agent, Name: r.Name, Status: r.Status, Side: r.Side, WaitingFor: r.Doing,
		QueueLength: r.QueueLength, Children: []*TreeNode{}, Usage: r.Usage, Cost: r.KnownCost(), Read: r, Terminated: r.Terminated != 0}
	return n
}

// settle orders the children by creation and sums the subtree, bottom up.
func (n *TreeNode) settle() {
	sortNodes(n.Children)
	n.SubtreeUsage = n.Usage
	n.SubtreeCost = n.Cost
	for _, c := range n.Children {
		c.settle()
		n.SubtreeUsage.Add(c.SubtreeUsage)
		n.SubtreeCost = addCosts(n.SubtreeCost, c.SubtreeCost)
	}
}

// addCosts is the sum of two costs; unknown where one of them is.
func addCosts(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	sum := *a + *b
	return &sum
}

func sortNodes(nodes []*TreeNode) {
	slices.SortFunc(nodes, func(a, b *TreeNode) int {
		if d := cmp.Compare(a.Read.CreatedAt, b.Read.CreatedAt); d != 0 {
			return d
		}
		return cmp.Compare(a.ThreadID, b.ThreadID)
	})
}
