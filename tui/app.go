package tui

import (
	"context"
	"crypto/rand"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/sideb-dev/sideb/engine"
)

// app is the one tea.Model. It routes messages to its parts and holds what they
// share.
type app struct {
	ctx     context.Context
	o       Options
	backend Backend // nil until connected
	events  EventSource
	defs    *engine.Definitions
	fatal   error

	styles *styles
	dark   bool // the terminal has a dark background
	plain  bool // and no colours
	keys   *keys
	layout layout
	focus  focus
	list   listMode

	threads    threadList
	transcript *transcript
	composer   composer
	queue      queuePanel
	dialog     *dialog // over everything, nil where there is none
	tree       tree    // instead of everything, where it is shown
	home       *place  // the open conversation, while another is looked into
	gens       int     // conversations that were opened
	drawn      tea.View
	same       bool // nothing that shows has changed since drawn
	notice     notice

	conversation
	backlog
	spin spinner
	pace pacer
}

// conversation is the open thread, or the one that the next message starts.
type conversation struct {
	gen     int // grows with every thread that is opened
	id      engine.ThreadID
	agent   string // of the thread to start, where id is ""
	loading bool
	thread  *engine.ThreadRead
	turn    *engine.TurnRead
	stream  *entry // the answer that arrives
	echoes  []echo
	// requests are the subagents that wait for variables
	requests []engine.RequestInfo

	sending      bool
	interrupting engine.TurnID // the turn that is to end, "" for none
	leaving      bool          // ctrl+c was pressed while a turn runs
}

// echo is a message that was sent and isn't read back yet. A queued one is shown
// in the queue once it is there, any other in the conversation.
type echo struct {
	turn   engine.TurnID
	text   string
	queued bool
	sent   bool // handed to the backend: one at a time, so that they stay in order
	acked  bool // and accepted
}

// backlog is what events said that isn't read yet.
type backlog struct {
	last       time.Time // when the last batch of events came
	dirty      bool      // the open thread is to be read again
	refreshing bool
	older      bool // an older page is being read
	changed    map[engine.MessageID]bool
	touched    map[engine.ThreadID]bool
	children   map[engine.ThreadID]bool // threads that aren't listed
	reading    bool
	elsewhere  bool // another process changed something
}

// notice is a line for the person, until the next key.
type notice struct {
	text string
	bad  bool
}

// focus is the part that gets the keys.
type focus int

const (
	focusComposer focus = iota
	focusQueue
	focusTranscript
	focusThreads
)

func newApp(ctx context.Context, o Options) *app {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = rand.Text
	}
	s, k := newStyles(true, true), newKeys()
	a := &app{ctx: ctx, o: o, styles: s, dark: true, keys: k,
		threads: newThreadList(s), tree: newTree(s), transcript: newTranscript(s), composer: newComposer(k, s), queue: queuePanel{styles: s}}
	a.composer.slash.commands = slashCommands()
	a.conversation.loading = true
	a.backlog = backlog{changed: map[engine.MessageID]bool{}, touched: map[engine.ThreadID]bool{}, children: map[engine.ThreadID]bool{}}
	if a.o.Watch {
		a.o.ReadOnly, a.tree.shown = true, true
	}
	if a.o.ReadOnly {
		a.focus = focusTranscript
	}
	return a
}

// close ends the subscription.
func (a *app) close() {
	if a.events != nil {
		a.events.Close()
	}
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	return tea.Batch(connect(a.ctx, a.o), tea.RequestBackgroundColor)
}

// Update implements tea.Model.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, rest := msg.(restMsg); rest {
		return a, a.pace.onRest()
	}
	rest := a.pace.wake()
	m, cmd := a.update(msg)
	if rest == nil {
		return m, cmd
	}
	return m, tea.Batch(cmd, rest)
}

func (a *app) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.same = false
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a, a.onSize(msg)
	case tea.BackgroundColorMsg:
		return a, a.restyle(msg.IsDark(), a.plain)
	case tea.ColorProfileMsg:
		return a, a.restyle(a.dark, msg.Profile <= colorprofile.ASCII)
	case tea.KeyPressMsg:
		return a, a.onKey(msg)
	case tea.PasteMsg:
		return a, a.onPaste(msg)
	case tea.MouseWheelMsg:
		return a, a.onWheel(msg)
	case tea.MouseClickMsg:
		return a, a.onClick(msg)
	case connectedMsg:
		return a, a.onConnected(msg)
	case eventsMsg:
		return a, a.onEvents(msg)
	case threadsMsg:
		return a, a.onThreads(msg)
	case touchedMsg:
		return a, a.onTouched(msg)
	case openedMsg:
		return a, a.onOpened(msg)
	case refreshedMsg:
		return a, a.onRefreshed(msg)
	case olderMsg:
		return a, a.onOlder(msg)
	case submittedMsg:
		return a, a.onSubmitted(msg)
	case outputMsg:
		return a, a.onOutput(msg)
	case deletedMsg:
		return a, a.onDeleted(msg)
	case doneMsg:
		return a, a.onDone(msg)
	case tickMsg:
		return a, a.onTick(msg)
	case providedMsg:
		return a, a.onProvided(msg)
	case treeMsg:
		return a, a.onTree(msg)
	case treeTickMsg:
		return a, a.onTreeTick()
	default:
		return a, nil
	}
}

func (a *app) onSize(msg tea.WindowSizeMsg) tea.Cmd {
	a.layout.width, a.layout.height = msg.Width, msg.Height
	return nil
}

// restyle makes the styles anew once the terminal has told what it is.
func (a *app) restyle(dark, plain bool) tea.Cmd {
	if dark == a.dark && plain == a.plain {
		return nil
	}
	a.dark, a.plain = dark, plain
	s := newStyles(dark, !plain)
	a.styles, a.threads.styles, a.composer.styles, a.queue.styles, a.tree.styles = s, s, s, s, s
	a.transcript.setStyles(s)
	if a.home != nil {
		a.home.transcript.setStyles(s)
	}
	return nil
}

// onConnected starts to follow everything, and opens what was asked for.
func (a *app) onConnected(msg connectedMsg) tea.Cmd {
	if msg.err != nil {
		a.fatal = msg.err
		return tea.Quit
	}
	a.backend, a.events, a.defs = msg.backend, msg.events, msg.defs
	a.composer.slash.agents = agentsOf(a.defs)
	if a.o.Watch {
		a.loading = false
		a.tree.reset(treeScope{root: a.o.Thread, project: a.projectOf()})
		a.tree.shown = true
		return tea.Batch(a.nextEvents(), a.loadTree())
	}
	cmds := []tea.Cmd{
		a.nextEvents(),
		listThreads(a.ctx, a.backend, "", "", true),
	}
	switch {
	case a.o.Thread != "":
		cmds = append(cmds, a.open(a.o.Thread))
	case a.o.Agent != "":
		a.draft(a.o.Agent)
	}
	if a.o.Message != "" && (a.o.Thread != "" || a.o.Agent != "") {
		cmds = append(cmds, a.send(a.o.Message))
		a.o.Message = ""
	}
	return tea.Batch(cmds...)
}

func (a *app) say(text string)    { a.notice = notice{text: text} }
func (a *app) sayError(err error) { a.notice = notice{text: oneLine(err.Error()), bad: true} }
func (a *app) running() bool      { return a.thread != nil && working(a.thread) }

// nextEvents waits for events; the tree needs them less often than an answer that
// streams.
func (a *app) nextEvents() tea.Cmd {
	every := frame
	if a.tree.shown {
		every = treePace
	}
	return awaitEvents(a.ctx, a.backend, a.events, every, a.backlog.last, a.o.Now())
}

// projectOf is the project that is shown, nil where that isn't known.
func (a *app) projectOf() *string {
	if a.defs == nil {
		return nil
	}
	return &a.defs.Dir
}
