package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

const (
	pageSize = 100                   // messages of one read
	frame    = 33 * time.Millisecond // the least time between two batches of events
	tick     = 100 * time.Millisecond
)

// Commands do the I/O. They take what they need as arguments: the model may have
// changed when they run.

func connect(ctx context.Context, o Options) tea.Cmd {
	return func() tea.Msg {
		b := o.Backend
		if b == nil {
			var err error
			if b, err = o.Connect(ctx); err != nil {
				return connectedMsg{err: err}
			}
		}
		return connectedMsg{backend: b, events: b.Subscribe("", -1), defs: b.Definitions()}
	}
}

// awaitEvents waits for the frame to be over and then for events, so that a busy
// stream comes as one message a frame and the first event of a quiet one at once.
// What the project is by then comes with them.
func awaitEvents(ctx context.Context, b Backend, src EventSource, frame time.Duration, last, now time.Time) tea.Cmd {
	return func() tea.Msg {
		if rest := frame - now.Sub(last); rest > 0 && rest <= frame {
			select {
			case <-ctx.Done():
				return eventsMsg{err: ctx.Err()}
			case <-time.After(rest):
			}
		}
		evs, err := src.Next(ctx)
		return eventsMsg{events: evs, defs: b.Definitions(), err: err, at: time.Now()}
	}
}

func listThreads(ctx context.Context, b Backend, search, cursor string, initial bool) tea.Cmd {
	return func() tea.Msg {
		root := engine.ThreadID("")
		q := engine.ThreadQuery{Parent: &root, Search: search, Cursor: cursor}
		if d := b.Definitions(); d != nil {
			q.Project = &d.Dir
		}
		page, err := b.Threads(ctx, q)
		return threadsMsg{page: page, search: search, initial: initial, older: cursor != "", err: err}
	}
}

func readTouched(ctx context.Context, b Backend, ids []engine.ThreadID) tea.Cmd {
	return func() tea.Msg {
		var m touchedMsg
		for _, id := range ids {
			t, err := b.Thread(ctx, id)
			switch {
			case err == nil:
				m.threads = append(m.threads, *t)
			case engine.CodeOf(err) == engine.CodeNotFound:
				m.gone = append(m.gone, id)
			}
		}
		return m
	}
}

// readNewest reads the threads that changed last, for what another process did,
// and then rests.
func readNewest(ctx context.Context, b Backend, rest time.Duration) tea.Cmd {
	return func() tea.Msg {
		root := engine.ThreadID("")
		q := engine.ThreadQuery{Parent: &root, Limit: 20}
		if d := b.Definitions(); d != nil {
			q.Project = &d.Dir
		}
		var m touchedMsg
		if page, err := b.Threads(ctx, q); err == nil {
			m.threads = page.Threads
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
		return m
	}
}

func openThread(ctx context.Context, b Backend, gen int, id engine.ThreadID) tea.Cmd {
	return func() tea.Msg {
		m := openedMsg{gen: gen}
		if m.thread, m.err = b.Thread(ctx, id); m.err != nil {
			return m
		}
		if m.readWork(ctx, b); m.err != nil {
			return m
		}
		m.page, m.err = b.Messages(ctx, engine.MessageQuery{Thread: id, Limit: pageSize})
		return m
	}
}

// readWork reads the queue and the running turn. It comes before the messages: what
// leaves the queue meanwhile is then among them, never in neither.
func (m *openedMsg) readWork(ctx context.Context, b Backend) {
	if m.queue, m.err = b.Queue(ctx, m.thread.ThreadID); m.err != nil {
		return
	}
	if len(m.thread.ActiveTurns) > 0 {
		m.turn, _ = b.Turn(ctx, m.thread.ActiveTurns[0])
	}
	m.waits, m.err = b.Requests(ctx, m.thread.ThreadID)
}

// refresh reads what is new in the open thread; changed names messages that are
// to be read again.
func refresh(ctx context.Context, b Backend, gen int, id engine.ThreadID, after int64, changed []engine.Message) tea.Cmd {
	return func() tea.Msg {
		m := refreshedMsg{openedMsg: openedMsg{gen: gen}}
		if m.thread, m.err = b.Thread(ctx, id); m.err != nil {
			return m
		}
		if m.readWork(ctx, b); m.err != nil {
			return m
		}
		q := engine.MessageQuery{Thread: id, After: after, Limit: -1}
		if after == 0 {
			q.Limit = pageSize
		}
		if m.page, m.err = b.Messages(ctx, q); m.err != nil {
			return m
		}
		for _, c := range changed {
			page, err := b.Messages(ctx, engine.MessageQuery{Thread: id, Before: c.Ord + 1, Limit: 1})
			if err == nil && len(page.Messages) == 1 && page.Messages[0].ID == c.ID {
				m.edited = append(m.edited, page.Messages[0])
			} else if err == nil {
				m.gone = append(m.gone, c.ID)
			}
		}
		return m
	}
}

func readOlder(ctx context.Context, b Backend, gen int, id engine.ThreadID, before int64) tea.Cmd {
	return func() tea.Msg {
		page, err := b.Messages(ctx, engine.MessageQuery{Thread: id, Before: before, Limit: pageSize})
		return olderMsg{gen: gen, page: page, err: err}
	}
}

func readOutput(ctx context.Context, b Backend, gen int, key string, ref engine.OutputRef) tea.Cmd {
	return func() tea.Msg {
		o, err := b.Output(ctx, ref)
		if err != nil {
			return outputMsg{gen: gen, key: key, err: err}
		}
		return outputMsg{gen: gen, key: key, text: clean(string(o.Data))}
	}
}

// readInside reads what a sub-prompt said, a paragraph a message.
func readInside(ctx context.Context, b Backend, gen int, id engine.ThreadID, key string, v toolView) tea.Cmd {
	return func() tea.Msg {
		page, err := b.Messages(ctx, engine.MessageQuery{Thread: id, After: v.from, Before: v.to, Limit: pageSize, MaxDepth: -1, IncludeSilent: true})
		if err != nil {
			return outputMsg{gen: gen, key: key, err: err}
		}
		var parts []string
		for i := range page.Messages {
			if m := &page.Messages[i]; m.ParentID == v.parent {
				parts = append(parts, insideText(m))
			}
		}
		if len(parts) == 0 {
			return nil
		}
		return outputMsg{gen: gen, key: key, inside: strings.Join(parts, "\n")}
	}
}

// insideText is a message of a sub-prompt: who speaks, what, and what was called.
func insideText(m *engine.Message) string {
	who := string(m.Role)
	switch m.Role {
	case engine.RoleAssistant:
		who = firstOf(m.Prompt, "model")
	case engine.RoleUser:
		who = "asked"
	case engine.RoleTool:
		who = m.Name
	case engine.RoleSystem:
	}
	text := oneLine(who) + ": " + strings.TrimSpace(clean(m.Text()))
	for _, c := range m.ToolCalls {
		text += "\n  → " + oneLine(c.Name) + "  " + shortArgs(clean(c.Arguments))
	}
	return text
}

// submit sends a turn, to a new thread of agent where id is "".
func submit(ctx context.Context, b Backend, gen int, id engine.ThreadID, agent string, turn engine.TurnID, text string) tea.Cmd {
	return func() tea.Msg {
		m := submittedMsg{gen: gen, turn: turn}
		if id == "" {
			if m.thread, m.err = b.CreateThread(ctx, engine.CreateThread{Agent: agent}); m.err != nil {
				return m
			}
			id = m.thread.ThreadID
		}
		_, m.err = b.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: id, TurnID: turn, Content: text})
		return m
	}
}

func interrupt(ctx context.Context, b Backend, id engine.ThreadID) tea.Cmd {
	return do("interrupt", func() error { return b.InterruptTurn(ctx, id, "", "interrupted by the user") })
}

func do(what string, f func() error) tea.Cmd {
	return func() tea.Msg { return doneMsg{what: what, err: f()} }
}

func deleteThread(ctx context.Context, b Backend, id engine.ThreadID) tea.Cmd {
	return func() tea.Msg { return deletedMsg{id: id, err: b.DeleteThread(ctx, id)} }
}

func tickAfter(gen int) tea.Cmd {
	return tea.Tick(tick, func(time.Time) tea.Msg { return tickMsg{gen} })
}
