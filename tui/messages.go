package tui

import (
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// What commands report back. A generation (gen) tells an answer that came too
// late: the person has opened another thread since.

type connectedMsg struct {
	backend Backend
	events  EventSource
	defs    *engine.Definitions
	err     error
}

type eventsMsg struct {
	events []engine.Event
	defs   *engine.Definitions // as they are by then; nil where that isn't known
	err    error
	at     time.Time
}

type threadsMsg struct {
	page    *engine.ThreadPage
	search  string
	initial bool
	older   bool
	err     error
}

// touchedMsg are the current read models of threads that events spoke of.
type touchedMsg struct {
	threads []engine.ThreadRead
	gone    []engine.ThreadID
}

type openedMsg struct {
	gen    int
	thread *engine.ThreadRead
	page   *engine.MessagePage
	queue  []engine.QueueItem
	turn   *engine.TurnRead
	waits  []engine.RequestInfo
	err    error
}

// refreshedMsg is what changed in the open thread since it was read.
type refreshedMsg struct {
	openedMsg
	edited []engine.Message
	gone   []engine.MessageID
}

type olderMsg struct {
	gen  int
	page *engine.MessagePage
	err  error
}

type submittedMsg struct {
	gen    int
	turn   engine.TurnID
	thread *engine.ThreadRead // set where it was created for the message
	err    error
}

type outputMsg struct {
	gen    int
	key    string
	text   string
	inside string // instead: what a sub-prompt said
	err    error
}

// doneMsg ends a command that has nothing to show but its failure.
type doneMsg struct {
	what string
	err  error
}

// providedMsg ends the handing over of variables. It has none of them.
type providedMsg struct {
	request engine.RequestID
	agent   string
	err     error
}

type deletedMsg struct {
	id  engine.ThreadID
	err error
}

type tickMsg struct{ gen int }
