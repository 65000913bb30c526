package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// child adds a thread below parent.
func (f *fake) child(id, parent engine.ThreadID, agent, name string, ago time.Duration) *engine.ThreadRead {
	t := f.thread(id, agent, "", ago)
	t.ParentThreadID, t.SessionID, t.Name = parent, f.threads[parent].SessionID, name
	return t
}

// studioFake is a tree at work, beside a few threads at rest.
func studioFake() *fake {
	f := demo(fixed)
	delete(f.threads, "run")
	root := f.thread("studio", "studio", "Write about the sea", 90*time.Second)
	root.Status, root.Doing, root.Side, root.Step = engine.ThreadBlocked, "child:pair1", engine.SideA, 3
	root.UpdatedAt, root.Since = engine.MicrosOf(epoch), engine.MicrosOf(epoch.Add(-12*time.Second))
	root.Usage.TotalTokens, root.Cost, root.Steps = 2140, new(float64), 3
	*root.Cost = 0.0041
	done := f.child("check", "studio", "fact_checker", "the sea", 80*time.Second)
	done.Status, done.LastOutcome, done.LastStop, done.Usage.TotalTokens = engine.ThreadCompleted, engine.TurnCompleted, engine.StopSession, 410
	bad := f.child("find", "studio", "researcher", "the sea", 70*time.Second)
	bad.Status, bad.LastOutcome, bad.LastError = engine.ThreadFailed, engine.TurnFailed, "openai answered 401 (auth_error): check OPENAI_API_KEY"
	w := f.child("pair1", "studio", "pair", "the sea", 30*time.Second)
	w.Status, w.Doing, w.Side, w.Step, w.StatusText, w.QueueLength = engine.ThreadRunning, "model", engine.SideB, 4, "second draft", 2
	w.Usage.TotalTokens, w.Cost, w.Steps, w.Model = 12_431, new(float64), 9, "fast"
	*w.Cost = 0.0312
	w.UpdatedAt, w.Since = engine.MicrosOf(epoch), engine.MicrosOf(epoch.Add(-4*time.Second))
	deep := f.child("deep", "pair1", "pair", "a verse inside", 10*time.Second)
	deep.Status, deep.Doing, deep.Side, deep.Step = engine.ThreadRunning, "tool:word_count", engine.SideA, 1
	deep.UpdatedAt, deep.Since = engine.MicrosOf(epoch), engine.MicrosOf(epoch.Add(-time.Second))
	for i, text := range []string{"An old silent pond", "The first line is five. Go on."} {
		m := said(engine.RoleAssistant, text)
		m.Side, m.Prompt = engine.SideA, "writer"
		if i%2 == 1 {
			m.Role, m.Side, m.Prompt = engine.RoleUser, engine.SideB, "reviewer"
		}
		f.add("pair1", m)
	}
	return f
}

func watching(t *testing.T, f *fake, o Options, w, h int) *driver {
	o.Watch = true
	return drive(t, f, o, w, h)
}

// change tells the tree that id changed now.
func (d *driver) change(id engine.ThreadID, f func(t *engine.ThreadRead)) {
	t := d.f.threads[id]
	t.UpdatedAt++
	t.Sequence++
	f(t)
	d.events(engine.Event{Type: engine.EventSnapshotUpdated})
}

func (d *driver) rowsText() []string {
	lines := strings.Split(d.frame(), "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "thread") }) + 1
	return lines[first : first+d.tree.height]
}

func TestTheTreeShowsEveryDepthAndUpdatesInPlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{Thread: "studio"}, 120, 40)
		before := d.rowsText()
		for i, want := range []string{"studio", "fact_checker", "researcher", "pair", "a verse inside"} {
			if !strings.Contains(before[i], want) {
				t.Fatalf("row %d is %q, want %s", i, before[i], want)
			}
		}
		d.change("pair1", func(t *engine.ThreadRead) { t.Side, t.StatusText = engine.SideA, "third draft" })
		after := d.rowsText()
		if !strings.Contains(after[3], "third draft") || !strings.Contains(after[3], "A Writer") {
			t.Errorf("the change isn't shown: %q", after[3])
		}
		after[3] = before[3]
		if !slices.Equal(after, before) {
			t.Errorf("other rows moved:\n%s", strings.Join(after, "\n"))
		}
	})
}

func TestACostIsSummedUpTheTree(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{Thread: "studio"}, 120, 40)
		if s := d.tree.forest.roots[0].sum; s.tokens != 2140+410+12_431 || money(s.cost) != "$0.04" || s.working != 3 || s.threads != 5 {
			t.Errorf("sums are %+v", s)
		}
		d.change("deep", func(t *engine.ThreadRead) { t.Usage.TotalTokens, t.CostUnknown = 1000, true })
		if s := d.tree.forest.roots[0].sum; s.tokens != 15_981 || !s.unknown {
			t.Errorf("sums are %+v", s)
		}
	})
}

func TestAReadOfTheTreeReadsOnlyWhatChanged(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := studioFake()
		for i := range 300 {
			f.child(engine.ThreadID(fmt.Sprintf("c%03d", i)), "studio", "pair", "more", time.Hour)
		}
		d := watching(t, f, Options{Thread: "studio"}, 120, 40)
		if n := len(d.tree.forest.nodes); n != 305 {
			t.Fatalf("%d threads", n)
		}
		f.lists = nil
		d.change("c123", func(t *engine.ThreadRead) { t.UpdatedAt, t.StatusText = engine.MicrosOf(epoch)+5, "moved on" })
		if len(f.lists) != 1 || f.lists[0].Session != "studio" {
			t.Errorf("it took %+v", f.lists)
		}
		if got := d.tree.forest.nodes["c123"].read.StatusText; got != "moved on" {
			t.Errorf("c123 says %q", got)
		}
	})
}

func TestNewThreadsDoNotMoveTheReader(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := studioFake()
		for i := range 60 {
			f.thread(engine.ThreadID(fmt.Sprintf("old%02d", i)), "tour", fmt.Sprintf("Old %d", i), time.Duration(200+i)*time.Hour)
		}
		d := watching(t, f, Options{}, 80, 24)
		for range 12 {
			d.press("down")
		}
		before, selected := d.rowsText(), d.tree.selected
		f.thread("fresh", "tour", "A fresh one", 0).UpdatedAt = engine.MicrosOf(epoch) + 9
		d.events(engine.Event{Type: engine.EventThreadStarted, ThreadID: "fresh", SessionID: "fresh"})
		if d.tree.forest.roots[0].read.ThreadID != "fresh" {
			t.Fatalf("the new tree isn't first")
		}
		if after := d.rowsText(); !slices.Equal(after, before) || d.tree.selected != selected {
			t.Errorf("the view moved:\n%s\nwas:\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
		}
		if !strings.Contains(d.frame(), "↑ 1") {
			t.Errorf("nothing tells of what is above:\n%s", d.frame())
		}
		d.press("home")
		if rows := d.rowsText(); !strings.Contains(strings.Join(rows[:3], "\n"), "A fresh one") && !strings.Contains(rows[0], "studio") {
			t.Errorf("home doesn't show the start:\n%s", strings.Join(rows, "\n"))
		}
	})
}

func TestWhatBeginsToWorkComesFirstWhileNobodyHasMoved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{}, 80, 24)
		if !strings.Contains(d.rowsText()[0], "studio") {
			t.Fatalf("what works isn't first:\n%s", d.frame())
		}
		d.change("bad", func(t *engine.ThreadRead) {
			t.Status, t.UpdatedAt = engine.ThreadRunning, engine.MicrosOf(epoch)+1
		})
		if !strings.Contains(d.rowsText()[0], "Translate to Norwegian") {
			t.Errorf("not first:\n%s", d.frame())
		}
	})
}

func TestFoldFilterAndFind(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{Thread: "studio"}, 80, 24)
		d.press("down", "down", "down", "left")
		if got := d.frame(); strings.Contains(got, "a verse") || !strings.Contains(got, "+1") {
			t.Errorf("not folded:\n%s", got)
		}
		d.press("right")
		if !strings.Contains(d.frame(), "a verse") {
			t.Errorf("not unfolded:\n%s", d.frame())
		}
		d.press("left", "left")
		if d.tree.selected != "studio" {
			t.Errorf("left went to %s", d.tree.selected)
		}
		d.press("/")
		d.write("verse")
		rows := d.rowsText()
		if !strings.Contains(rows[2], "a verse") || strings.TrimSpace(rows[3]) != "" {
			t.Errorf("filtered to:\n%s", strings.Join(rows, "\n"))
		}
		d.press("esc")
		if strings.Contains(d.frame(), "/verse") || !strings.Contains(d.frame(), "researcher") {
			t.Errorf("esc doesn't clear the filter:\n%s", d.frame())
		}
		d.press("ctrl+o")
		if n := len(d.tree.rows); n != 1 {
			t.Errorf("%d rows when all is folded", n)
		}
	})
}

func TestEnterReadsAThreadAndEscComesBackToTheSamePlace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{Thread: "studio"}, 80, 24)
		d.press("down", "down", "down")
		before := d.frame()
		d.press("enter")
		got := d.frame()
		if !strings.Contains(got, "Side A · Writer") || !strings.Contains(got, "Side B · Reviewer") || strings.Contains(got, "›") {
			t.Errorf("not the conversation, or with a composer:\n%s", got)
		}
		d.events(delta("pair1", "m9", 0, "and it streams"))
		if !strings.Contains(d.frame(), "and it streams") {
			t.Errorf("it doesn't stream:\n%s", d.frame())
		}
		d.press("esc")
		if after := d.frame(); after != before {
			t.Errorf("another place:\n%s\nwas:\n%s", after, before)
		}
	})
}

func TestTheTreeOfTheOpenThread(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, studioFake(), Options{Thread: "studio"}, 80, 24)
		d.write("a draft")
		home := d.frame()
		d.press("ctrl+t", "down", "down", "down", "enter")
		if got := d.frame(); !strings.Contains(got, "An old silent pond") || strings.Contains(got, "a draft") {
			t.Errorf("the child isn't open:\n%s", got)
		}
		d.press("esc", "esc")
		if got := d.frame(); got != home {
			t.Errorf("not as it was:\n%s\nwas:\n%s", got, home)
		}
		d.press("ctrl+t", "home", "enter")
		if got := d.frame(); got != home {
			t.Errorf("enter on the open thread:\n%s", got)
		}
	})
}

// What is sent while another thread is looked into is sent all the same.
func TestASubmissionIsConfirmedWhileAnotherThreadIsOpen(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := drive(t, studioFake(), Options{Thread: "studio"}, 80, 24)
		d.write("one")
		_, first := d.app.Update(keyNamed(t, "enter"))
		d.write("two")
		_, second := d.app.Update(keyNamed(t, "enter"))
		d.press("ctrl+t", "down", "down", "down", "enter")
		d.do(first)
		d.do(second)
		d.press("esc", "esc")
		if q := d.f.queue["studio"]; len(q) != 2 || d.sending {
			t.Errorf("queued %+v, sending %v", q, d.sending)
		}
	})
}

func TestTheTreeIsSafeFromHostileNames(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		f := studioFake()
		w := f.threads["pair1"]
		w.Name, w.StatusText, w.Doing, w.Agent, w.Model = "n\x1b[2J", "s\x1b]0;x\x07", "tool:\x1b[2J", "a\x1b[2J", "m\x1b[2J"
		d := watching(t, f, Options{Thread: "studio"}, 120, 40)
		d.press("down", "down", "down")
		if c := d.app.View().Content; strings.Contains(c, "\x1b[2J") || strings.Contains(c, "\x1b]0;") {
			t.Errorf("an escape sequence came through")
		}
	})
}

func TestTheTreeFitsEverySize(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		d := watching(t, studioFake(), Options{}, 80, 24)
		for w := 1; w <= 150; w += 7 {
			for h := 1; h <= 45; h += 4 {
				d.send(tea.WindowSizeMsg{Width: w, Height: h})
				d.fits(w, h)
			}
		}
	})
}

func TestGoldenTree(t *testing.T) {
	cases := []struct {
		name string
		o    Options
		act  func(d *driver)
	}{
		{name: "watch", act: func(*driver) {}},
		{name: "tree", o: Options{Thread: "studio"}, act: func(d *driver) { d.press("down", "down", "down") }},
		{name: "treefilter", o: Options{Thread: "studio"}, act: func(d *driver) { d.press("/"); d.write("pair") }},
		{name: "treehelp", act: func(d *driver) { d.press("f1") }},
		{name: "treeread", o: Options{Thread: "studio"}, act: func(d *driver) { d.press("down", "down", "down", "enter") }},
	}
	for _, c := range cases {
		for size, wh := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}} {
			t.Run(c.name+"/"+size, func(t *testing.T) {
				inBubble(t, func(t *testing.T) {
					d := watching(t, studioFake(), c.o, wh[0], wh[1])
					c.act(d)
					d.golden(c.name + "-" + size)
				})
			})
		}
	}
}

// A window of a tree of 200 threads.
func BenchmarkTree200(b *testing.B) {
	f := studioFake()
	for i := range 200 {
		r := f.child(engine.ThreadID(fmt.Sprintf("c%03d", i)), "studio", "pair", "more of it", time.Hour)
		r.Status, r.Doing, r.Side, r.Since = engine.ThreadRunning, "model", engine.SideA, engine.MicrosOf(epoch)
	}
	a := newApp(b.Context(), Options{Now: fixed, Watch: true})
	a.layout.width, a.layout.height = 120, 40
	a.backend = f
	all, _ := threadsOf(b.Context(), f, "studio")
	a.tree.reset(treeScope{root: "studio"})
	a.tree.shown = true
	for b.Loop() {
		a.tree.put(all)
		a.View()
	}
}
