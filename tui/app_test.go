package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// inBubble runs f with time that passes at once.
func inBubble(t *testing.T, f func(t *testing.T)) { t.Helper(); synctest.Test(t, f) }

func longFake(n int) *fake {
	f := newFake()
	f.thread("long", "tour", "Long", 0)
	for i := range n {
		f.add("long", said(engine.RoleUser, fmt.Sprintf("question %d", i)))
		f.add("long", said(engine.RoleAssistant, fmt.Sprintf("answer %d\nof two lines", i)))
	}
	return f
}

// arrive commits an answer and tells of it.
func (d *driver) arrive(id engine.ThreadID, text string) {
	d.f.add(id, said(engine.RoleAssistant, text))
	d.events(engine.Event{Type: engine.EventModelCompleted, ThreadID: id})
}

func conversationLines(d *driver) string {
	lines := strings.Split(d.frame(), "\n")
	return strings.Join(lines[d.layout.header:d.layout.header+d.layout.transcript], "\n")
}

func TestWhatArrivesBelowDoesNotMoveTheReader(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, longFake(40), Options{}, 80, 24)
		d.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		before := conversationLines(d)
		d.arrive("long", "something new")
		d.events(delta("long", "m9", 0, "and it streams\n\nin two blocks"))
		if after := conversationLines(d); after != before {
			t.Errorf("the view moved:\n%s\nwas:\n%s", after, before)
		}
		if !strings.Contains(d.frame(), "↓ 1 new message") {
			t.Errorf("nothing tells of the new message:\n%s", d.frame())
		}
		d.press("ctrl+end")
		if !strings.Contains(conversationLines(d), "in two blocks") || strings.Contains(d.frame(), "↓") {
			t.Errorf("the end isn't followed:\n%s", d.frame())
		}
	})
}

func TestTheEndIsFollowed(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, longFake(40), Options{}, 80, 24)
		d.arrive("long", "the newest")
		if !strings.Contains(conversationLines(d), "the newest") {
			t.Errorf("not in view:\n%s", d.frame())
		}
		d.press("pgup", "pgup", "pgdown", "pgdown", "pgdown")
		d.arrive("long", "newer still")
		if !strings.Contains(conversationLines(d), "newer still") {
			t.Errorf("scrolling back to the end doesn't follow it:\n%s", d.frame())
		}
	})
}

func TestOlderMessagesComeByPages(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, longFake(500), Options{}, 80, 24)
		if n := len(d.transcript.messages); n != pageSize {
			t.Fatalf("%d messages were read to open a thread", n)
		}
		d.press("ctrl+home")
		if n := len(d.transcript.messages); n != 2*pageSize {
			t.Fatalf("%d messages after going to the top", n)
		}
		if got := conversationLines(d); !strings.Contains(got, "question 450") {
			t.Errorf("the older page moved the view:\n%s", got)
		}
		for range 200 {
			d.press("pgup")
		}
		if got := conversationLines(d); !strings.Contains(got, "question 0\n") || len(d.transcript.messages) != 1000 {
			t.Errorf("the start isn't reached, %d messages:\n%s", len(d.transcript.messages), got)
		}
	})
}

func TestResizeKeepsThePlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, longFake(40), Options{}, 80, 24)
		d.press("pgup", "pgup")
		top := d.transcript.view.top
		for _, w := range []int{40, 120, 31, 80} {
			d.send(tea.WindowSizeMsg{Width: w, Height: 24})
			if d.transcript.view.top != top {
				t.Errorf("width %d moved the view", w)
			}
		}
	})
}

func TestSendShowsAtOnceAndOnlyOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFake()
		d := drive(t, f, Options{Agent: "tour"}, 80, 24)
		d.write("hello there")
		_, cmd := d.app.Update(keyNamed(t, "enter"))
		if !strings.Contains(conversationLines(d), "▌ hello there") {
			t.Errorf("not shown before it is stored:\n%s", d.frame())
		}
		d.do(cmd)
		if n := strings.Count(d.frame(), "▌ hello there"); n != 1 {
			t.Errorf("shown %d times while it waits:\n%s", n, d.frame())
		}
		q := f.queue[d.id][0]
		f.queue[d.id] = nil
		f.add(d.id, *q.Message)
		d.events(engine.Event{Type: engine.EventTurnStarted, ThreadID: d.id})
		if n := strings.Count(d.frame(), "▌ hello there"); n != 1 || len(d.echoes) != 0 {
			t.Errorf("shown %d times once it is stored:\n%s", n, d.frame())
		}
	})
}

// Messages are submitted one after another, whatever order commands run in.
func TestMessagesStayInOrder(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, runningFake(), Options{Thread: "run"}, 80, 24)
		d.write("one")
		_, first := d.app.Update(keyNamed(t, "enter"))
		d.write("two")
		_, second := d.app.Update(keyNamed(t, "enter"))
		d.do(second)
		d.do(first)
		q := d.f.queue["run"]
		if len(q) != 2 || q[0].Message.Text() != "one" || q[1].Message.Text() != "two" {
			t.Errorf("queued %+v", q)
		}
	})
}

func TestAFailedSendGivesTheTextBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, newFake(), Options{Agent: "tour"}, 80, 24)
		d.write("precious words")
		_, _ = d.app.Update(keyNamed(t, "enter"))
		d.send(submittedMsg{gen: d.gen, turn: "turn1", err: engine.Errorf(engine.CodeLimit, "submit", "the queue is full")})
		if d.composer.text != "precious words" || !strings.Contains(d.frame(), "the queue is full") {
			t.Errorf("lost:\n%s", d.frame())
		}
	})
}

func TestQueueKeys(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, runningFake(), Options{Thread: "run"}, 80, 24)
		changed := engine.Event{Type: engine.EventQueueChanged, ThreadID: "run"}
		d.say("one")
		d.say("two")
		d.events(changed)
		d.press("tab", "down", "p")
		d.events(changed)
		if q := d.f.queue["run"]; len(q) != 2 || q[0].Message.Text() != "two" {
			t.Fatalf("not promoted: %+v", q)
		}
		d.press("d")
		d.events(changed)
		if q := d.f.queue["run"]; len(q) != 1 || q[0].Message.Text() != "one" {
			t.Fatalf("not removed: %+v", q)
		}
		d.press("d")
		if d.focus != focusComposer {
			t.Errorf("an empty queue keeps the keys")
		}
	})
}

func TestEscapeInterruptsAndSaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := runningFake()
		stop := make(chan struct{})
		f.interrupted["run"] = stop
		d := drive(t, f, Options{Thread: "run"}, 80, 24)
		_, cmd := d.app.Update(keyNamed(t, "esc"))
		if !strings.Contains(d.frame(), "interrupting…") {
			t.Errorf("not said at once:\n%s", d.frame())
		}
		d.do(cmd)
		select {
		case <-stop:
		default:
			t.Error("the turn wasn't interrupted")
		}
		f.threads["run"].Status, f.threads["run"].LastOutcome = engine.ThreadIdle, engine.TurnCancelled
		d.events(engine.Event{Type: engine.EventTurnCompleted, ThreadID: "run"})
		if got := d.frame(); strings.Contains(got, "interrupting") || !strings.Contains(got, "Interrupted.") {
			t.Errorf("the end isn't shown:\n%s", got)
		}
	})
}

func TestControlCClearsThenLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, newFake(), Options{Agent: "tour"}, 80, 24)
		d.write("draft")
		if _, cmd := d.app.Update(keyNamed(t, "ctrl+c")); cmd != nil || !d.composer.empty() {
			t.Error("the input wasn't cleared")
		}
		if !strings.Contains(d.frame(), "ctrl+c again leaves") {
			t.Errorf("it isn't said how to leave:\n%s", d.frame())
		}
		_, cmd := d.app.Update(keyNamed(t, "ctrl+c"))
		if cmd == nil || cmd() != tea.Quit() {
			t.Error("ctrl+c with an empty input doesn't leave")
		}
	})
}

func TestToolCallOpensByKeyAndClick(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := demo(fixed)
		f.outputs["sha256:1"] = "the whole of it"
		f.messages["main"][2].OutputRef = "sha256:1"
		d := drive(t, f, Options{Thread: "main"}, 80, 40)
		d.press("ctrl+home", "tab", "up", "enter")
		if !strings.Contains(d.frame(), "the whole of it") {
			t.Errorf("the call didn't open, or not with its whole result:\n%s", d.frame())
		}
		d.press("enter")
		if strings.Contains(d.frame(), "the whole of it") {
			t.Errorf("it didn't fold:\n%s", d.frame())
		}
		for y, l := range strings.Split(d.frame(), "\n") {
			if strings.Contains(l, "▸ thought") {
				d.send(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})
			}
		}
		if !strings.Contains(d.frame(), "cheapest way to") {
			t.Errorf("the click didn't open the reasoning:\n%s", d.frame())
		}
	})
}

func TestHostileTextStaysText(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := newFake()
		th := f.thread("evil", "tour", "t\x1b]0;owned\x07itle\x1b[2J", 0)
		th.LastOutcome, th.LastError, th.Model = engine.TurnFailed, "boom\x1b[2J", "m\x1b[2J"
		f.add("evil", said(engine.RoleUser, "\x1b]52;c;ZXZpbA==\x07user"))
		m := said(engine.RoleAssistant, "\x1b[2Jmodel [l](https://e.org/\x1b]8;;x) <a\x1b[2J>")
		m.Reasoning = "\x1b[2Jr"
		m.ToolCalls = []engine.ToolCall{{ID: "c", Name: "n\x1b[2J", Arguments: `{"k":"v\u001b[2J"}`}}
		f.add("evil", m)
		f.result("evil", "c", engine.ToolError, "\x1b[2Jfailed", 0)
		d := drive(t, f, Options{}, 120, 40)
		d.press("ctrl+o")
		content := d.app.View().Content
		for _, bad := range []string{"[2J", "]0;owned", "]52;"} {
			if strings.Contains(content, "\x1b"+bad) {
				t.Errorf("%q came through", bad)
			}
		}
		if title := d.app.View().WindowTitle; strings.ContainsAny(title, "\x1b\x07") {
			t.Errorf("the window title is %q", title)
		}
	})
}

func TestEventsOfOtherThreadsUpdateTheList(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, demo(fixed), Options{Thread: "main"}, 120, 40)
		d.f.threads["run"].Status = engine.ThreadIdle
		d.f.thread("new", "tour", "A new one", 0)
		d.events(engine.Event{Type: engine.EventTurnCompleted, ThreadID: "run"}, engine.Event{Type: engine.EventThreadStarted, ThreadID: "new"})
		got := d.frame()
		if !strings.Contains(got, "A new one") || !d.threads.unread["run"] || !strings.Contains(got, "•") {
			t.Errorf("the list isn't current:\n%s", got)
		}
	})
}

func TestSelectionShowsWithoutColour(t *testing.T) {
	s := newStyles(true, false)
	if got := s.highlight("x", 3); !strings.Contains(got, "\x1b[7m") || ansi.Strip(got) != "x  " {
		t.Errorf("got %q", got)
	}
}

// An edit that breaks a definition is said with the next events: the last good
// one goes on meanwhile, so nothing else would tell.
func TestABrokenEditIsSaid(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, longFake(1), Options{}, 80, 24)
		broken := *d.f.defs
		broken.Problems = append(broken.Problems[:len(broken.Problems):len(broken.Problems)], engine.Problem{Severity: engine.SeverityError, File: "agents/tools/hop.ts", Message: "Unexpected end of file"})
		d.send(eventsMsg{defs: &broken, at: epoch})
		if !strings.Contains(d.frame(), "hop.ts: Unexpected end of file") {
			t.Error(d.frame())
		}
		d.write("x")
		d.send(eventsMsg{defs: &broken, at: epoch})
		if strings.Contains(d.frame(), "hop.ts") {
			t.Error("it is said again")
		}
	})
}
