package tui

import "strings"

// wrapSpans breaks spans into lines of at most width cells: at spaces, between
// wide characters, and inside words that are longer than a line. A \n in the text
// is a break.
func wrapSpans(spans []span, width int) [][]span {
	w := wrapper{width: max(width, 1)}
	for _, s := range spans {
		w.add(s)
	}
	w.endWord()
	w.endLine()
	return w.lines
}

// wrapText is wrapSpans for plain text in one ink.
func wrapText(s string, i ink, width int) []string {
	lines := wrapSpans([]span{{text: s, ink: i}}, width)
	out := make([]string, len(lines))
	for n, l := range lines {
		out[n] = renderSpans(l)
	}
	return out
}

type wrapper struct {
	width  int
	lines  [][]span
	line   []span
	used   int // cells of line
	spaces []span
	gap    int // cells of spaces
	word   []span
	length int // cells of word
}

func (w *wrapper) add(s span) {
	rest := s.text
	start := 0 // of what isn't yet in the word
	flush := func(end int) {
		if end > start {
			w.word = appendSpan(w.word, span{s.text[start:end], s.ink, s.link})
		}
	}
	at := 0
	for rest != "" {
		c, cells := cluster(rest)
		next := at + len(c)
		switch {
		case c == "\n":
			flush(at)
			w.endWord()
			w.endLine()
			start = next
		case c == " ":
			flush(at)
			w.endWord()
			w.spaces = appendSpan(w.spaces, span{c, s.ink, s.link})
			w.gap++
			start = next
		case cells > 1:
			flush(at)
			w.endWord()
			w.word, w.length = append(w.word, span{c, s.ink, s.link}), cells
			w.endWord()
			start = next
		default:
			if w.length+cells > w.width {
				flush(at)
				w.endWord()
				start = at
			}
			w.length += cells
		}
		rest, at = rest[len(c):], next
	}
	flush(at)
}

// endWord puts the word on the line, or on the next one where it doesn't fit.
func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	if w.used > 0 && w.used+w.gap+w.length > w.width {
		w.breakLine()
	}
	if w.used > 0 || w.gap+w.length <= w.width {
		for _, s := range w.spaces {
			w.line = appendSpan(w.line, s)
		}
		w.used += w.gap
	}
	for _, s := range w.word {
		w.line = appendSpan(w.line, s)
	}
	w.used += w.length
	w.word, w.length, w.spaces, w.gap = nil, 0, nil, 0
}

// breakLine ends a line because it is full: the spaces at the break go.
func (w *wrapper) breakLine() {
	w.lines = append(w.lines, w.line)
	w.line, w.used, w.spaces, w.gap = nil, 0, nil, 0
}

func (w *wrapper) endLine() {
	w.breakLine()
}

// appendSpan joins s to the last span where they look the same.
func appendSpan(line []span, s span) []span {
	if n := len(line); n > 0 && line[n-1].ink == s.ink && line[n-1].link == s.link {
		line[n-1].text += s.text
		return line
	}
	return append(line, s)
}

// hardWrap breaks s every width cells, keeping every space: for code.
func hardWrap(s string, width int) []string {
	if width < 1 {
		width = 1
	}
	var out []string
	start, used, at := 0, 0, 0
	for rest := s; rest != ""; {
		c, cells := cluster(rest)
		if used+cells > width && used > 0 {
			out = append(out, s[start:at])
			start, used = at, 0
		}
		used += cells
		at += len(c)
		rest = rest[len(c):]
	}
	return append(out, s[start:])
}

// indent puts first before the first line and rest before the others.
func indent(lines []string, first, rest string) []string {
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = first + l
		case l == "" && strings.TrimSpace(rest) == "":
		default:
			lines[i] = rest + l
		}
	}
	return lines
}
