package tui

import (
	"reflect"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// An update of the library that renames its ticker makes an idle interface busy.
func TestTheRendererHasTheTickerThatPacerRests(t *testing.T) {
	f, ok := reflect.TypeFor[tea.Program]().FieldByName("ticker")
	if !ok || f.Type != reflect.TypeFor[*time.Ticker]() {
		t.Error("tea.Program has no ticker of type *time.Ticker: see pacer")
	}
}

func TestPacerRestsOnlyWhenNothingHappened(t *testing.T) {
	p := pacer{program: tea.NewProgram(nil), ticker: time.NewTicker(time.Hour)}
	defer p.ticker.Stop()
	if p.wake() == nil || !p.awake {
		t.Fatal("a message doesn't wake it")
	}
	if p.wake() != nil {
		t.Error("two timers run")
	}
	if p.onRest() == nil || !p.awake {
		t.Error("it rests although something happened")
	}
	if p.onRest() != nil || p.awake {
		t.Error("it doesn't rest")
	}
}
