package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// stream is an answer that still arrives. Whole blocks are laid out once; only
// the tail behind the last safe break is laid out again when text arrives.
type stream struct {
	id        engine.MessageID
	side      engine.Side
	text      streamText
	reasoning streamText

	done    int      // bytes of text.clean whose lines are in settled
	settled []string // laid out for width
	width   int
	theme   int
	lines   []string
	drawn   int // bytes of text that lines show
}

// streamText joins deltas by their offsets. end is the offset behind the last
// delta, which is more than was received where one was dropped.
type streamText struct {
	clean string
	raw   string // an incomplete escape sequence or character at the end
	end   int
}

// add takes a delta. A repeated one is ignored; a missing one shows as an
// ellipsis until the whole message is read. It reports whether text began anew.
func (s *streamText) add(offset int, delta string) (restarted bool) {
	switch {
	case offset == 0 && s.end > 0:
		*s = streamText{}
		restarted = true
	case offset < s.end:
		return false
	case offset > s.end:
		s.clean += "…"
	}
	s.end = offset + len(delta)
	s.raw += delta
	if i := strings.LastIndexByte(s.raw, 0x1b); i >= 0 && len(s.raw)-i < 64 && ansi.Strip(s.raw[i:]) == "" {
		s.clean += clean(s.raw[:i])
		s.raw = s.raw[i:]
		return restarted
	}
	s.clean += clean(s.raw)
	s.raw = ""
	return restarted
}

func (s *stream) addText(offset int, delta string) {
	if s.text.add(offset, delta) {
		s.done, s.settled = 0, nil
	}
	s.drawn = -1
}

// safeBreak finds the last place in text from from on where finished blocks end:
// an empty line outside a code fence before a line that starts a new block at the
// margin.
func safeBreak(text string, from int) int {
	at, last := from, from
	fence := ""
	blank := false
	for at < len(text) {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			break // an unfinished line can still become anything
		}
		line := text[at : at+end]
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
			blank = false
		case trimmed == "":
			blank = true
		default:
			if blank && line[0] != ' ' && !startsListItem(line) {
				last = at
			}
			blank = false
			fence = fenceOf(trimmed)
		}
		at += end + 1
	}
	return last
}

func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		info := strings.TrimLeft(line, c)
		if n := len(line) - len(info); n >= 3 && !(c == "`" && strings.Contains(info, c)) {
			return strings.Repeat(c, n)
		}
	}
	return ""
}

func startsListItem(line string) bool {
	marker, _, ok := strings.Cut(line, " ")
	if !ok {
		return false
	}
	if marker == "-" || marker == "*" || marker == "+" {
		return true
	}
	return strings.TrimLeft(marker, "0123456789") == "." && len(marker) > 1
}

// layoutStream lays the arriving answer out.
func (t *transcript) layoutStream(e *entry) []string {
	s := e.stream
	if s.width != t.width || s.theme != t.theme {
		s.width, s.theme, s.done, s.settled, s.drawn = t.width, t.theme, 0, nil, -1
	}
	if size := len(s.text.clean) + len(s.reasoning.clean); s.drawn != size {
		s.drawn = size
		s.lines = t.drawStream(e, s)
	}
	return s.lines
}

func (t *transcript) drawStream(e *entry, s *stream) []string {
	var head []string
	if e.label != "" {
		head = append(head, "  "+(t.sideInk(s.side)+t.styles.strong).on(e.label))
	}
	if s.text.clean == "" {
		if s.reasoning.clean == "" {
			return head
		}
		tail := oneLine(lastBytes(s.reasoning.clean, 400))
		return append(head, t.styles.faint.on("▸ ")+t.styles.dim.on("thinking")+"  "+
			t.styles.faint.on(cutLeft(tail, t.textWidth()-10)))
	}
	if b := safeBreak(s.text.clean, s.done); b > s.done {
		s.settled = joinBlocks(s.settled, t.block(s.text.clean[s.done:b]))
		s.done = b
	}
	lines := append(head, s.settled...)
	return joinBlocks(lines[:len(lines):len(lines)], t.block(s.text.clean[s.done:]))
}

func (t *transcript) block(md string) []string {
	return indent(t.markdown.render(md, t.textWidth()), "  ", "  ")
}

func joinBlocks(a, b []string) []string {
	if len(a) > 0 && len(b) > 0 && a[len(a)-1] != "" {
		a = append(a, "")
	}
	return append(a, b...)
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for s != "" && s[0]&0xc0 == 0x80 {
		s = s[1:]
	}
	return s
}
