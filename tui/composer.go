package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// composer is where the person writes: the text, its history and the completion
// of commands.
type composer struct {
	editor
	keys    *keys
	styles  *styles
	width   int
	maxRows int
	offset  int // first row shown

	history []string // oldest first
	recall  int      // index into history; len(history) is the draft
	draft   string

	slash slashMenu
}

const promptWidth = 2 // "› "

func newComposer(k *keys, s *styles) composer {
	return composer{editor: newEditor(), keys: k, styles: s, maxRows: 1}
}

func (c *composer) setSize(width, maxRows int) { c.width, c.maxRows = width, max(maxRows, 1) }

// room is the width of the text: one cell is kept for the cursor behind it.
func (c *composer) room() int { return max(c.width-promptWidth-1, 1) }

func (c *composer) height() int { return min(len(c.rows(c.room())), c.maxRows) }

// setHistory replaces what up recalls.
func (c *composer) setHistory(h []string) {
	c.history, c.recall = h, len(h)
}

func (c *composer) remember(s string) {
	if n := len(c.history); n == 0 || c.history[n-1] != s {
		c.history = append(c.history, s)
	}
	c.recall = len(c.history)
}

// take empties the composer and returns what it held.
func (c *composer) take() string {
	s := strings.TrimRight(c.text, " \n")
	c.set("")
	c.recall, c.draft = len(c.history), ""
	c.slash.close()
	return s
}

// onKey edits; it reports false for a key that isn't its own.
func (c *composer) onKey(k tea.KeyPressMsg) bool {
	if !c.move(k) && !c.remove(k) {
		switch {
		case pressed(k, c.keys.Newline):
			c.insert("\n")
		case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
			c.insert(k.Text)
		default:
			return false
		}
	}
	c.slash.update(c.text)
	return true
}

func (c *composer) move(k tea.KeyPressMsg) bool {
	switch {
	case pressed(k, c.keys.Left):
		c.moveTo(c.before(c.at))
	case pressed(k, c.keys.Right):
		c.moveTo(c.after(c.at))
	case pressed(k, c.keys.WordL):
		c.moveTo(c.wordBefore())
	case pressed(k, c.keys.WordR):
		c.moveTo(c.wordAfter())
	case pressed(k, c.keys.LineStart):
		c.moveTo(c.lineStart())
	case pressed(k, c.keys.LineEnd):
		c.moveTo(c.lineEnd())
	case pressed(k, c.keys.Up):
		if !c.vertical(-1, c.room()) {
			c.recallBy(-1)
		}
	case pressed(k, c.keys.Down):
		if !c.vertical(1, c.room()) {
			c.recallBy(1)
		}
	default:
		return false
	}
	return true
}

func (c *composer) remove(k tea.KeyPressMsg) bool {
	switch {
	case pressed(k, c.keys.Backspace):
		c.cutRange(c.before(c.at), c.at)
	case pressed(k, c.keys.Delete):
		c.cutRange(c.at, c.after(c.at))
	case pressed(k, c.keys.DeleteWord):
		c.cutRange(c.wordBefore(), c.at)
	case pressed(k, c.keys.DeleteWordForward):
		c.cutRange(c.at, c.wordAfter())
	case pressed(k, c.keys.KillLeft):
		c.cutRange(c.lineStart(), c.at)
	case pressed(k, c.keys.KillRight):
		c.killRight()
	default:
		return false
	}
	return true
}

// killRight deletes to the end of the line, and the line end itself where the
// cursor is on it.
func (c *composer) killRight() {
	end := c.lineEnd()
	if end == c.at {
		end = c.after(c.at)
	}
	c.cutRange(c.at, end)
}

// recallBy steps through the history; the draft is its newest end.
func (c *composer) recallBy(by int) {
	to := c.recall + by
	if to < 0 || to > len(c.history) {
		return
	}
	if c.recall == len(c.history) {
		c.draft = c.text
	}
	c.recall = to
	if to == len(c.history) {
		c.set(c.draft)
		return
	}
	c.set(c.history[to])
}

// render draws the visible rows and says where the cursor is in them.
func (c *composer) render(placeholder string, focused bool) (lines []string, x, y int) {
	mark := c.styles.faint.on("› ")
	if focused {
		mark = c.styles.accent.on("› ")
	}
	if c.empty() {
		return []string{mark + c.styles.faint.on(cut(placeholder, c.room()))}, promptWidth, 0
	}
	rows := c.rows(c.room())
	cy, cx := c.place(rows)
	h := min(len(rows), c.maxRows)
	c.offset = min(max(c.offset, cy-h+1), cy, len(rows)-h)
	for i, r := range rows[c.offset : c.offset+h] {
		lead := "  "
		if i+c.offset == 0 {
			lead = mark
		}
		lines = append(lines, lead+c.text[r.start:r.end])
	}
	return lines, promptWidth + min(cx, c.room()), cy - c.offset
}
