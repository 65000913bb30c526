package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// watch prints a run's events as they are committed: envelopes for stream-json,
// a line of progress a tool call for a person at a terminal.
type watch struct {
	o       *runOptions
	turn    engine.TurnID
	begun   bool // the turn's submission was seen, or lies before
	sub     *engine.Subscription
	cancel  context.CancelFunc
	done    chan struct{}
	encoder *json.Encoder
}

// watch starts to print what follows the event after: from the submission of
// turn on, or all of it where that was earlier. It does nothing where the form
// of the output shows no events.
func (o *runOptions) watch(ctx context.Context, w *world, turn *engine.TurnRead, after int64, submitted bool) *watch {
	progress := o.output == outputText && o.ErrTTY
	if o.output != outputStream && !progress {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	v := &watch{o: o, turn: turn.TurnID, begun: submitted, cancel: cancel, done: make(chan struct{})}
	v.sub = w.control.Subscribe(turn.SessionID, after)
	v.encoder = json.NewEncoder(o.Out)
	v.encoder.SetEscapeHTML(false)
	go v.pump(ctx)
	return v
}

func (v *watch) pump(ctx context.Context) {
	defer close(v.done)
	for {
		events, err := v.sub.Next(ctx)
		if err != nil {
			return
		}
		for i := range events {
			if !v.show(&events[i]) {
				return
			}
		}
	}
}

// show prints one event and reports whether more belong to the turn.
func (v *watch) show(e *engine.Event) bool {
	if e.Volatile() {
		return true
	}
	own := e.TurnID == v.turn
	v.begun = v.begun || own && e.Type == engine.EventTurnSubmitted
	if !v.begun {
		return true
	}
	if v.o.output == outputStream {
		if err := v.encoder.Encode(e); err != nil {
			return false
		}
	} else {
		v.progress(e)
	}
	ended := e.Type == engine.EventTurnCompleted || e.Type == engine.EventTurnFailed
	return !ended || !own
}

// progress tells a person at the terminal what the run does.
func (v *watch) progress(e *engine.Event) {
	var tool engine.ToolPayload
	switch e.Type {
	case engine.EventToolStarted:
		_ = json.Unmarshal(e.Payload, &tool)
		fmt.Fprintf(v.o.Err, "· %s\n", oneLine(tool.Name+" "+tool.Arguments, 100))
	case engine.EventToolFailed:
		_ = json.Unmarshal(e.Payload, &tool)
		fmt.Fprintf(v.o.Err, "· %s failed: %s\n", tool.Name, oneLine(tool.Preview, 200))
	case engine.EventRuntimeWarning:
		var incident engine.WarningPayload
		_ = json.Unmarshal(e.Payload, &incident)
		fmt.Fprintf(v.o.Err, "warning: %s\n", oneLine(incident.Message, 400))
	default:
	}
}

// drainPatience bounds the wait for events that are committed already.
const drainPatience = 5 * time.Second

// drain waits until everything up to the turn's end is printed.
func (v *watch) drain(ctx context.Context, w *world, turn *engine.TurnRead) {
	if v == nil || !turn.Status.Ended() {
		return
	}
	select {
	case <-v.done:
	case <-time.After(drainPatience):
		w.log.printf("the end event of turn %s didn't arrive", turn.TurnID)
	case <-ctx.Done():
	}
}

// stop ends the watch; it may be called more than once.
func (v *watch) stop() {
	if v == nil {
		return
	}
	v.cancel()
	v.sub.Close()
	<-v.done
}
