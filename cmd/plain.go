package cmd

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// plain is text that a terminal may be shown: what models, tools and projects say
// moves no cursor, names no window and fills no clipboard there. Line breaks and
// tabs stay; escape sequences, other control characters and direction overrides
// don't.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, ansi.Strip(s))
}
