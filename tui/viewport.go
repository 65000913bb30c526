package tui

import "slices"

// viewport is what part of the transcript is in view: its end (follow), or the
// lines from an anchor on. The anchor is an entry and a line of it (counting the
// empty line before it), so that nothing that arrives moves it.
type viewport struct {
	follow   bool
	top      *entry
	line     int
	unseen   int // entries that came while the reader was elsewhere
	selected *entry
	rows     []*entry // the entry of each line in view
}

// reanchor finds the anchor again among new blocks; where it is gone the end is
// followed.
func (v *viewport) reanchor(blocks []*entry) {
	v.top = sameKey(blocks, v.top)
	v.selected = sameKey(blocks, v.selected)
	if v.top == nil {
		v.follow = true
	}
}

func sameKey(blocks []*entry, e *entry) *entry {
	if e == nil || slices.Contains(blocks, e) {
		return e
	}
	for _, b := range blocks {
		if b.key == e.key {
			return b
		}
	}
	return nil
}

// lines are the lines of blocks[i] with the empty line that parts it from the one
// before.
func (t *transcript) lines(blocks []*entry, i int) (gap int, lines []string) {
	lines = t.layout(blocks[i])
	if i > 0 && len(lines) > 0 && !blocks[i].tight(blocks[i-1]) {
		gap = 1
	}
	return gap, lines
}

func (t *transcript) tall(blocks []*entry, i int) int {
	gap, lines := t.lines(blocks, i)
	return gap + len(lines)
}

// fromEnd is the anchor that shows height lines up to the end.
func (t *transcript) fromEnd(blocks []*entry) (i, line int) {
	left := t.height
	for i = len(blocks) - 1; i >= 0; i-- {
		n := t.tall(blocks, i)
		if n >= left {
			return i, n - left
		}
		left -= n
	}
	return 0, 0
}

// anchor is where the view starts now.
func (t *transcript) anchor(blocks []*entry) (i, line int) {
	if t.view.follow || t.view.top == nil {
		return t.fromEnd(blocks)
	}
	i = slices.Index(blocks, t.view.top)
	if i < 0 {
		return t.fromEnd(blocks)
	}
	return i, min(t.view.line, max(t.tall(blocks, i)-1, 0))
}

// hold keeps the view where it is.
func (t *transcript) hold() {
	blocks := t.blocks()
	if len(blocks) == 0 {
		return
	}
	i, line := t.anchor(blocks)
	t.view.top, t.view.line, t.view.follow = blocks[i], line, false
}

// scroll moves the view by lines, down where by is positive.
func (t *transcript) scroll(by int) {
	blocks := t.blocks()
	if len(blocks) == 0 {
		return
	}
	i, line := t.anchor(blocks)
	line += by
	for line < 0 && i > 0 {
		i--
		line += t.tall(blocks, i)
	}
	for line >= t.tall(blocks, i) && i < len(blocks)-1 {
		line -= t.tall(blocks, i)
		i++
	}
	t.view.top, t.view.line, t.view.follow = blocks[i], max(line, 0), false
	t.settle(blocks)
}

// settle follows the end again where the view has reached it.
func (t *transcript) settle(blocks []*entry) {
	i, line := t.anchor(blocks)
	ei, el := t.fromEnd(blocks)
	if i > ei || i == ei && line >= el {
		t.toEnd()
	}
}

func (t *transcript) toEnd() { t.view.follow, t.view.unseen, t.view.top = true, 0, nil }

func (t *transcript) toStart() {
	if blocks := t.blocks(); len(blocks) > 0 {
		t.view.top, t.view.line, t.view.follow = blocks[0], 0, false
		t.settle(blocks)
	}
}

// wantsOlder reports whether the view is near the oldest message that was read.
func (t *transcript) wantsOlder() bool {
	if !t.more {
		return false
	}
	i, line := t.anchor(t.blocks())
	return i < 4 && line < t.height
}

// render returns the height lines in view.
func (t *transcript) render() []string {
	out := make([]string, 0, t.height)
	t.view.rows = t.view.rows[:0]
	blocks := t.blocks()
	if len(blocks) > 0 {
		if !t.view.follow {
			t.settle(blocks)
		}
		i, line := t.anchor(blocks)
		for ; i < len(blocks) && len(out) < t.height; i, line = i+1, 0 {
			out = t.renderBlock(out, blocks, i, line)
		}
	}
	for len(out) < t.height {
		out = append(out, "")
		t.view.rows = append(t.view.rows, nil)
	}
	return out
}

func (t *transcript) renderBlock(out []string, blocks []*entry, i, from int) []string {
	e := blocks[i]
	gap, lines := t.lines(blocks, i)
	for n := from; n < gap+len(lines) && len(out) < t.height; n++ {
		if n < gap {
			out, t.view.rows = append(out, ""), append(t.view.rows, nil)
			continue
		}
		l := lines[n-gap]
		if e == t.view.selected && n == gap {
			l = t.styles.highlight(l, t.textWidth()+margin)
		}
		out, t.view.rows = append(out, l), append(t.view.rows, e)
	}
	return out
}
