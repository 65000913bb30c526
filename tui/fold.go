package tui

import "slices"

// toggle opens or folds e without moving what is above it.
func (t *transcript) toggle(e *entry) {
	if e == nil || !e.foldable() {
		return
	}
	t.hold()
	e.open = !e.open
	t.settle(t.blocks())
}

// toggleAll opens every entry that folds, or folds them all where one is open.
func (t *transcript) toggleAll() {
	open := slices.ContainsFunc(t.entries, func(e *entry) bool { return e.foldable() && e.open })
	for _, e := range t.entries {
		if e.foldable() {
			e.open = !open
		}
	}
	if t.view.top != nil {
		t.settle(t.blocks())
	}
}

// at is the entry on line y of the view, nil where there is none.
func (t *transcript) at(y int) *entry {
	if y < 0 || y >= len(t.view.rows) {
		return nil
	}
	return t.view.rows[y]
}

// selectStep moves the selection to the next entry that folds, and into view. It
// reports false where there is none in that direction.
func (t *transcript) selectStep(by int) bool {
	blocks := t.blocks()
	i := slices.Index(blocks, t.view.selected)
	if i < 0 {
		i = len(blocks)
	}
	for i += by; i >= 0 && i < len(blocks); i += by {
		if blocks[i].foldable() {
			t.view.selected = blocks[i]
			t.show(blocks, i)
			return true
		}
	}
	return false
}

func (t *transcript) unselect() { t.view.selected = nil }

// show scrolls as little as it takes to have the first line of blocks[i] in view.
func (t *transcript) show(blocks []*entry, i int) {
	top, line := t.anchor(blocks)
	if i < top || i == top && line > 0 {
		t.view.top, t.view.line, t.view.follow = blocks[i], 0, false
		return
	}
	below := -line
	for k := top; k < i; k++ {
		below += t.tall(blocks, k)
	}
	if over := below + 2 - t.height; over > 0 {
		t.scroll(over)
	}
}
