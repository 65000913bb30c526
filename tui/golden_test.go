package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// frames are the golden screens, each at both sizes.
func TestGoldenFrames(t *testing.T) {
	cases := []struct {
		name string
		f    func() *fake
		o    Options
		act  func(d *driver)
	}{
		{name: "conversation", f: func() *fake { return demo(fixed) }},
		{name: "opened", f: func() *fake { return demo(fixed) }, act: func(d *driver) {
			d.press("ctrl+o", "ctrl+home")
		}},
		{name: "welcome", f: newFake},
		{name: "agents", f: newFake, act: func(d *driver) { d.press("ctrl+n") }},
		{name: "help", f: newFake, act: func(d *driver) { d.press("f1") }},
		{name: "failed", f: func() *fake { return demo(fixed) }, o: Options{Thread: "bad"}},
		{name: "sides", f: func() *fake { return demo(fixed) }, o: Options{Thread: "pair"}},
		{name: "running", f: runningFake, o: Options{Thread: "run"}, act: func(d *driver) {
			d.events(delta("run", "mx", 0, "# Notes\n\nThe first "), delta("run", "mx", 19, "point is"))
			d.write("keep going")
		}},
		{name: "queued", f: runningFake, o: Options{Thread: "run"}, act: func(d *driver) {
			d.say("first in line")
			d.say("second in line")
			d.events(engine.Event{Type: engine.EventQueueChanged, ThreadID: "run"})
			d.press("tab")
		}},
		{name: "commands", f: func() *fake { return demo(fixed) }, act: func(d *driver) { d.write("/") }},
		{name: "threads", f: func() *fake { return demo(fixed) }, act: func(d *driver) {
			d.say("/threads")
			d.write("/trans")
		}},
		{name: "multiline", f: func() *fake { return demo(fixed) }, act: func(d *driver) {
			d.send(tea.PasteMsg{Content: "first line\nsecond\twith a tab and \x1b[31mcolour\x1b[0m\r\nthird 🎉 幅の広い"})
		}},
		{name: "readonly", f: func() *fake { return demo(fixed) }, o: Options{Thread: "main", ReadOnly: true}},
	}
	for _, c := range cases {
		for size, wh := range map[string][2]int{"80x24": {80, 24}, "120x40": {120, 40}} {
			t.Run(c.name+"/"+size, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := drive(t, c.f(), c.o, wh[0], wh[1])
					if c.act != nil {
						c.act(d)
					}
					d.golden(c.name + "-" + size)
				})
			})
		}
	}
}

// runningFake has a thread that calls its second tool.
func runningFake() *fake {
	f := demo(fixed)
	t := f.threads["run"]
	t.ActiveTurns, t.Side, t.Step, t.Model, t.Doing = []engine.TurnID{"turn0"}, engine.SideA, 2, "fast", "tool:search"
	t.UpdatedAt = engine.MicrosOf(epoch)
	f.add("run", said(engine.RoleUser, "Summarise the meeting notes from last week"))
	m := said(engine.RoleAssistant, "")
	m.Content = nil
	m.ToolCalls = []engine.ToolCall{{ID: "r1", Name: "list_dir", Arguments: `{"path":"notes"}`},
		{ID: "r2", Name: "search", Arguments: `{"pattern":"decision|action","path":"notes","limit":50,"context":"three lines of it, please"}`},
		{ID: "r3", Name: "read_file", Arguments: `{"path"`}}
	f.add("run", m)
	f.result("run", "r1", engine.ToolSuccess, "a.md", 5*time.Millisecond)
	return f
}

// Every size from tiny to wide draws a whole screen and nothing beyond it.
func TestEverySizeFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := runningFake()
		d := drive(t, f, Options{Thread: "main"}, 80, 24)
		d.press("ctrl+o")
		for w := 1; w <= 130; w += 7 {
			for h := 1; h <= 45; h += 4 {
				for _, mode := range []listMode{listAuto, listShown, listHidden} {
					d.list = mode
					d.send(tea.WindowSizeMsg{Width: w, Height: h})
					d.fits(w, h)
				}
			}
		}
		d.list = listAuto
		d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
		d.golden("small-40x10")
		d.send(tea.WindowSizeMsg{Width: 20, Height: 4})
		d.golden("toosmall-20x4")
	})
}
