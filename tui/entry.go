package tui

import (
	"github.com/sideb-dev/sideb/engine"
)

// entryKind is what an entry of the transcript shows.
type entryKind int

const (
	entrySaid      entryKind = iota // what a person or the other side said
	entryAnswer                     // text of a model
	entryReasoning                  // folded thoughts of a model
	entryTool                       // a tool call and its result
	entryNote                       // something about the conversation
	entryStream                     // an answer that still arrives
)

// entry is one block of the transcript. Its key is stable across reads, so that
// what is open stays open. It is laid out once per width and state.
type entry struct {
	key    string
	kind   entryKind
	label  string // who speaks, where that isn't plain from the layout
	side   engine.Side
	text   string // clean
	level  noteLevel
	tool   *toolView
	stream *stream
	status engine.MessageStatus
	open   bool

	lines []string
	laid  layoutKey
}

// noteLevel is how a note looks.
type noteLevel int

const (
	noteInfo noteLevel = iota
	noteWarn
	noteError
)

// layoutKey is all that the lines of an entry depend on besides the entry.
type layoutKey struct {
	width, theme int
	open         bool
	state        toolState
	valid        bool
}

// foldable reports whether the entry opens and folds.
func (e *entry) foldable() bool { return e.kind == entryTool || e.kind == entryReasoning }

// tight reports whether e follows prev without an empty line.
func (e *entry) tight(prev *entry) bool {
	return e.foldable() && prev.foldable() && !prev.open && !e.open
}

// toolState is how far a tool call is.
type toolState int

const (
	toolWaits toolState = iota
	toolRuns
	toolDone
	toolFailed
	toolLost // no result, and nothing runs
)

// toolView is a tool call with what is known of its result.
type toolView struct {
	name, args string
	state      toolState
	started    engine.Micros
	ended      engine.Micros // 0 while it has no result
	result     string
	ref        engine.OutputRef // where result is only a preview
	children   engine.ThreadID

	// What a sub-prompt said is read when the call is opened: the messages
	// between call and result that have the result as parent.
	from, to int64
	parent   engine.MessageID
	inside   string
}

// entriesOf makes the entries of one message. Tool messages have none: they
// belong to their call.
func entriesOf(m *engine.Message, speaker speakerNames) []*entry {
	if m.Silent || m.Depth > 0 || m.Status == engine.MessagePending {
		return nil
	}
	id := string(m.ID)
	switch m.Role {
	case engine.RoleTool:
		return nil
	case engine.RoleSystem:
		return []*entry{{key: id, kind: entryNote, text: clean(m.Text())}}
	case engine.RoleUser:
		kind := entrySaid
		if speaker.dual && m.Prompt != "" {
			kind = entryAnswer
		}
		return append(thoughts(m, kind), calls(m)...)
	case engine.RoleAssistant:
		return append(thoughts(m, entryAnswer), calls(m)...)
	default:
		return nil
	}
}

// thoughts are the reasoning and the text of m.
func thoughts(m *engine.Message, kind entryKind) []*entry {
	var out []*entry
	if m.Reasoning != "" {
		out = append(out, &entry{key: string(m.ID) + "/r", kind: entryReasoning, text: clean(m.Reasoning)})
	}
	text := clean(m.Text())
	for _, a := range m.Attachments {
		text += attachmentLine(text, a)
	}
	if text != "" || m.Status == engine.MessagePartial || m.Status == engine.MessageFailed {
		out = append(out, &entry{key: string(m.ID), kind: kind, side: sideOf(m), text: text, status: m.Status})
	}
	return out
}

func attachmentLine(before string, a engine.Attachment) string {
	name := a.Name
	if name == "" {
		name = a.Path
	}
	line := "[" + oneLine(name) + "]"
	if before != "" {
		return "\n" + line
	}
	return line
}

func calls(m *engine.Message) []*entry {
	var out []*entry
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		out = append(out, &entry{
			key: string(m.ID) + "/" + string(c.ID), kind: entryTool, side: sideOf(m),
			tool: &toolView{name: oneLine(c.Name), args: clean(c.Arguments), started: m.CreatedAt, from: m.Ord},
		})
	}
	return out
}

// sideOf is the side that wrote m: authorship is in the role.
func sideOf(m *engine.Message) engine.Side {
	switch {
	case m.Side != "":
		return m.Side
	case m.Role == engine.RoleUser:
		return engine.SideB
	default:
		return engine.SideA
	}
}

// settle gives the call its result.
func (t *toolView) settle(m *engine.Message) {
	t.state = toolDone
	if m.ToolStatus == engine.ToolError {
		t.state = toolFailed
	}
	t.result, t.ended, t.ref = clean(m.Text()), m.CreatedAt, m.OutputRef
	t.children = m.SubagentID
	t.parent, t.to = m.ID, m.Ord
}
