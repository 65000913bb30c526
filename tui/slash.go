package tui

import (
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// slashCommand is a command of the composer.
type slashCommand struct {
	name, args, help string
}

func slashCommands() []slashCommand {
	return []slashCommand{
		{"new", "[agent]", "start a thread"},
		{"agents", "", "choose an agent for a new thread"},
		{"threads", "", "go to the threads"},
		{"tree", "", "the threads below this one, live"},
		{"env", "", "give a subagent the variables that it needs"},
		{"queue", "", "go to the queued messages"},
		{"interrupt", "", "end the running turn"},
		{"copy", "", "copy the last answer"},
		{"delete", "", "delete this thread"},
		{"help", "", "keys and commands"},
		{"quit", "", "leave"},
	}
}

// slashMenu completes commands, and agents after /new.
type slashMenu struct {
	commands []slashCommand
	agents   []*engine.Agent
	found    []slashCommand
	selected int
}

func (m *slashMenu) open() bool { return len(m.found) > 0 }
func (m *slashMenu) close()     { m.found, m.selected = nil, 0 }

// update finds what the text may become.
func (m *slashMenu) update(text string) {
	m.found = m.found[:0]
	if !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") {
		m.close()
		return
	}
	if arg, ok := strings.CutPrefix(text, "/new "); ok {
		for _, a := range m.agents {
			if strings.HasPrefix(a.Name, arg) && a.Name != arg {
				m.found = append(m.found, slashCommand{name: "new " + a.Name, help: oneLine(a.Title)})
			}
		}
	} else {
		for _, c := range m.commands {
			if strings.HasPrefix("/"+c.name, text) {
				m.found = append(m.found, c)
			}
		}
	}
	m.selected = min(m.selected, max(len(m.found)-1, 0))
}

func (m *slashMenu) step(by int) {
	if n := len(m.found); n > 0 {
		m.selected = (m.selected + by + n) % n
	}
}

// completion is the text of the selected entry, with a space where it takes an
// argument.
func (m *slashMenu) completion() string {
	c := m.found[m.selected]
	if c.args != "" {
		return "/" + c.name + " "
	}
	return "/" + c.name
}

func (m *slashMenu) render(s *styles, width, height int) []string {
	n := min(len(m.found), height)
	first := min(max(m.selected-n+1, 0), len(m.found)-n)
	var out []string
	for i := first; i < first+n; i++ {
		c := m.found[i]
		name := strings.TrimSpace("/" + c.name + " " + c.args)
		line := "  " + s.accent.on(pad(name, 18)) + s.dim.on(c.help)
		line = cut(line, width)
		if i == m.selected {
			line = s.highlight(line, width)
			line = markSelected(line)
		}
		out = append(out, line)
	}
	return out
}

// markSelected puts a mark in the margin, so that a selection shows without
// colour.
func markSelected(line string) string { return strings.Replace(line, "  ", "› ", 1) }

// parseSlash splits "/name argument"; ok is false where s isn't a known command.
func parseSlash(s string) (name, arg string, ok bool) {
	s, slash := strings.CutPrefix(s, "/")
	if !slash {
		return "", "", false
	}
	name, arg, _ = strings.Cut(s, " ")
	for _, c := range slashCommands() {
		if c.name == name {
			return name, strings.TrimSpace(arg), true
		}
	}
	return "", "", false
}
