package tui

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// pacer lets the renderer rest while nothing happens. The renderer looks for a new
// frame at every tick of a ticker that it never stops, which alone takes half a
// percent of a core; the library has no switch for it. Where its ticker isn't
// found, it just goes on ticking.
//
// Every message wakes it before the frame that the message leads to, so that
// nothing waits for a slow tick.
type pacer struct {
	program *tea.Program
	ticker  *time.Ticker
	awake   bool
	pending bool // a restMsg is under way
	busy    bool // a message came since it was sent
}

const (
	frameRate = 60                     // frames a second while something happens
	restAfter = 300 * time.Millisecond // without a message
	restTick  = time.Hour
)

// restMsg asks whether nothing has happened since it was sent.
type restMsg struct{}

// wake is called for every message; its command puts the renderer to rest later.
func (p *pacer) wake() tea.Cmd {
	p.busy = true
	if !p.awake {
		p.set(time.Second / frameRate)
		p.awake = true
	}
	if p.pending || p.program == nil {
		return nil
	}
	p.pending, p.busy = true, false
	return restLater()
}

func (p *pacer) onRest() tea.Cmd {
	if p.busy {
		p.busy = false
		return restLater()
	}
	p.pending, p.awake = false, false
	p.set(restTick)
	return nil
}

func restLater() tea.Cmd {
	return tea.Tick(restAfter, func(time.Time) tea.Msg { return restMsg{} })
}

// set changes the pace. It runs in Update, which is the goroutine that made the
// ticker.
func (p *pacer) set(every time.Duration) {
	if p.ticker == nil && p.program != nil {
		p.ticker = tickerOf(p.program)
	}
	if p.ticker != nil {
		p.ticker.Reset(every)
	}
}

// tickerOf is the renderer's ticker, nil where the program has none (any more).
func tickerOf(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
}
