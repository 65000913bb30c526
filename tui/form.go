package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/sideb-dev/sideb/engine"
)

// form asks for the variables that a deferred subagent waits for. What is typed
// lives in its fields only, and goes with them.
type form struct {
	request engine.RequestInfo
	fields  []field
	at      int
	sending bool
	problem string
}

type field struct {
	editor
	name, about string
	secret      bool
}

func newForm(r engine.RequestInfo, defs *engine.Definitions) *form {
	f := &form{request: r}
	for _, name := range r.Missing {
		v := variableOf(defs, name)
		f.fields = append(f.fields, field{editor: newEditor(), name: oneLine(name), about: oneLine(v.Description), secret: v.Type != engine.VariableText})
	}
	return f
}

// variableOf is what the project declares of a name; what it doesn't declare, or
// anywhere as a secret, is one.
func variableOf(defs *engine.Definitions, name string) engine.Variable {
	found := engine.Variable{Name: name, Type: engine.VariableSecret}
	if defs == nil {
		return found
	}
	known := false
	look := func(vars []engine.Variable) {
		for _, v := range vars {
			if v.Name == name && (!known || v.Type == engine.VariableSecret) {
				found, known = v, true
			}
		}
	}
	for _, a := range defs.Agents {
		look(a.Variables)
	}
	for _, p := range defs.Prompts {
		look(p.Variables)
	}
	for _, t := range defs.Tools {
		look(t.Variables)
	}
	return found
}

// onKey edits; done says that every field has a value and enter was pressed.
func (f *form) onKey(k tea.KeyPressMsg, on *keys) (done bool) {
	if f.sending || len(f.fields) == 0 {
		return false
	}
	e := &f.fields[f.at]
	switch {
	case pressed(k, on.Send, on.Down, on.Focus):
		if pressed(k, on.Send) && f.at == len(f.fields)-1 {
			return f.complete()
		}
		f.at = (f.at + 1) % len(f.fields)
	case pressed(k, on.Up, on.FocusBack):
		f.at = (f.at + len(f.fields) - 1) % len(f.fields)
	case pressed(k, on.Backspace):
		e.cutRange(e.before(e.at), e.at)
	case pressed(k, on.KillLeft):
		e.set("")
	case pressed(k, on.Left):
		e.moveTo(e.before(e.at))
	case pressed(k, on.Right):
		e.moveTo(e.after(e.at))
	case k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt) == 0:
		e.insert(k.Text)
	}
	return false
}

// complete goes to the first empty field, and reports whether there is none.
func (f *form) complete() bool {
	for i := range f.fields {
		if f.fields[i].empty() {
			f.at, f.problem = i, f.fields[i].name+" is empty"
			return false
		}
	}
	f.sending, f.problem = true, ""
	return true
}

func (f *form) paste(text string) {
	if !f.sending && len(f.fields) > 0 {
		f.fields[f.at].insert(strings.TrimRight(text, "\r\n"))
	}
}

func (f *form) values() map[string]string {
	out := make(map[string]string, len(f.fields))
	for i, v := range f.request.Missing {
		out[v] = f.fields[i].text
	}
	return out
}

// body draws the fields; a secret shows its length only.
func (f *form) body(s *styles, width int) []string {
	var out []string
	for i := range f.fields {
		e := &f.fields[i]
		name := s.dim
		mark := "  "
		if i == f.at {
			name, mark = s.strong, s.accent.on("› ")
		}
		out = append(out, mark+name.on(cut(e.name, width-2))+s.faint.on(cut("  "+e.about, max(width-2-ansi.StringWidth(e.name), 0))))
		text := strings.ReplaceAll(clean(e.text), "\n", "⏎")
		if e.secret {
			text = strings.Repeat("•", min(len([]rune(e.text)), 32))
		}
		cursor := ""
		if i == f.at {
			cursor = s.accent.on("▏")
		}
		out = append(out, "  "+cutLeft(text, width-4)+cursor, "")
	}
	switch {
	case f.sending:
		out = append(out, s.dim.on("starting "+oneLine(f.request.Agent)+"…"))
	case f.problem != "":
		out = append(out, s.bad.on(cut(f.problem, width)))
	default:
		out = append(out, s.faint.on("enter next, then start · secrets are stored encrypted"))
	}
	return out
}

// openForm asks for what the first waiting subagent of the open thread needs.
func (a *app) openForm() tea.Cmd {
	switch {
	case a.o.ReadOnly:
		a.say("this window only reads; use sideb env provide")
	case len(a.requests) == 0:
		a.say("no subagent waits for variables")
	default:
		r := a.requests[0]
		a.dialog = &dialog{title: oneLine(r.Agent) + " needs", form: newForm(r, a.defs)}
	}
	return nil
}

// provide hands the values over; they are nowhere else.
func (a *app) provide(f *form) tea.Cmd {
	ctx, b, id, agent, values := a.ctx, a.backend, f.request.RequestID, f.request.Agent, f.values()
	return func() tea.Msg {
		_, err := b.ProvideEnv(ctx, id, values)
		return providedMsg{request: id, agent: agent, err: err}
	}
}

func (a *app) onProvided(msg providedMsg) tea.Cmd {
	if msg.err == nil {
		a.say("started " + oneLine(msg.agent))
	}
	if d := a.dialog; d != nil && d.form != nil && d.form.request.RequestID == msg.request {
		if msg.err == nil {
			a.dialog = nil
		} else {
			d.form.sending, d.form.problem = false, oneLine(msg.err.Error())
		}
	} else if msg.err != nil {
		a.sayError(msg.err)
	}
	a.backlog.dirty = a.id != ""
	return a.catchUp()
}

// needs are the notes of the subagents that wait for variables.
func (a *app) needs() []*entry {
	var out []*entry
	for _, r := range a.requests {
		text := oneLine(r.Agent) + " needs " + oneLine(strings.Join(r.Missing, ", ")) + " to start"
		if a.o.ReadOnly {
			text += ": sideb env provide " + oneLine(string(r.RequestID))
		} else {
			text += ": ctrl+g gives " + themOrIt(len(r.Missing))
		}
		out = append(out, &entry{key: "request/" + string(r.RequestID), kind: entryNote, level: noteWarn, text: text})
	}
	return out
}

func themOrIt(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
