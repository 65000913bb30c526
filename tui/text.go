package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const tabWidth = 4

// clean makes foreign text safe to print: escape sequences, other control
// characters and direction overrides go, line ends become \n and tabs spaces.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	if strings.IndexByte(s, 0x1b) >= 0 || strings.ContainsRune(s, '\u009b') {
		s = ansi.Strip(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	column := 0
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r':
			b.WriteByte('\n')
			column = 0
		case r == '\t':
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case unprintable(r):
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}

func isClean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 && c != '\n' || c == 0x7f || c >= 0x80 {
			return false
		}
	}
	return true
}

// unprintable reports control characters, direction overrides and what isn't
// text at all.
func unprintable(r rune) bool {
	switch {
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029, r == 0xfeff:
		return true
	case r == utf8.RuneError:
		return false
	default:
		return unicode.IsControl(r)
	}
}

// oneLine is clean text on one line, runs of white space folded.
func oneLine(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

// cut shortens s to width cells, with an ellipsis where something is missing.
func cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// pad fills s with spaces up to width cells, and cuts what is longer.
func pad(s string, width int) string {
	n := width - ansi.StringWidth(s)
	if n < 0 {
		return cut(s, width)
	}
	return s + strings.Repeat(" ", n)
}

// span is a run of text in one ink, with the address that it links to.
type span struct {
	text string
	ink  ink
	link string
}

func (s span) render(b *strings.Builder) {
	if s.link != "" {
		b.WriteString(ansi.SetHyperlink(s.link))
	}
	b.WriteString(s.ink.on(s.text))
	if s.link != "" {
		b.WriteString(ansi.ResetHyperlink())
	}
}

func renderSpans(line []span) string {
	if len(line) == 1 && line[0].link == "" {
		return line[0].ink.on(line[0].text)
	}
	var b strings.Builder
	for _, s := range line {
		s.render(&b)
	}
	return b.String()
}

func spansWidth(line []span) int {
	n := 0
	for _, s := range line {
		n += ansi.StringWidth(s.text)
	}
	return n
}

// cluster returns the first grapheme cluster of s and its width in cells.
func cluster(s string) (string, int) {
	if len(s) == 1 || s[0] < utf8.RuneSelf && s[1] < utf8.RuneSelf {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}
