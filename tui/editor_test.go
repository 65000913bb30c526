package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func testComposer(width int) *composer {
	c := newComposer(newKeys(), newStyles(true, true))
	c.setSize(width, 5)
	return &c
}

func TestEditing(t *testing.T) {
	cases := []struct {
		start string
		keys  []string
		want  string
	}{
		{"hello", []string{"left", "backspace"}, "helo"},
		{"one two", []string{"ctrl+w"}, "one "},
		{"one two", []string{"home", "alt+d"}, " two"},
		{"a👩‍👩‍👧b", []string{"left", "backspace"}, "ab"},
		{"é e\u0301", []string{"backspace"}, "é "},
		{"ab\ncd", []string{"home", "backspace"}, "abcd"},
		{"ab\ncd", []string{"up", "end", "ctrl+k"}, "abcd"},
		{"ab\ncd", []string{"ctrl+u"}, "ab\n"},
		{"ab", []string{"ctrl+j", "x"}, "ab\nx"},
		{"ab", []string{"alt+enter", "x"}, "ab\nx"},
		{"ab", []string{"shift+enter", "x"}, "ab\nx"},
		{"one two", []string{"alt+left", "X"}, "one Xtwo"},
	}
	for _, c := range cases {
		e := testComposer(20)
		e.set(c.start)
		for _, k := range c.keys {
			e.onKey(keyNamed(t, k))
		}
		if e.text != c.want {
			t.Errorf("%q %v = %q, want %q", c.start, c.keys, e.text, c.want)
		}
	}
}

func TestRowsWrapAtWordsAndPlaceTheCursor(t *testing.T) {
	e := newEditor()
	e.set("one two three\nfour")
	rows := e.rows(8)
	var got []string
	for _, r := range rows {
		got = append(got, e.text[r.start:r.end])
	}
	if strings.Join(got, "|") != "one two |three|four" {
		t.Errorf("rows %q", got)
	}
	e.moveTo(8)
	if y, x := e.place(rows); y != 1 || x != 0 {
		t.Errorf("cursor at %d,%d, want the start of the second row", x, y)
	}
	e.moveTo(len(e.text))
	if !e.vertical(-1, 8) || e.at != 12 {
		t.Errorf("up goes to %d", e.at)
	}
}

func TestHistoryIsAtTheEdges(t *testing.T) {
	c := testComposer(40)
	c.setHistory([]string{"first", "second"})
	c.set("draft")
	for _, want := range []string{"second", "first", "first"} {
		c.onKey(keyNamed(t, "up"))
		if c.text != want {
			t.Fatalf("up gives %q, want %q", c.text, want)
		}
	}
	for _, want := range []string{"second", "draft"} {
		c.onKey(keyNamed(t, "down"))
		if c.text != want {
			t.Fatalf("down gives %q, want %q", c.text, want)
		}
	}
}

func TestCompletion(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, newFake(), Options{Agent: "tour"}, 80, 24)
		d.write("/ne")
		d.press("tab")
		if d.composer.text != "/new " {
			t.Fatalf("completed to %q", d.composer.text)
		}
		d.write("pa")
		d.press("enter")
		if d.agent != "pair" {
			t.Errorf("the new thread is with %q", d.agent)
		}
		d.write("/nothing")
		d.press("enter")
		if !strings.Contains(d.frame(), "there is no command /nothing") {
			t.Errorf("an unknown command isn't said:\n%s", d.frame())
		}
	})
}

func TestAPasteIsWhole(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, newFake(), Options{Agent: "tour"}, 80, 24)
		text := strings.Repeat("a line of a paste\n", 5000)
		d.send(tea.PasteMsg{Content: text})
		if d.composer.text != text {
			t.Errorf("%d of %d bytes came in", len(d.composer.text), len(text))
		}
		d.fits(80, 24)
	})
}
