package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func plainMarkdown(src string, width int) string {
	lines := newMarkdown(newStyles(true, true)).render(clean(src), width)
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

func TestMarkdownBlocks(t *testing.T) {
	cases := map[string]struct {
		src   string
		width int
		want  string
	}{
		"heading":          {"## Two words", 40, "Two words"},
		"breaks stay":      {"one\ntwo", 40, "one\ntwo"},
		"short lines stay": {"The quick brown fox jumps over the lazy dog, and then it\nruns away.", 80, "The quick brown fox jumps over the lazy dog, and then it\nruns away."},
		"wrapped join":     {"The quick brown fox jumps over the lazy dog, and then it runs far\naway.", 80, "The quick brown fox jumps over the lazy dog, and then it runs far away."},
		"tight list":       {"- a\n- b", 40, "• a\n• b"},
		"loose list":       {"- a\n\n- b", 40, "• a\n\n• b"},
		"numbers align":    {"9. a\n10. b", 40, " 9. a\n10. b"},
		"nested":           {"- a\n  - b\n    - c", 40, "• a\n  ◦ b\n    ▪ c"},
		"hanging":          {"- alpha beta gamma", 10, "• alpha\n  beta\n  gamma"},
		"tasks":            {"- [x] a\n- [ ] b", 40, "[x] a\n[ ] b"},
		"quote":            {"> a\n> b", 40, "▎ a\n▎ b"},
		"fence":            {"```go\nif x {\n\ty()\n}\n```", 40, "│ if x {\n│     y()\n│ }"},
		"fence wraps":      {"```\nabcdefgh\n```", 6, "│ abcd\n╎ efgh"},
		"open fence":       {"```\nabc", 40, "│ abc"},
		"indented code":    {"    code\n    more", 40, "│ code\n│ more"},
		"rule":             {"a\n\n---\n\nb", 5, "a\n\n─────\n\nb"},
		"link":             {"[page](https://e.org/x)", 60, "page (https://e.org/x)"},
		"bare link":        {"https://e.org", 60, "https://e.org"},
		"hidden target":    {"[https://good.org](https://evil.org)", 60, "https://good.org (https://evil.org)"},
		"image":            {"![alt](i.png)", 60, "[image: alt] (i.png)"},
		"entities":         {"a &amp; b &lt;c&gt; \\*d\\*", 60, "a & b <c> *d*"},
		"html":             {"<b>x</b>", 60, "<b>x</b>"},
		"html block":       {"<div>\nx\n</div>", 60, "<div>\nx\n</div>"},
		"inline":           {"**b** *i* `c` ~~s~~", 60, "b i c s"},
		"empty":            {"", 60, ""},
	}
	for name, c := range cases {
		if got := plainMarkdown(c.src, c.width); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}

func TestMarkdownTables(t *testing.T) {
	src := "| Name | Count | Note |\n|:-----|------:|:----:|\n| a | 1 | **bold** note |\n| 幅の広い | 12345 | x |\n| short |"
	cases := map[int]string{
		60: "Name     │ Count │   Note\n" +
			"─────────┼───────┼──────────\n" +
			"a        │     1 │ bold note\n" +
			"幅の広い │ 12345 │     x\n" +
			"short    │       │",
		24: "Name   │ Count │  Note\n" +
			"───────┼───────┼────────\n" +
			"a      │     1 │  bold\n" +
			"       │       │  note\n" +
			"幅の広 │ 12345 │    x\n" +
			"い     │       │\n" +
			"short  │       │",
		14: "Name: a\nCount: 1\nNote: bold\nnote\n────────────\nName: 幅の広い\nCount: 12345\nNote: x\n────────────\nName: short\nCount:\nNote:",
	}
	for width, want := range cases {
		if got := plainMarkdown(src, width); got != want {
			t.Errorf("width %d:\n%s\nwant:\n%s", width, got, want)
		}
	}
}

// No width makes a line that is too long, and no character reference smuggles a
// control character in.
func TestMarkdownFitsAndIsSafe(t *testing.T) {
	src := sampleMarkdown + "\n\n&#27;[31m &#x9b;31m &#7; `&#27;`\n\n| a | b | c | d | e | f |\n|-|-|-|-|-|-|\n| 1 | 2 | 3 | 4 | 5 | 6 |\n\n> - > 1. deep\n"
	m := newMarkdown(newStyles(true, true))
	for width := 8; width < 130; width++ {
		for _, l := range m.render(clean(src), width) {
			if w := ansi.StringWidth(l); w > width {
				t.Fatalf("width %d: %d cells: %q", width, w, ansi.Strip(l))
			}
			for _, r := range ansi.Strip(l) {
				if r < 0x20 || r >= 0x7f && r < 0xa0 {
					t.Fatalf("control character %q in %q", r, l)
				}
			}
		}
	}
}

// What streams in ends as what the whole would be, and each step only lays out
// what is behind the last finished block.
func TestStreamingEndsAsTheWhole(t *testing.T) {
	tr := newTranscript(newStyles(true, true))
	tr.setSize(70, 20)
	s := &stream{id: "m"}
	e := &entry{key: "m", kind: entryStream, stream: s}
	for at := 0; at < len(sampleMarkdown); {
		n := min(7, len(sampleMarkdown)-at)
		for at+n < len(sampleMarkdown) && sampleMarkdown[at+n]&0xc0 == 0x80 {
			n++
		}
		s.addText(at, sampleMarkdown[at:at+n])
		at += n
		tr.layoutStream(e)
	}
	whole := &entry{key: "m", kind: entryAnswer, text: clean(sampleMarkdown)}
	got, want := strings.Join(tr.layoutStream(e), "\n"), strings.Join(tr.layout(whole), "\n")
	if got != want {
		t.Errorf("streamed:\n%s\nwhole:\n%s", ansi.Strip(got), ansi.Strip(want))
	}
	if s.done < len(s.text.clean)*3/4 {
		t.Errorf("only %d of %d bytes were settled", s.done, len(s.text.clean))
	}
}

func TestSafeBreak(t *testing.T) {
	cases := map[string]string{
		"a\n\nb":                  "", // an unfinished line can become a list item
		"a\n\nb\n":                "a\n\n",
		"a\n\n  b\n":              "",
		"- a\n\n- b\n":            "",
		"- a\n\nb\n":              "- a\n\n",
		"```\na\n\nb\n":           "",
		"```\na\n\nb\n```\n\nc\n": "```\na\n\nb\n```\n\n",
		"a ```x``` b\n\nc\n":      "a ```x``` b\n\n",
		"```x``` b\n\nc\n":        "```x``` b\n\n",
		"1. a\n\n2. b\n\nc\n":     "1. a\n\n2. b\n\n",
	}
	for in, want := range cases {
		if got := in[:safeBreak(in, 0)]; got != want {
			t.Errorf("safeBreak(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestDeltasJoinByOffset(t *testing.T) {
	var s streamText
	s.add(0, "abc")
	s.add(3, "def")
	s.add(3, "def") // again
	if s.clean != "abcdef" {
		t.Errorf("got %q", s.clean)
	}
	s.add(10, "x") // some were dropped
	if s.clean != "abcdef…x" {
		t.Errorf("got %q", s.clean)
	}
	s.add(11, "\x1b[3")
	s.add(14, "1my")
	if s.clean != "abcdef…xy" {
		t.Errorf("an escape sequence in two pieces came through: %q", s.clean)
	}
	if !s.add(0, "new") || s.clean != "new" {
		t.Errorf("a new attempt didn't begin anew: %q", s.clean)
	}
}
