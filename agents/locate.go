package agents

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// text is the source of one definition file, cut into the few tokens that are
// needed to find where a property or a name is written. It is a scan, not a
// parser: a place that it can't find is unknown, never wrong on purpose.
// The source is read and cut when a place is first asked for, which is when
// something is wrong.
type text struct{ tokens func() []token }

// token is an identifier, the contents of a string literal, or one character of
// punctuation.
type token struct {
	text         string
	word, quoted bool
	line, column int
}

// place is a position in a file, counting from 1; zero is unknown.
type place struct{ line, column int }

// readText is the text that source gives.
func readText(source func() string) *text {
	return &text{tokens: sync.OnceValue(func() []token {
		s := &scanner{src: source(), line: 1, column: 1}
		for s.pos < len(s.src) {
			s.next()
		}
		return s.tokens
	})}
}

type scanner struct {
	src          string
	pos          int
	line, column int
	tokens       []token
}

func (s *scanner) advance(n int) {
	for range n {
		if s.pos >= len(s.src) {
			return
		}
		r, size := utf8.DecodeRuneInString(s.src[s.pos:])
		if r == '\n' {
			s.line, s.column = s.line+1, 1
		} else {
			s.column++
		}
		s.pos += size
	}
}

func (s *scanner) next() {
	rest := s.src[s.pos:]
	switch c := rest[0]; {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.advance(1)
	case strings.HasPrefix(rest, "//"):
		s.skipTo("\n")
	case strings.HasPrefix(rest, "/*"):
		s.advance(2)
		s.skipTo("*/")
	case c == '"' || c == '\'' || c == '`':
		s.quote(c)
	case wordByte(c):
		s.word()
	default:
		s.tokens = append(s.tokens, token{text: string(c), line: s.line, column: s.column})
		s.advance(1)
	}
}

// skipTo goes past the next occurrence of end, or to the end of the source.
func (s *scanner) skipTo(end string) {
	for s.pos < len(s.src) && !strings.HasPrefix(s.src[s.pos:], end) {
		s.advance(1)
	}
	s.advance(len(end))
}

// quote reads a string literal. One in single or double quotes ends with its
// line, so that a quote in a regular expression spoils no more than that.
func (s *scanner) quote(q byte) {
	t := token{quoted: true, line: s.line, column: s.column}
	s.advance(1)
	var b strings.Builder
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if c == q || c == '\n' && q != '`' {
			break
		}
		if c == '\\' && s.pos+1 < len(s.src) {
			s.advance(1)
		}
		from := s.pos
		s.advance(1)
		b.WriteString(s.src[from:s.pos])
	}
	s.advance(1)
	t.text = b.String()
	s.tokens = append(s.tokens, t)
}

func (s *scanner) word() {
	t := token{word: true, line: s.line, column: s.column}
	from := s.pos
	for s.pos < len(s.src) && wordByte(s.src[s.pos]) {
		s.advance(1)
	}
	t.text = s.src[from:s.pos]
	s.tokens = append(s.tokens, t)
}

func wordByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// find follows path, a list of property names, each looked for after the one
// before, and gives the place of the last that it finds. Where value isn't "",
// the place of the first string literal equal to value after it is preferred.
func (t *text) find(path []string, value string) place {
	if t == nil {
		return place{}
	}
	at, found, tokens := 0, -1, t.tokens()
	for _, key := range path {
		i := t.property(at, key)
		if i < 0 {
			break
		}
		found, at = i, i+1
	}
	if value != "" {
		for i := at; i < len(tokens); i++ {
			if tokens[i].quoted && tokens[i].text == value {
				return tokens[i].place()
			}
		}
	}
	if found >= 0 {
		return tokens[found].place()
	}
	return t.definition()
}

func (t token) place() place { return place{t.line, t.column} }

// property is the index of the first token after from that writes the property
// key: followed by a colon, a comma or closing brace (shorthand) or a
// parenthesis (method).
func (t *text) property(from int, key string) int {
	tokens := t.tokens()
	for i := from; i < len(tokens)-1; i++ {
		k := tokens[i]
		if k.text != key || !k.word && !k.quoted {
			continue
		}
		next := tokens[i+1].text
		shorthand := i > 0 && (tokens[i-1].text == "{" || tokens[i-1].text == ",")
		if next == ":" || k.word && shorthand && (next == "," || next == "}" || next == "(") {
			return i
		}
	}
	return -1
}

// definition is the place of the default export, else of the first line.
func (t *text) definition() place {
	tokens := t.tokens()
	for i := 0; i+1 < len(tokens); i++ {
		if tokens[i].text == "export" && tokens[i+1].text == "default" {
			return tokens[i].place()
		}
	}
	return place{1, 1}
}
