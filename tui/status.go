package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// spinner moves while the open thread runs, and only then.
type spinner struct {
	gen   int
	on    bool
	phase int
}

const spinnerFrames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

// animate starts the ticks when the thread runs.
func (a *app) animate() tea.Cmd {
	if !a.running() {
		a.spin.on = false
		return nil
	}
	if a.spin.on {
		return nil
	}
	a.spin.on = true
	a.spin.gen++
	return tickAfter(a.spin.gen)
}

func (a *app) onTick(msg tickMsg) tea.Cmd {
	if msg.gen != a.spin.gen || !a.spin.on {
		return nil
	}
	if !a.running() {
		a.spin.on = false
		return nil
	}
	a.spin.phase++
	return tickAfter(msg.gen)
}

// statusLine is the last line: what the thread is and does, then a notice or the
// keys that help now.
func (a *app) statusLine() string {
	width := a.layout.width
	right := a.hints()
	if a.notice.text != "" {
		i := a.styles.warn
		if a.notice.bad {
			i = a.styles.bad
		}
		text := cut(a.notice.text, width-2)
		left := a.segments(width - ansi.StringWidth(text) - 3)
		return pad(left, width-ansi.StringWidth(text)-1) + i.on(text) + " "
	}
	room := width - 2
	if a.home != nil {
		room -= len("esc back") + 2 // the way back is always told
	}
	left := a.segments(room)
	for len(right) > 0 && ansi.StringWidth(left)+ansi.StringWidth(right[0])+3 > width {
		right = right[1:]
	}
	if len(right) == 0 {
		return cut(left, width)
	}
	return pad(left, width-ansi.StringWidth(right[0])-1) + a.styles.faint.on(right[0]) + " "
}

// hints are the keys that help now, the longest list first.
func (a *app) hints() []string {
	switch {
	case a.tree.shown && a.tree.filtering:
		return []string{"enter keep · esc clear", "esc clear"}
	case a.tree.shown && a.o.Watch:
		return []string{"enter read · ←→ fold · / filter · f1 help · q leave", "enter read · f1 help · q leave", "f1 help"}
	case a.tree.shown:
		return []string{"enter read · ←→ fold · / filter · f1 help · esc back", "enter read · esc back", "esc back"}
	case a.home != nil:
		return []string{"tab choose · ctrl+o open all · esc back to the tree", "esc back to the tree", "esc back"}
	case a.o.ReadOnly:
		return []string{"tab panels · ctrl+c leave", "ctrl+c leave"}
	case a.focus == focusThreads:
		return []string{"enter open · / search · esc back · f1 help", "enter open · esc back"}
	case a.focus == focusTranscript:
		return []string{"↑↓ choose · enter open or fold · esc back", "esc back"}
	case a.running():
		return []string{"enter queue · esc interrupt · f1 help", "esc interrupt"}
	default:
		return []string{"enter send · / commands · ctrl+b threads · f1 help", "ctrl+b threads · f1 help", "f1 help"}
	}
}

// segments joins the facts of the thread, dropping the least important ones until
// they fit in width.
func (a *app) segments(width int) string {
	if a.tree.shown {
		return cut(a.treeStatus(), width)
	}
	facts := a.facts()
	for {
		var parts []string
		worst := 0
		for i, f := range facts {
			parts = append(parts, f.text)
			if f.rank > facts[worst].rank {
				worst = i
			}
		}
		s := " " + strings.Join(parts, a.styles.faint.on(" · "))
		if ansi.StringWidth(s) <= width || len(facts) <= 1 {
			return cut(s, width)
		}
		facts = append(facts[:worst:worst], facts[worst+1:]...)
	}
}

// fact is one segment of the status line; a higher rank is dropped sooner.
type fact struct {
	text string
	rank int
}

func (a *app) facts() []fact {
	t := a.thread
	if t == nil {
		return []fact{{a.styles.dim.on(firstOf(oneLine(a.agent), "sideb")), 0}}
	}
	s := a.styles
	glyph, i := threadGlyph(s, t)
	facts := []fact{{i.on(glyph) + " " + oneLine(t.Agent), 0}}
	if a.running() {
		facts[0].text = s.accent.on(string([]rune(spinnerFrames)[a.spin.phase%10])) + " " + oneLine(t.Agent)
		facts = append(facts, fact{a.activity(), 1})
	}
	if t.Side != "" {
		facts = append(facts, fact{s.dim.on("side " + strings.ToUpper(string(t.Side))), 4})
	}
	if t.Model != "" {
		name := cut(oneLine(t.Model), 24)
		if name == oneLine(t.Agent) {
			name = "model " + name
		}
		facts = append(facts, fact{s.dim.on(name), 5})
	}
	if a.running() && t.Step > 0 {
		facts = append(facts, fact{s.dim.on(fmt.Sprintf("step %d", t.Step)), 6})
	}
	if n := t.Usage.TotalTokens; n > 0 {
		facts = append(facts, fact{s.dim.on(count(n) + " tok"), 3})
	}
	if c := costText(t.Cost, t.CostUnknown); c != "" {
		facts = append(facts, fact{s.dim.on(c), 3})
	}
	if d, ok := a.elapsed(); ok {
		facts = append(facts, fact{s.dim.on(clock(d)), 2})
	}
	return facts
}

// activity is what the running thread does now.
func (a *app) activity() string {
	if a.interrupting != "" {
		return a.styles.warn.on("interrupting…")
	}
	what, name, _ := strings.Cut(a.thread.Doing, ":")
	switch what {
	case "model":
		if a.stream != nil && a.stream.stream.text.end > 0 {
			return a.styles.accent.on("answering")
		}
		return a.styles.accent.on("thinking")
	case "tool":
		return a.styles.accent.on("runs " + cut(oneLine(name), 24))
	case "child":
		return a.styles.accent.on("waits for a child")
	case "":
		return a.styles.accent.on("starting")
	default:
		return a.styles.accent.on(cut(oneLine(a.thread.Doing), 24))
	}
}

func costText(c *float64, unknown bool) string {
	switch {
	case c == nil:
		if unknown {
			return "cost unknown"
		}
		return ""
	case unknown:
		return money(*c) + "+"
	default:
		return money(*c)
	}
}

// elapsed is how long the running turn has taken.
func (a *app) elapsed() (time.Duration, bool) {
	if !a.running() {
		return 0, false
	}
	since := a.thread.Since
	if a.turn != nil && a.turn.StartedAt != 0 {
		since = a.turn.StartedAt
	}
	if since == 0 {
		return 0, false
	}
	return a.o.Now().Sub(engine.Micros.Time(since)), true
}
