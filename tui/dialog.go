package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// dialog is a box over the screen: text, or a choice.
type dialog struct {
	title    string
	text     func(s *styles, width int) []string // instead of items
	items    []choice
	form     *form // instead of both
	selected int
	offset   int
	choose   func(i int) tea.Cmd
}

type choice struct{ name, about string }

func agentDialog(agents []*engine.Agent, choose func(i int) tea.Cmd) *dialog {
	d := &dialog{title: "New thread with", choose: choose}
	for _, a := range agents {
		d.items = append(d.items, choice{oneLine(a.Name), oneLine(firstOf(a.Description, a.Title, string(a.Type)))})
	}
	return d
}

func confirmDialog(title, no, yes string, confirmed func() tea.Cmd) *dialog {
	return &dialog{title: title, items: []choice{{name: no}, {name: yes}}, choose: func(i int) tea.Cmd {
		if i == 0 {
			return nil
		}
		return confirmed()
	}}
}

// treeHelpDialog explains the tree: its keys and what its columns say.
func treeHelpDialog(k *keys) *dialog {
	return &dialog{title: "Help", text: func(s *styles, width int) []string {
		var out []string
		for _, g := range k.treeGroups() {
			out = append(out, s.strong.on(g.title))
			for _, b := range g.keys {
				out = append(out, s.accent.on(pad(b.Help().Key, 13))+b.Help().Desc)
			}
		}
		out = append(out, "", s.strong.on("Signs"))
		for _, l := range [][2]string{{"● ◐ ◌", "works, waits for a child, is queued"}, {"✓ ○", "is done, rests"},
			{"✗ ! ⊘", "failed, waits for a decision or hit a limit, was interrupted"}, {"A B", "the side that speaks"},
			{"tokens, cost", "with all threads below; a wide window has the thread's own too"}} {
			out = append(out, s.accent.on(pad(l[0], 13))+l[1])
		}
		return out
	}}
}

func helpDialog(k *keys) *dialog {
	return &dialog{title: "Help", text: func(s *styles, width int) []string {
		var out []string
		line := func(b key.Binding) {
			h := b.Help()
			out = append(out, s.accent.on(pad(h.Key, 13))+h.Desc)
		}
		for _, g := range k.helpGroups() {
			out = append(out, s.strong.on(g.title))
			for _, b := range g.keys {
				line(b)
			}
			out = append(out, "")
		}
		out = append(out, s.strong.on("Commands"))
		for _, c := range slashCommands() {
			out = append(out, s.accent.on(pad(strings.TrimSpace("/"+c.name+" "+c.args), 13))+c.help)
		}
		return append(out, "", s.dim.on("To select text with the mouse, hold shift (option on macOS)."))
	}}
}

// onKey handles a key; closed says that the dialog is done.
func (d *dialog) onKey(k tea.KeyPressMsg, on *keys) (closed bool, cmd tea.Cmd) {
	switch {
	case pressed(k, on.Interrupt, on.Clear) || d.text != nil && pressed(k, on.Help, on.Send):
		return true, nil
	case pressed(k, on.Up):
		d.step(-1)
	case pressed(k, on.Down):
		d.step(1)
	case pressed(k, on.PageUp):
		d.step(-8)
	case pressed(k, on.PageDown):
		d.step(8)
	case pressed(k, on.Send) && len(d.items) > 0:
		return true, d.choose(d.selected)
	}
	return false, nil
}

func (d *dialog) step(by int) {
	if d.text != nil {
		d.offset = max(d.offset+by, 0)
		return
	}
	d.selected = min(max(d.selected+by, 0), len(d.items)-1)
}

func (d *dialog) body(s *styles, width int) []string {
	if d.text != nil {
		return d.text(s, width)
	}
	if d.form != nil {
		return d.form.body(s, width)
	}
	name := 0
	for _, c := range d.items {
		name = max(name, ansi.StringWidth(c.name))
	}
	var out []string
	for i, c := range d.items {
		line := "  " + pad(c.name, min(name, width/2)) + "  " + s.dim.on(c.about)
		line = cut(line, width)
		if i == d.selected {
			line = markSelected(s.highlight(line, width))
		}
		out = append(out, line)
	}
	return out
}

// over draws the box in the middle of lines.
func (d *dialog) over(lines []string, s *styles, width int) []string {
	w := min(72, width-4)
	body := d.body(s, w-4)
	room := max(min(len(body), len(lines)-4), 1)
	switch {
	case d.form != nil:
		d.offset = max(3*d.form.at+2-room, 0)
	case d.text == nil:
		d.offset = min(max(d.offset, d.selected-room+1), d.selected)
	}
	d.offset = max(min(d.offset, len(body)-room), 0)
	more := ""
	if len(body) > room {
		more = " ↑↓ "
	}
	frame := func(l string) string { return s.rule.on("│") + " " + pad(l, w-4) + " " + s.rule.on("│") }
	title := " " + cut(d.title, w-6) + " "
	box := []string{s.rule.on("╭─") + s.strong.on(title) + s.rule.on(strings.Repeat("─", max(w-3-ansi.StringWidth(title), 0))+"╮")}
	for _, l := range body[d.offset : d.offset+room] {
		box = append(box, frame(l))
	}
	foot := more + " esc closes "
	if d.form != nil {
		foot = " esc cancels "
	}
	box = append(box, s.rule.on("╰"+strings.Repeat("─", max(w-3-ansi.StringWidth(foot), 0)))+s.faint.on(foot)+s.rule.on("─╯"))
	return overlay(lines, box, (width-w)/2, max((len(lines)-len(box))/2, 0), w)
}

// overlay puts box, w cells wide, over lines at x, y.
func overlay(lines, box []string, x, y, w int) []string {
	out := append([]string{}, lines...)
	for i, b := range box {
		if y+i >= len(out) {
			break
		}
		under := out[y+i]
		left := pad(ansi.Truncate(under, x, ""), x)
		right := ansi.TruncateLeft(under, x+w, "")
		out[y+i] = left + resetInk + b + right
	}
	return out
}
