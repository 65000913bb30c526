package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCleanLetsNoControlThrough(t *testing.T) {
	cases := map[string]string{
		"plain\ntext":                          "plain\ntext",
		"a\tb":                                 "a   b",
		"x\r\ny\rz":                            "x\ny\nz",
		"\x1b[31mred\x1b[0m":                   "red",
		"\x1b]0;title\x07after":                "after",
		"\x1b]52;c;ZXZpbA==\x1b\\after":        "after",
		"\x1bP1;2|dcs\x1b\\after":              "after",
		"\u009b31mc1":                          "31mc1", // without its control character it is text
		"bell\x07back\x08del\x7f":              "bellbackdel",
		"abc\u202etxt.exe\u202c":               "abctxt.exe",
		"lone \x1b":                            "lone ",
		"emoji 👩‍👩‍👧 stays":                    "emoji 👩‍👩‍👧 stays",
		"\ufeffmark":                           "mark",
		"\x1b[2J\x1b[H\x1b[?1049lleft the alt": "left the alt",
	}
	for in, want := range cases {
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred")
	f.Add("a\x1b\x1b]8;;x\x07")
	f.Add("\xff\x9b31m")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range clean(s) {
			if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0) {
				t.Fatalf("clean(%q) has %q", s, r)
			}
		}
	})
}

func TestWrapKeepsWithinWidth(t *testing.T) {
	text := "The quick brown fox jumps over averyveryverylongwordindeed and 幅の広い文字が続いています 👩‍👩‍👧👩‍👩‍👧 done\n\n  indented"
	for width := 1; width < 60; width++ {
		lines := wrapText(text, "", width)
		for _, l := range lines {
			if w := ansi.StringWidth(l); w > max(width, 2) {
				t.Errorf("width %d: %q is %d cells", width, l, w)
			}
		}
		joined := strings.Join(lines, "")
		for _, word := range []string{"quick", "done"} {
			if width > 5 && !strings.Contains(joined, word) {
				t.Errorf("width %d lost %q", width, word)
			}
		}
	}
}

func TestWrapBreaks(t *testing.T) {
	cases := []struct {
		in    string
		width int
		want  []string
	}{
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 20, []string{"one  two"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"  keeps indent", 20, []string{"  keeps indent"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"xx abcdefgh", 4, []string{"xx", "abcd", "efgh"}},
		{"幅の広い", 5, []string{"幅の", "広い"}},
		{"", 5, []string{""}},
	}
	for _, c := range cases {
		if got := wrapText(c.in, "", c.width); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}
