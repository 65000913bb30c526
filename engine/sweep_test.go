package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sideb-dev/sideb/engine"
)

// outcome is what a scenario comes to, whatever happened on the way.
type outcome struct {
	messages []engine.Message
	turns    []engine.TurnRead
	values   map[string]string
	commits  int
	ran      map[string]int
}

// play runs a scenario's directives, with a crash at a commit where at isn't 0.
func play(t *testing.T, s *scenario, at int, after bool) outcome {
	var o outcome
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, s, at, after)
		defer w.stop()
		for _, l := range s.lines {
			if l.directive != nil {
				w.run(l.directive)
			}
		}
		w.check()
		o = outcome{messages: w.everyMessage(), turns: w.turns(), values: map[string]string{},
			commits: w.commits + w.store.commits, ran: w.ran}
		for _, key := range w.keys() {
			v, err := w.store.Value(t.Context(), w.thread, key)
			if err != nil {
				t.Fatal(err)
			}
			o.values[key] = string(v)
		}
	})
	return o
}

// everyMessage lists the messages of all threads, thread by thread.
func (w *world) everyMessage() []engine.Message {
	var all []engine.Message
	for _, n := range w.tree() {
		w.thread = n.rec.ID
		all = append(all, w.messages()...)
	}
	w.thread = w.root
	return all
}

// keys lists the keys that the scenario's tools set.
func (w *world) keys() []string {
	var keys []string
	for _, lines := range w.s.does {
		for _, l := range lines {
			for _, p := range l {
				if p[0] == "set" {
					keys = append(keys, p[1])
				}
			}
		}
	}
	return keys
}

// TestInvariant5CrashSweep runs every sweepable scenario with a crash right
// before and right after each of its commits: nothing that was acknowledged is
// lost, nothing runs twice, and the end is that of the run without a crash, up to
// the results that honestly say "interrupted".
func TestInvariant5CrashSweep(t *testing.T) {
	eachScenario(t, func(t *testing.T, _ string, s *scenario) {
		if !s.sweep {
			t.Skip("not sweepable")
		}
		t.Parallel()
		clean := play(t, s, 0, false)
		for at := 1 + len(s.name)%sweepStride; at <= clean.commits; at += sweepStride {
			for _, after := range []bool{false, true} {
				when := "before"
				if after {
					when = "after"
				}
				t.Run(fmt.Sprintf("%s_%d", when, at), func(t *testing.T) {
					t.Parallel()
					compare(t, s, play(t, s, at, after), clean)
				})
			}
		}
	})
}

const lostMark = "interrupted, outcome unknown"

func compare(t *testing.T, s *scenario, got, clean outcome) {
	t.Helper()
	for call, n := range got.ran {
		name, _, _ := strings.Cut(call, " ")
		if n > max(clean.ran[call], 1) && !s.retried(name) {
			t.Errorf("%s ran %d times, not %d", call, n, clean.ran[call])
		}
	}
	if s.loosely {
		return
	}
	lost := false
	if len(got.messages) != len(clean.messages) {
		t.Errorf("%d messages, not %d:\n%s", len(got.messages), len(clean.messages), transcript(got.messages))
		return
	}
	for i := range got.messages {
		g, c := anonymous(printMessage(&got.messages[i])), anonymous(printMessage(&clean.messages[i]))
		if strings.Contains(g, lostMark) && got.messages[i].Role == engine.RoleTool {
			lost = true
			continue
		}
		if g != c {
			t.Errorf("message %d is %s, not %s", i, g, c)
		}
	}
	compareTurns(t, got.turns, clean.turns)
	for key, v := range clean.values {
		if g := got.values[key]; g != v && (g != "null" && g != "" || !lost) {
			t.Errorf("the value of %s is %s, not %s", key, g, v)
		}
	}
}

// anonymous hides ids, which differ from run to run.
func anonymous(s string) string {
	return idPattern.ReplaceAllString(filePath.ReplaceAllString(s, "-*$1"), "id")
}

func compareTurns(t *testing.T, got, clean []engine.TurnRead) {
	t.Helper()
	if len(got) != len(clean) {
		t.Fatalf("%d turns, not %d", len(got), len(clean))
	}
	for i := range got {
		g, c := &got[i], &clean[i]
		if anonymous(string(g.TurnID)) != anonymous(string(c.TurnID)) || g.Status != c.Status || g.StopReason != c.StopReason || g.Steps != c.Steps || g.Error != c.Error {
			t.Errorf("turn %d is %s, not %s", i, printTurn(g), printTurn(c))
		}
	}
}

// retried says whether a tool's entry asks for it to be run again.
func (s *scenario) retried(tool string) bool {
	for _, p := range s.defs.Prompts {
		for i := range p.Tools {
			if p.Tools[i].Name == tool && p.Tools[i].RetryOnCrash() {
				return true
			}
		}
	}
	return false
}

func transcript(messages []engine.Message) string {
	var b strings.Builder
	for i := range messages {
		b.WriteString(printMessage(&messages[i]) + "\n")
	}
	return b.String()
}
