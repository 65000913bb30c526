package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

const (
	treePace  = 100 * time.Millisecond // the least time between two reads of the tree
	treePage  = 40                     // trees that are read at once
	treeRest  = time.Millisecond       // besides, for each thread that had changed
	treeShare = 25                     // a read may take this part of the time at most: 1/25
	// treeOverlap is how far a read goes back before the newest change that is
	// known: commits needn't become visible in the order of their clocks.
	treeOverlap = 300 * time.Millisecond
	treeSettle  = 10 * time.Second // the same, for the last read once all is quiet
	maxThreads  = 1000             // of one page
)

// treeMsg is what a read of the tree found.
type treeMsg struct {
	gen     int
	session engine.SessionID // of the scope
	threads []engine.ThreadRead
	cursor  string // of the next page of trees
	whole   bool   // not only what changed
	err     error
	at      time.Time
	took    time.Duration
}

// treeTickMsg moves the clocks of the tree.
type treeTickMsg struct{}

// readTree reads a scope whole: all of a session, or a page of trees.
func readTree(ctx context.Context, b Backend, gen int, scope treeScope, cursor string) tea.Cmd {
	return func() tea.Msg {
		m := treeMsg{gen: gen, session: scope.session, whole: true}
		began := time.Now()
		if scope.root != "" {
			m.readSession(ctx, b, scope)
		} else {
			m.readTrees(ctx, b, scope, cursor)
		}
		m.at = time.Now()
		m.took = m.at.Sub(began)
		return m
	}
}

func (m *treeMsg) readSession(ctx context.Context, b Backend, scope treeScope) {
	if m.session == "" {
		t, err := b.Thread(ctx, scope.root)
		if err != nil {
			m.err = err
			return
		}
		m.session = t.SessionID
	}
	m.threads, m.err = threadsOf(ctx, b, m.session)
}

func (m *treeMsg) readTrees(ctx context.Context, b Backend, scope treeScope, cursor string) {
	none := engine.ThreadID("")
	page, err := b.Threads(ctx, engine.ThreadQuery{Project: scope.project, Parent: &none, Cursor: cursor, Limit: treePage})
	if err != nil {
		m.err = err
		return
	}
	m.cursor = page.Cursor
	for i := range page.Threads {
		all, err := threadsOf(ctx, b, page.Threads[i].SessionID)
		if err != nil {
			m.err = err
			return
		}
		m.threads = append(m.threads, all...)
	}
}

// readSessions reads sessions whole, whose roots aren't known yet.
func readSessions(ctx context.Context, b Backend, gen int, sessions []engine.SessionID) tea.Cmd {
	return func() tea.Msg {
		m := treeMsg{gen: gen}
		for _, s := range sessions {
			all, err := threadsOf(ctx, b, s)
			if err != nil {
				m.err = err
				break
			}
			m.threads = append(m.threads, all...)
		}
		m.at = time.Now()
		return m
	}
}

func threadsOf(ctx context.Context, b Backend, session engine.SessionID) ([]engine.ThreadRead, error) {
	var all []engine.ThreadRead
	for cursor := ""; ; {
		page, err := b.Threads(ctx, engine.ThreadQuery{Session: session, Cursor: cursor, Limit: maxThreads})
		if err != nil {
			return nil, err
		}
		all = append(all, page.Threads...)
		if cursor = page.Cursor; cursor == "" {
			return all, nil
		}
	}
}

// readChanges waits and then reads what changed after since: the listing is
// ordered by the last change, so that its first page or two hold it all.
func readChanges(ctx context.Context, b Backend, gen int, scope treeScope, since engine.Micros, wait time.Duration) tea.Cmd {
	return func() tea.Msg {
		if wait > 0 {
			select {
			case <-ctx.Done():
				return treeMsg{gen: gen, err: ctx.Err()}
			case <-time.After(wait):
			}
		}
		m := treeMsg{gen: gen, session: scope.session}
		began := time.Now()
		q := engine.ThreadQuery{Session: scope.session, Limit: 64}
		if scope.root == "" {
			q.Project = scope.project
		}
		for {
			page, err := b.Threads(ctx, q)
			if err != nil {
				m.err = err
				break
			}
			changed := slices.IndexFunc(page.Threads, func(t engine.ThreadRead) bool { return t.UpdatedAt < since })
			if changed >= 0 {
				m.threads = append(m.threads, page.Threads[:changed]...)
				break
			}
			m.threads = append(m.threads, page.Threads...)
			if q.Cursor = page.Cursor; q.Cursor == "" {
				break
			}
		}
		m.at = time.Now()
		m.took = m.at.Sub(began)
		return m
	}
}

func treeTick() tea.Cmd {
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return treeTickMsg{} })
}
