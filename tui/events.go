package tui

import (
	"encoding/json"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// onEvents takes a frame's worth of events: deltas are shown, everything else
// tells what to read again.
func (a *app) onEvents(msg eventsMsg) tea.Cmd {
	if msg.err != nil {
		if engine.CodeOf(msg.err) != engine.CodeCanceled {
			a.sayError(msg.err)
		}
		return nil
	}
	a.noteDefinitions(msg.defs)
	a.backlog.last = msg.at
	streamed := false
	for i := range msg.events {
		ev := &msg.events[i]
		switch {
		case ev.Type == engine.EventSnapshotUpdated:
			a.backlog.dirty = a.backlog.dirty || a.id != ""
			a.backlog.elsewhere, a.tree.stale = !a.o.Watch, true
		case ev.Volatile():
			streamed = a.onDelta(ev) || streamed
		case ev.ThreadID == a.id && a.id != "":
			a.backlog.dirty, a.tree.stale = true, true
			a.noteChange(ev)
		default:
			a.tree.stale = true
			a.touch(ev)
		}
	}
	if streamed {
		a.setTail()
	}
	a.same = a.tree.shown // what came is only drawn once it is read
	return tea.Batch(a.nextEvents(), a.catchUp(), a.followTree())
}

// noteDefinitions takes over what an edit made of the project, and says the first
// thing that it broke: the last good definition goes on meanwhile.
func (a *app) noteDefinitions(defs *engine.Definitions) {
	if defs == nil || defs == a.defs {
		return
	}
	known := map[engine.Problem]bool{}
	if a.defs != nil {
		for _, p := range a.defs.Problems {
			known[p] = true
		}
	}
	a.defs, a.composer.slash.agents = defs, agentsOf(defs)
	for _, p := range defs.Problems {
		if p.Severity == engine.SeverityError && !known[p] {
			a.notice = notice{text: oneLine(filepath.Base(p.File) + ": " + p.Message), bad: true}
			return
		}
	}
}

// touch remembers that a listed thread changed.
func (a *app) touch(ev *engine.Event) {
	if ev.ThreadID != "" && !a.backlog.children[ev.ThreadID] && !a.o.Watch {
		a.backlog.touched[ev.ThreadID] = true
	}
}

// onDelta adds to the answer that arrives, and reports whether that shows.
func (a *app) onDelta(ev *engine.Event) bool {
	if ev.ThreadID != a.id || ev.Type == engine.EventToolProgress {
		return false
	}
	var d engine.DeltaPayload
	if json.Unmarshal(ev.Payload, &d) != nil || d.Depth > 0 || a.transcript.has(d.MessageID) {
		return false
	}
	if a.stream == nil || a.stream.stream.id != d.MessageID {
		a.stream = &entry{key: string(d.MessageID), kind: entryStream, side: a.speaking(), stream: &stream{id: d.MessageID, side: a.speaking()}}
		if a.transcript.speaker.dual {
			a.stream.label = a.transcript.labelAfter(a.stream)
		}
	}
	s := a.stream.stream
	if ev.Type == engine.EventReasoningDelta {
		s.reasoning.add(d.Offset, d.Text)
		s.drawn = -1
		return true
	}
	s.addText(d.Offset, d.Text)
	return true
}

func (a *app) speaking() engine.Side {
	if a.thread != nil && a.thread.Side != "" {
		return a.thread.Side
	}
	return engine.SideA
}

// noteChange remembers a message that was edited or deleted.
func (a *app) noteChange(ev *engine.Event) {
	if ev.Type != engine.EventThreadUpdated {
		return
	}
	var p engine.MessagePayload
	if json.Unmarshal(ev.Payload, &p) != nil || p.MessageID == "" {
		return
	}
	if p.Deleted {
		a.transcript.drop(p.MessageID)
		return
	}
	a.backlog.changed[p.MessageID] = true
}

// catchUp reads what events spoke of, one read at a time: what comes meanwhile is
// read with the next one.
func (a *app) catchUp() tea.Cmd {
	var cmds []tea.Cmd
	if a.backlog.dirty && !a.backlog.refreshing && a.id != "" && !a.loading {
		a.backlog.dirty, a.backlog.refreshing = false, true
		_, high := a.transcript.bounds()
		cmds = append(cmds, refresh(a.ctx, a.backend, a.gen, a.id, high, a.transcript.find(a.backlog.changed)))
		clear(a.backlog.changed)
	}
	if a.backlog.elsewhere && !a.backlog.reading && a.backend != nil {
		a.backlog.elsewhere, a.backlog.reading = false, true
		cmds = append(cmds, readNewest(a.ctx, a.backend, treePace))
	}
	if len(a.backlog.touched) > 0 && !a.backlog.reading {
		a.backlog.reading = true
		ids := make([]engine.ThreadID, 0, len(a.backlog.touched))
		for id := range a.backlog.touched {
			ids = append(ids, id)
		}
		clear(a.backlog.touched)
		cmds = append(cmds, readTouched(a.ctx, a.backend, ids))
	}
	if a.transcript.wantsOlder() && !a.backlog.older && !a.loading && !a.transcript.view.follow {
		a.backlog.older = true
		low, _ := a.transcript.bounds()
		cmds = append(cmds, readOlder(a.ctx, a.backend, a.gen, a.id, low))
	}
	return tea.Batch(cmds...)
}

// setTail shows what isn't a message: the arriving answer, what was just sent,
// and how the last turn ended.
func (a *app) setTail() {
	var tail []*entry
	if a.stream != nil {
		tail = append(tail, a.stream)
	}
	for _, e := range a.echoes {
		if !e.queued {
			tail = append(tail, &entry{key: "echo/" + string(e.turn), kind: entrySaid, side: engine.SideB, text: clean(e.text)})
		}
	}
	if a.thread != nil && len(a.echoes) == 0 && a.stream == nil {
		if n := a.outcome(); n != nil {
			tail = append(tail, n)
		}
	}
	a.transcript.setTail(append(tail, a.needs()...))
}

// outcome tells how the thread came to rest, where that isn't plain.
func (a *app) outcome() *entry {
	t := a.thread
	n := &entry{key: "outcome", kind: entryNote}
	switch {
	case t.Terminated != 0:
		n.text = "This thread has ended; it takes no more messages."
	case working(t):
		return nil
	case t.Status == engine.ThreadBlocked:
		n.text, n.level = "Waits: "+oneLine(firstOf(t.StatusText, t.Doing, "for a decision")), noteWarn
	case t.LastOutcome == engine.TurnFailed:
		n.text, n.level = "The turn failed: "+clean(firstOf(t.LastError, string(t.LastStop), "unknown")), noteError
	case t.LastStop.Limit():
		n.text, n.level = "Stopped by a limit: "+string(t.LastStop)+". Send a message to go on.", noteWarn
	case t.LastOutcome == engine.TurnCancelled && !a.transcript.endsPartial():
		n.text = "Interrupted."
	default:
		return nil
	}
	return n
}

func firstOf(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return ""
}
