package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// keys is every key of the interface, with its help.
type keys struct {
	Send, Newline, Complete       key.Binding
	Interrupt, Clear, Quit        key.Binding
	Threads, Search, NewThread    key.Binding
	Tree, Provide                 key.Binding
	Focus, FocusBack              key.Binding
	Up, Down, PageUp, PageDown    key.Binding
	Top, Bottom                   key.Binding
	Open, OpenAll                 key.Binding
	Remove, Promote               key.Binding
	Help, Redraw, Suspend         key.Binding
	Left, Right, WordL, WordR     key.Binding
	LineStart, LineEnd            key.Binding
	Backspace, Delete             key.Binding
	DeleteWord, DeleteWordForward key.Binding
	KillLeft, KillRight           key.Binding
}

func bind(help, what string, on ...string) key.Binding {
	return key.NewBinding(key.WithKeys(on...), key.WithHelp(help, what))
}

func newKeys() *keys {
	return &keys{
		Send:              bind("enter", "send; while the agent works: queue", "enter"),
		Newline:           bind("shift+enter", "new line (also alt+enter, ctrl+j)", "shift+enter", "alt+enter", "ctrl+j"),
		Complete:          bind("tab", "complete a command", "tab"),
		Interrupt:         bind("esc", "interrupt the turn; leave a panel", "esc"),
		Clear:             bind("ctrl+c", "clear the input; when it is empty, quit", "ctrl+c"),
		Quit:              bind("ctrl+d", "quit, when the input is empty", "ctrl+d"),
		Threads:           bind("ctrl+b", "show or hide the threads", "ctrl+b"),
		Search:            bind("/", "search the threads (in the list)", "/"),
		Tree:              bind("ctrl+t", "the tree of threads below this one", "ctrl+t"),
		Provide:           bind("ctrl+g", "give a subagent the variables that it needs", "ctrl+g"),
		NewThread:         bind("ctrl+n", "new thread", "ctrl+n"),
		Focus:             bind("tab", "next panel", "tab"),
		FocusBack:         bind("shift+tab", "previous panel", "shift+tab"),
		Up:                bind("↑", "up; in the input: history", "up"),
		Down:              bind("↓", "down", "down"),
		PageUp:            bind("pgup", "scroll up (also the wheel)", "pgup"),
		PageDown:          bind("pgdn", "scroll down", "pgdown"),
		Top:               bind("ctrl+home", "first loaded message", "ctrl+home"),
		Bottom:            bind("ctrl+end", "newest message", "ctrl+end"),
		Open:              bind("enter", "open or fold a tool call (also a click)", "enter", "space"),
		OpenAll:           bind("ctrl+o", "open or fold all tool calls and reasoning", "ctrl+o"),
		Remove:            bind("d", "remove from the queue", "d", "delete", "backspace"),
		Promote:           bind("p", "move to the front of the queue", "p", "enter"),
		Help:              bind("f1", "this help (also ?, when the input is empty)", "f1", "?"),
		Redraw:            bind("ctrl+l", "draw the screen again", "ctrl+l"),
		Suspend:           bind("ctrl+z", "suspend", "ctrl+z"),
		Left:              bind("←", "left", "left"),
		Right:             bind("→", "right", "right"),
		WordL:             bind("alt+←", "word left", "alt+left", "ctrl+left", "alt+b"),
		WordR:             bind("alt+→", "word right", "alt+right", "ctrl+right", "alt+f"),
		LineStart:         bind("home", "start of the line", "home", "ctrl+a"),
		LineEnd:           bind("end", "end of the line", "end", "ctrl+e"),
		Backspace:         bind("backspace", "delete", "backspace", "ctrl+h"),
		Delete:            bind("delete", "delete forward", "delete"),
		DeleteWord:        bind("ctrl+w", "delete a word", "ctrl+w", "alt+backspace", "ctrl+backspace"),
		DeleteWordForward: bind("alt+d", "delete a word forward", "alt+d", "alt+delete"),
		KillLeft:          bind("ctrl+u", "delete to the start of the line", "ctrl+u"),
		KillRight:         bind("ctrl+k", "delete to the end of the line", "ctrl+k"),
	}
}

// pressed reports whether k is one of the bindings.
func pressed(k tea.KeyPressMsg, on ...key.Binding) bool { return key.Matches(k, on...) }

// helpGroups is the help screen's content.
func (k *keys) helpGroups() []helpGroup {
	return []helpGroup{
		{"Write", []key.Binding{k.Send, k.Newline, k.Up, k.Clear, k.Quit}},
		{"Read", []key.Binding{k.PageUp, k.PageDown, k.Top, k.Bottom, k.OpenAll}},
		{"Work", []key.Binding{k.Interrupt, k.NewThread, k.Threads, k.Tree, k.Focus, k.Help}},
		{"In a panel", []key.Binding{k.Open, k.Search, k.Remove, k.Promote}},
	}
}

// treeGroups is the help of the tree.
func (k *keys) treeGroups() []helpGroup {
	return []helpGroup{{"The tree", []key.Binding{
		bind("↑ ↓", "choose a thread (also j, k, pgup, pgdn)"), bind("enter", "read its conversation; esc comes back"),
		bind("← →", "fold and unfold (also space)"), bind("ctrl+o", "fold or unfold all"),
		bind("tab", "next thread that works"), bind("/", "filter by agent, name or state; esc clears it"),
		bind("home", "back to the start, what works first"), bind("end", "the last thread"), bind("ctrl+c", "leave"),
	}}}
}

type helpGroup struct {
	title string
	keys  []key.Binding
}
