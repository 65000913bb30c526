package tui

import (
	"slices"

	"github.com/sideb-dev/sideb/engine"
)

// maxText is the widest column of text that is still easy to read.
const maxText = 104

// transcript is the conversation: the messages that were read, as entries, and
// the window of lines that is in view.
type transcript struct {
	styles   *styles
	markdown *markdown
	theme    int // grows when the styles change
	width    int
	height   int

	speaker  speakerNames
	messages []engine.Message // by Ord
	entries  []*entry
	tail     []*entry // what is not (yet) a message: an arriving answer, an echo, a note
	calls    map[engine.ToolCallID]*entry
	more     bool // older messages exist

	running bool
	doing   string // the thread's, to tell the call that runs

	view viewport
}

// speakerNames label the sides of a dual_ai thread.
type speakerNames struct {
	dual bool
	a, b string
}

func newTranscript(s *styles) *transcript {
	t := &transcript{styles: s, markdown: newMarkdown(s)}
	t.reset(speakerNames{})
	return t
}

// reset empties the transcript for another thread.
func (t *transcript) reset(names speakerNames) {
	t.speaker, t.messages, t.entries, t.tail, t.more = names, nil, nil, nil, false
	t.calls = map[engine.ToolCallID]*entry{}
	t.running, t.doing = false, ""
	t.view = viewport{follow: true}
}

func (t *transcript) setStyles(s *styles) {
	t.styles, t.markdown = s, newMarkdown(s)
	t.theme++
}

func (t *transcript) setSize(width, height int) { t.width, t.height = width, height }

func (t *transcript) textWidth() int { return max(min(t.width-margin-1, maxText), 1) }

func (t *transcript) sideInk(s engine.Side) ink {
	if s == engine.SideB {
		return t.styles.accent
	}
	return t.styles.sideB
}

// setActivity says whether the thread runs and at what.
func (t *transcript) setActivity(running bool, doing string) { t.running, t.doing = running, doing }

// bounds are the lowest and highest Ord that were read.
func (t *transcript) bounds() (low, high int64) {
	for _, m := range t.messages {
		if m.Ord > 0 && (low == 0 || m.Ord < low) {
			low = m.Ord
		}
		high = max(high, m.Ord)
	}
	return low, high
}

func (t *transcript) has(id engine.MessageID) bool {
	return slices.ContainsFunc(t.messages, func(m engine.Message) bool { return m.ID == id })
}

// merge takes messages that were read: new ones, older ones, or changed ones. It
// returns how many new entries came at the end.
func (t *transcript) merge(ms []engine.Message) int {
	_, high := t.bounds()
	appended := 0
	rebuild := false
	for _, m := range ms {
		if m.Ord == 0 || m.Status == engine.MessagePending {
			continue
		}
		i := slices.IndexFunc(t.messages, func(x engine.Message) bool { return x.ID == m.ID })
		switch {
		case i >= 0:
			t.messages[i] = m
			rebuild = true
		case m.Ord > high:
			t.messages = append(t.messages, m)
			high = m.Ord
			appended += t.appendEntries(&m)
		default:
			t.messages = append(t.messages, m)
			rebuild = true
		}
	}
	if rebuild {
		t.rebuild()
	}
	if !t.view.follow {
		t.view.unseen += appended
	}
	return appended
}

// drop removes a deleted message.
func (t *transcript) drop(id engine.MessageID) {
	t.messages = slices.DeleteFunc(t.messages, func(m engine.Message) bool { return m.ID == id })
	t.rebuild()
}

// rebuild makes the entries anew; what was open stays so, and what didn't change
// keeps its lines.
func (t *transcript) rebuild() {
	slices.SortStableFunc(t.messages, func(a, b engine.Message) int { return int(a.Ord - b.Ord) })
	old := make(map[string]*entry, len(t.entries))
	for _, e := range t.entries {
		old[e.key] = e
	}
	t.entries = nil
	t.calls = map[engine.ToolCallID]*entry{}
	for i := range t.messages {
		t.appendEntries(&t.messages[i])
	}
	for i, e := range t.entries {
		was := old[e.key]
		if was == nil {
			continue
		}
		if e.tool != nil && was.tool != nil {
			e.tool.inside = was.tool.inside
		}
		if e.sameAs(was) {
			t.entries[i] = was
			if was.tool != nil {
				*was.tool = *e.tool
			}
			continue
		}
		e.open = was.open
	}
	t.relink()
	t.view.reanchor(t.blocks())
}

// relink points the calls at the entries that were kept.
func (t *transcript) relink() {
	byKey := make(map[string]*entry, len(t.entries))
	for _, e := range t.entries {
		byKey[e.key] = e
	}
	for id, e := range t.calls {
		t.calls[id] = byKey[e.key]
	}
}

func (e *entry) sameAs(o *entry) bool {
	if e.kind != o.kind || e.text != o.text || e.label != o.label || e.status != o.status || e.side != o.side {
		return false
	}
	return e.tool == nil || *e.tool == *o.tool
}

// appendEntries adds the entries of the newest message and returns how many can
// be seen.
func (t *transcript) appendEntries(m *engine.Message) int {
	if m.Role == engine.RoleTool {
		if e := t.calls[m.ToolCallID]; e != nil {
			e.tool.settle(m)
			e.laid.valid = false
		}
		return 0
	}
	es := entriesOf(m, t.speaker)
	for i, e := range es {
		if i == 0 && t.speaker.dual {
			e.label = t.labelAfter(e)
		}
		if e.tool != nil {
			t.calls[m.ToolCalls[len(m.ToolCalls)-len(es)+i].ID] = e
		}
		t.entries = append(t.entries, e)
	}
	return len(es)
}

// labelAfter names the speaker of e where it isn't the one before.
func (t *transcript) labelAfter(e *entry) string {
	for i := len(t.entries) - 1; i >= 0; i-- {
		if p := t.entries[i]; p.kind != entryNote {
			if p.side == e.side {
				return ""
			}
			break
		}
	}
	return t.speaker.name(e.side)
}

func (n speakerNames) name(s engine.Side) string {
	if s == engine.SideB {
		return n.b
	}
	return n.a
}

// blocks are the entries and the tail, in order.
func (t *transcript) blocks() []*entry {
	if len(t.tail) == 0 {
		return t.entries
	}
	return append(t.entries[:len(t.entries):len(t.entries)], t.tail...)
}

// setTail replaces what follows the messages.
func (t *transcript) setTail(tail []*entry) {
	t.tail = tail
	t.view.reanchor(t.blocks())
}

// stateOf tells how far a call is: the first one without a result is the one that
// runs.
func (t *transcript) stateOf(e *entry) toolState {
	if e.tool.ended != 0 {
		return e.tool.state
	}
	if !t.running {
		return toolLost
	}
	for _, o := range t.entries[max(0, len(t.entries)-64):] {
		if o.kind == entryTool && o.tool.ended == 0 {
			if o == e {
				return toolRuns
			}
			return toolWaits
		}
	}
	return toolWaits
}

// lastAnswer is the newest text of a model, "" where there is none.
func (t *transcript) lastAnswer() string {
	for i := len(t.messages) - 1; i >= 0; i-- {
		if m := &t.messages[i]; m.Role == engine.RoleAssistant && m.Depth == 0 && m.Text() != "" {
			return clean(m.Text())
		}
	}
	return ""
}

// said is what the person wrote, oldest first.
func (t *transcript) said() []string {
	var out []string
	for i := range t.messages {
		if m := &t.messages[i]; m.Role == engine.RoleUser && m.Prompt == "" && m.SubagentID == "" && m.Depth == 0 && !m.Silent {
			out = append(out, clean(m.Text()))
		}
	}
	return out
}

// find are the messages of ids that were read.
func (t *transcript) find(ids map[engine.MessageID]bool) []engine.Message {
	if len(ids) == 0 {
		return nil
	}
	var out []engine.Message
	for _, m := range t.messages {
		if ids[m.ID] {
			out = append(out, m)
		}
	}
	return out
}

func (t *transcript) hasTurn(id engine.TurnID) bool {
	return slices.ContainsFunc(t.messages, func(m engine.Message) bool { return m.TurnID == id && m.Role == engine.RoleUser })
}

func (t *transcript) endsPartial() bool {
	n := len(t.entries)
	return n > 0 && t.entries[n-1].status == engine.MessagePartial
}
