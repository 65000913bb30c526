package tui

import (
	"slices"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// threadList is the panel of threads: grouped by day, newest first, narrowed by a
// search.
type threadList struct {
	styles *styles
	width  int
	height int
	loaded bool

	items   []engine.ThreadRead // root threads, newest first
	unread  map[engine.ThreadID]bool
	cursor  string // for older threads, "" where there are none
	current engine.ThreadID

	searching bool
	query     editor
	selected  engine.ThreadID
	offset    int
	rows      []engine.ThreadID // of each line drawn
}

func newThreadList(s *styles) threadList {
	return threadList{styles: s, unread: map[engine.ThreadID]bool{}, query: newEditor()}
}

func (l *threadList) setSize(width, height int) { l.width, l.height = width, height }

// put adds or updates threads; children of other threads aren't listed. One that
// came to rest while another was open is unread.
func (l *threadList) put(ts []engine.ThreadRead) {
	for _, t := range ts {
		if t.ParentThreadID != "" {
			continue
		}
		i := slices.IndexFunc(l.items, func(x engine.ThreadRead) bool { return x.ThreadID == t.ThreadID })
		if i < 0 {
			l.items = append(l.items, t)
			continue
		}
		if was := l.items[i]; t.ThreadID != l.current && was.Status != t.Status && !working(&t) {
			l.unread[t.ThreadID] = true
		}
		l.items[i] = t
	}
	slices.SortStableFunc(l.items, func(a, b engine.ThreadRead) int { return int(b.UpdatedAt - a.UpdatedAt) })
}

func (l *threadList) remove(id engine.ThreadID) {
	l.items = slices.DeleteFunc(l.items, func(t engine.ThreadRead) bool { return t.ThreadID == id })
}

func (l *threadList) open(id engine.ThreadID) {
	l.current, l.selected = id, id
	delete(l.unread, id)
}

// active reports whether a thread of this status has work.
func active(s engine.ThreadStatus) bool {
	return s == engine.ThreadRunning || s == engine.ThreadQueued
}

// shown are the items that match the search.
func (l *threadList) shown() []engine.ThreadRead {
	q := strings.ToLower(strings.TrimSpace(l.query.text))
	if q == "" {
		return l.items
	}
	var out []engine.ThreadRead
	for _, t := range l.items {
		if strings.Contains(strings.ToLower(t.Title+"\n"+t.Name+"\n"+t.Agent), q) || strings.HasPrefix(string(t.ThreadID), q) {
			out = append(out, t)
		}
	}
	return out
}

// step moves the selection and reports false at an end.
func (l *threadList) step(by int) bool {
	items := l.shown()
	i := slices.IndexFunc(items, func(t engine.ThreadRead) bool { return t.ThreadID == l.selected })
	to := min(max(i+by, 0), len(items)-1)
	if len(items) == 0 || to == i {
		return false
	}
	l.selected = items[to].ThreadID
	return true
}

// wantsOlder reports whether the selection is near the end of what was read.
func (l *threadList) wantsOlder() bool {
	items := l.shown()
	return l.cursor != "" && l.query.empty() && len(items) > 0 && items[max(len(items)-5, 0)].UpdatedAt >= l.at(l.selected)
}

func (l *threadList) at(id engine.ThreadID) engine.Micros {
	for i := range l.items {
		if l.items[i].ThreadID == id {
			return l.items[i].UpdatedAt
		}
	}
	return 1 << 62
}

// render draws the panel. With focus the selection is marked.
func (l *threadList) render(now time.Time, focused bool) []string {
	out := []string{l.header(focused), ""}
	l.rows = []engine.ThreadID{"", ""}
	body, ids, at := l.body(now, focused)
	room := max(l.height-len(out), 0)
	l.offset = min(max(l.offset, at-room+2), max(at-1, 0))
	l.offset = max(min(l.offset, len(body)-room), 0)
	end := min(l.offset+room, len(body))
	out, l.rows = append(out, body[l.offset:end]...), append(l.rows, ids[l.offset:end]...)
	for len(out) < l.height {
		out, l.rows = append(out, ""), append(l.rows, "")
	}
	return out[:l.height]
}

func (l *threadList) header(focused bool) string {
	if l.searching || !l.query.empty() {
		return " " + l.styles.accent.on("/") + cut(l.query.text, l.width-3)
	}
	hint := ""
	if focused {
		hint = "/ search "
	}
	title := l.styles.title.on("Threads")
	return pad(" "+title, l.width-len(hint)) + l.styles.faint.on(hint)
}

// body are the lines of the list, the thread of each, and the line of the
// selection.
func (l *threadList) body(now time.Time, focused bool) (lines []string, ids []engine.ThreadID, at int) {
	group := ""
	for _, t := range l.shown() {
		if g := day(t.UpdatedAt.Time(), now); g != group {
			if group != "" {
				lines, ids = append(lines, ""), append(ids, "")
			}
			lines, ids = append(lines, " "+l.styles.faint.on(g)), append(ids, "")
			group = g
		}
		if t.ThreadID == l.selected {
			at = len(lines)
		}
		lines, ids = append(lines, l.item(&t, now, focused)), append(ids, t.ThreadID)
	}
	if len(lines) == 0 {
		text := "no threads yet"
		switch {
		case !l.loaded:
			text = "loading…"
		case !l.query.empty():
			text = "nothing found"
		}
		return []string{" " + l.styles.faint.on(text)}, []engine.ThreadID{""}, 0
	}
	return lines, ids, at
}

func (l *threadList) item(t *engine.ThreadRead, now time.Time, focused bool) string {
	glyph, i := threadGlyph(l.styles, t)
	dot := " "
	if l.unread[t.ThreadID] {
		dot = l.styles.accent.on("•")
	}
	when := age(t.UpdatedAt.Time(), now)
	name := pad(cut(threadTitle(t), l.width-len(when)-6), max(l.width-len(when)-6, 0))
	lead := " "
	switch {
	case t.ThreadID == l.current:
		name = l.styles.strong.on(name)
		lead = l.styles.accent.on("▎")
	}
	line := lead + i.on(glyph) + " " + name + dot + l.styles.faint.on(when) + " "
	if focused && t.ThreadID == l.selected {
		return l.styles.highlight(line, l.width)
	}
	return line
}

func threadTitle(t *engine.ThreadRead) string {
	for _, s := range []string{t.Title, t.Name} {
		if s = oneLine(s); s != "" {
			return s
		}
	}
	return "new " + oneLine(t.Agent) + " thread"
}

// threadGlyph is the state of a thread in one cell.
func threadGlyph(s *styles, t *engine.ThreadRead) (string, ink) {
	if waitsForChild(t) != "" {
		return "◐", s.accent
	}
	return statusGlyph(s, t.Status, t.LastOutcome)
}

func statusGlyph(s *styles, status engine.ThreadStatus, last engine.TurnStatus) (string, ink) {
	switch status {
	case engine.ThreadRunning:
		return "●", s.accent
	case engine.ThreadQueued:
		return "◌", s.accent
	case engine.ThreadBlocked:
		return "!", s.warn
	case engine.ThreadFailed:
		return "✗", s.bad
	case engine.ThreadCancelled:
		return "⊘", s.faint
	case engine.ThreadUnknown:
		return "?", s.warn
	case engine.ThreadIdle, engine.ThreadCompleted:
		if last == engine.TurnFailed {
			return "✗", s.bad
		}
		return "○", s.faint
	default:
		return "?", s.warn
	}
}

// day is the group that a time belongs to.
func day(at, now time.Time) string {
	at = at.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case !at.Before(midnight):
		return "Today"
	case !at.Before(midnight.AddDate(0, 0, -1)):
		return "Yesterday"
	case !at.Before(midnight.AddDate(0, 0, -7)):
		return "Last 7 days"
	default:
		return "Older"
	}
}
