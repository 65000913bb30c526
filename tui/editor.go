package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// editor is a multi-line text being written. at is a byte offset on a grapheme
// boundary; goal is the column that up and down aim at, -1 for none.
type editor struct {
	text string
	at   int
	goal int
}

func newEditor() editor { return editor{goal: -1} }

func (e *editor) set(s string) { e.text, e.at, e.goal = s, len(s), -1 }

func (e *editor) empty() bool { return e.text == "" }

// insert puts foreign text in at the cursor.
func (e *editor) insert(s string) {
	s = clean(s)
	e.text = e.text[:e.at] + s + e.text[e.at:]
	e.at += len(s)
	e.goal = -1
}

// cutRange removes text[from:to] and leaves the cursor there.
func (e *editor) cutRange(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.at, e.goal = from, -1
}

func (e *editor) moveTo(at int) { e.at, e.goal = at, -1 }

// before is the offset of the cluster before at.
func (e *editor) before(at int) int {
	if at == 0 {
		return 0
	}
	_, r := utf8.DecodeLastRuneInString(e.text[:at])
	if e.text[at-1] < utf8.RuneSelf {
		return at - r
	}
	line := strings.LastIndexByte(e.text[:at], '\n') + 1
	prev := line
	for rest := e.text[line:at]; rest != ""; {
		c, _ := cluster(rest)
		prev = at - len(rest)
		rest = rest[len(c):]
	}
	return prev
}

// after is the offset behind the cluster at at.
func (e *editor) after(at int) int {
	if at >= len(e.text) {
		return len(e.text)
	}
	c, _ := cluster(e.text[at:])
	return at + len(c)
}

func (e *editor) wordBefore() int {
	s := strings.TrimRightFunc(e.text[:e.at], func(r rune) bool { return !isWord(r) })
	return len(strings.TrimRightFunc(s, isWord))
}

func (e *editor) wordAfter() int {
	s := strings.TrimLeftFunc(e.text[e.at:], func(r rune) bool { return !isWord(r) })
	return len(e.text) - len(strings.TrimLeftFunc(s, isWord))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.at], '\n') + 1 }

func (e *editor) lineEnd() int {
	if n := strings.IndexByte(e.text[e.at:], '\n'); n >= 0 {
		return e.at + n
	}
	return len(e.text)
}

// row is one visual line: text[start:end].
type row struct{ start, end int }

// rows wraps the text at words to width cells.
func (e *editor) rows(width int) []row {
	width = max(width, 1)
	var out []row
	for start := 0; ; {
		end := len(e.text)
		if n := strings.IndexByte(e.text[start:], '\n'); n >= 0 {
			end = start + n
		}
		out = wrapRow(out, e.text, start, end, width)
		if end == len(e.text) {
			return out
		}
		start = end + 1
	}
}

func wrapRow(out []row, text string, start, end, width int) []row {
	used, space, at := 0, -1, start
	for at < end {
		c, cells := cluster(text[at:end])
		if used+cells > width && used > 0 && c != " " {
			stop := at
			if space > start {
				stop = space
			}
			out = append(out, row{start, stop})
			start, space = stop, -1
			used = ansi.StringWidth(text[start:at])
		}
		used += cells
		at += len(c)
		if c == " " {
			space = at
		}
	}
	return append(out, row{start, end})
}

// place finds the cursor among rows: its row, and its column in cells.
func (e *editor) place(rows []row) (y, x int) {
	for i, r := range rows {
		soft := i+1 < len(rows) && rows[i+1].start == r.end
		if e.at < r.end || e.at == r.end && !soft {
			return i, ansi.StringWidth(e.text[r.start:max(e.at, r.start)])
		}
	}
	return len(rows) - 1, 0
}

// vertical moves the cursor by rows and reports whether it could.
func (e *editor) vertical(by, width int) bool {
	rows := e.rows(width)
	y, x := e.place(rows)
	if y+by < 0 || y+by >= len(rows) {
		return false
	}
	if e.goal < 0 {
		e.goal = x
	}
	r := rows[y+by]
	at, used := r.start, 0
	for at < r.end {
		c, cells := cluster(e.text[at:r.end])
		if used+cells > e.goal {
			break
		}
		used += cells
		at += len(c)
	}
	if at == r.end && y+by+1 < len(rows) && rows[y+by+1].start == r.end && at > r.start {
		at = e.before(at)
	}
	e.at = at
	return true
}
