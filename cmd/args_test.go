package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func definitionsOf(dir string, names ...string) *engine.Definitions {
	d := &engine.Definitions{Dir: dir, Agents: map[string]*engine.Agent{}}
	for _, n := range names {
		d.Agents[n] = &engine.Agent{Name: n}
	}
	return d
}

func TestChooseAgent(t *testing.T) {
	several, one, builtin := definitionsOf("/p", "a", "b"), definitionsOf("/p", "a"), definitionsOf("", "tour", "studio")
	for _, c := range []struct {
		defs           *engine.Definitions
		args           []string
		agent, message string
		err            string
	}{
		{several, []string{"a", "hi"}, "a", "hi", ""},
		{several, []string{"c", "hi"}, "", "", "has: a, b"},
		{several, []string{"hi"}, "", "", "which agent?"},
		{several, []string{"a"}, "", "", "MESSAGE"},
		{one, []string{"hi"}, "a", "hi", ""},
		{one, []string{"a", "-"}, "a", "-", ""},
		{builtin, []string{"hi"}, "tour", "hi", ""},
		{definitionsOf("/p"), []string{"hi"}, "", "", "sideb check"},
	} {
		agent, message, err := chooseAgent(c.defs, c.args)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || exitCode(err) != exitUsage {
				t.Errorf("%v: error %v, want one with %q", c.args, err, c.err)
			}
			continue
		}
		if err != nil || agent != c.agent || message != c.message {
			t.Errorf("%v: %q, %q, %v", c.args, agent, message, err)
		}
	}
}

func TestMessageFromStdin(t *testing.T) {
	for _, c := range []struct{ arg, in, want string }{
		{"hi", "unread", "hi"},
		{"-", "one\ntwo\n", "one\ntwo"},
		{"-", "one\r\n", "one"},
		{"-", "\n", ""},
		{"", "", ""},
	} {
		g := &globals{streams: &streams{In: strings.NewReader(c.in)}}
		got, err := g.message(c.arg)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("message(%q) of %q: %q, %v", c.arg, c.in, got, err)
		}
	}
}

func TestShortIDsTellThreadsApart(t *testing.T) {
	ids := []string{"01890000-0000-7000-a", "01890000-0000-7001-b", "01990000-0000-7000-c", "x"}
	short := shortIDs(ids)
	for i, want := range []string{"01890000-0000-7000", "01890000-0000-7001", "01990000-0000", "x"} {
		if short[ids[i]] != want {
			t.Errorf("%s is shortened to %s, want %s", ids[i], short[ids[i]], want)
		}
	}
}

func TestQueueArguments(t *testing.T) {
	for line, ok := range map[string]bool{
		"":                false,
		"T":               true,
		"T list":          true,
		"T list x":        false,
		"T remove":        false,
		"T remove a b":    true,
		"T promote a":     true,
		"T promote a b":   false,
		"T nonsense":      false,
		"T nonsense item": false,
	} {
		if err := queueArgs(nil, strings.Fields(line)); (err == nil) != ok {
			t.Errorf("queue %s: %v", line, err)
		}
	}
}

func TestProblemLine(t *testing.T) {
	p := engine.Problem{Severity: engine.SeverityError, File: "agents/a.ts", Line: 3, Column: 7, Message: "no such prompt", Hint: "define it"}
	if got, want := problemLine(p), "agents/a.ts:3:7: error: no such prompt (define it)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p = engine.Problem{Severity: engine.SeverityWarning, Message: "odd"}
	if got, want := problemLine(p), "warning: odd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		-time.Second:        "just now",
		30 * time.Second:    "just now",
		90 * time.Second:    "1 min ago",
		3 * time.Hour:       "3 h ago",
		5 * 24 * time.Hour:  "5 days ago",
		90 * 24 * time.Hour: "2026-02-03",
	} {
		if got := ago(now, engine.MicrosOf(now.Add(-d))); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestInitOverwritesNothing(t *testing.T) {
	tree := fstest.MapFS{"agents/agents/a.ts": {Data: []byte("a")}, "agents/prompts/b.ts": {Data: []byte("b")}}
	dir := t.TempDir()
	files, err := writeTemplate(tree, dir)
	if err != nil || len(files) != 2 {
		t.Fatalf("wrote %v, %v", files, err)
	}
	kept := filepath.Join(dir, "agents", "agents", "a.ts")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "agents", "prompts", "b.ts")); err != nil {
		t.Fatal(err)
	}
	if _, err := writeTemplate(tree, dir); err == nil || !strings.Contains(err.Error(), "a.ts") {
		t.Fatalf("the second time: %v", err)
	}
	if text, _ := os.ReadFile(kept); string(text) != "mine" {
		t.Errorf("the file was overwritten with %q", text)
	}
	if _, err := os.Stat(filepath.Join(dir, "agents", "prompts", "b.ts")); err == nil {
		t.Error("a part of the template was written")
	}
}

func TestReadRawLine(t *testing.T) {
	for in, want := range map[string]string{
		"abc\r":            "abc",
		"abc\n":            "abc",
		"ab\x7fc\r":        "ac",
		"\x7fa\r":          "a",
		"aé\x08b\r":        "ab",
		"wrong\x15right\r": "right",
		"abc\x04":          "abc",
	} {
		if got, err := readRawLine(strings.NewReader(in)); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	if _, err := readRawLine(strings.NewReader("abc\x03")); exitCode(err) != exitInterrupted {
		t.Errorf("ctrl+c: %v", err)
	}
}

// An error names a few of the ids that a start fits, however many there are.
func TestAmbiguousNamesAFew(t *testing.T) {
	found := make([]engine.ThreadRead, 200)
	for i := range found {
		found[i].ThreadID = engine.ThreadID("0190-" + strings.Repeat("x", i))
	}
	if got := ambiguous("0190", found).Error(); strings.Count(got, "0190-") != namedMatches || !strings.HasSuffix(got, ", …") {
		t.Error(got)
	}
	if got := ambiguous("0190", found[:2]).Error(); !strings.HasSuffix(got, ": 0190-, 0190-x") {
		t.Error(got)
	}
}
