package cmd

import "testing"

func TestPlainLeavesNothingToATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"one\ntwo\tthree":              "one\ntwo\tthree",
		"a\x1b[2Jb\x1b]52;c;ZQ==\x07c": "abc",
		"a\u009b31mb":                  "a31mb",
		"shown\rhid\b\b\x7f\x00":       "shownhid",
		"a\u202eb\u2066c":              "abc",
		"naïve 日本 \U0001F600":          "naïve 日本 \U0001F600",
	} {
		if got := plain(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
		if got := oneLine(in, 80); got != oneLine(want, 80) {
			t.Errorf("%q on one line: %q", in, got)
		}
	}
}
