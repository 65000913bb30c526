package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// EffectState is the state of a scheduled effect.
type EffectState string

const (
	EffectPending EffectState = "pending"
	EffectDead    EffectState = "dead" // failed EffectAttempts times; kept until it's removed or run again
)

// Scheduled is one scheduled effect of a thread. At says when it is due; a failed
// one is due again after a back-off.
type Scheduled struct {
	ID        ScheduleID      `json:"id"`
	ThreadID  ThreadID        `json:"threadId"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	At        Micros          `json:"scheduledAt"`
	CreatedAt Micros          `json:"createdAt"`
	Attempts  int             `json:"attempts"`
	State     EffectState     `json:"state"`
	Error     string          `json:"error,omitempty"`
}

// EffectStore reads scheduled effects; Commit.Schedule and Unschedule change them.
type EffectStore interface {
	// Scheduled lists a thread's effects ("" means every thread's) with a name
	// ("" means any) by when they are due.
	Scheduled(ctx context.Context, thread ThreadID, name string) ([]Scheduled, error)
	// Due lists the pending effects of a scope's threads whose time has come,
	// oldest first, and says when that of the next one comes (0: there is none).
	Due(ctx context.Context, scope HostScope, now Micros) (due []Scheduled, next Micros, err error)
}

// ScheduleEffect runs an effect on this thread after a delay, whether or not
// anything else happens (authoring surface §8). It is durable when it returns.
func (s *ThreadState) ScheduleEffect(ctx context.Context, name string, args json.RawMessage, delay time.Duration) (ScheduleID, error) {
	const op = "schedule effect"
	leave, err := s.f.enter(op)
	if err != nil {
		return "", err
	}
	defer leave()
	x := s.f.x
	switch {
	case s.Definitions().Effects[name] == nil:
		return "", Errorf(CodeNotFound, op, "there is no effect named %q in this project", name)
	case len(args) > MaxValueSize:
		return "", Errorf(CodeLimit, op, "the arguments have %d bytes of JSON; the limit is %d", len(args), MaxValueSize)
	case delay < 0:
		return "", Errorf(CodeInvalid, op, "the delay is negative")
	}
	now := x.e.c.Now()
	eff := Scheduled{ID: ScheduleID(x.e.c.NewID()), ThreadID: x.snap.thread.ID, Name: name, Args: args,
		At: MicrosOf(now.Add(delay)), CreatedAt: MicrosOf(now), State: EffectPending}
	c := &Commit{Live: true, Schedule: []Scheduled{eff}, Events: []Event{x.effectEvent(&eff, "scheduled", "")}}
	if err := x.record(ctx, c); err != nil {
		return "", err
	}
	x.e.pokeHost()
	return eff.ID, nil
}

// ScheduledEffects lists what is scheduled on this thread; name "" means any.
func (s *ThreadState) ScheduledEffects(ctx context.Context, name string) ([]Scheduled, error) {
	leave, err := s.f.enter("list effects")
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.f.x.e.c.Store.Scheduled(ctx, s.f.x.snap.thread.ID, name)
}

// RemoveScheduledEffect cancels one; false where there is none.
func (s *ThreadState) RemoveScheduledEffect(ctx context.Context, id ScheduleID) (bool, error) {
	leave, err := s.f.enter("cancel effect")
	if err != nil {
		return false, err
	}
	defer leave()
	x := s.f.x
	list, err := x.e.c.Store.Scheduled(ctx, x.snap.thread.ID, "")
	if err != nil {
		return false, err
	}
	for i := range list {
		if list[i].ID == id {
			return true, x.record(ctx, &Commit{Unschedule: []ScheduleID{id}, Events: []Event{x.effectEvent(&list[i], "cancelled", "")}})
		}
	}
	return false, nil
}

func (x *execution) effectEvent(s *Scheduled, status, problem string) Event {
	return threadEvent(&x.snap.thread, EventThreadUpdated, "",
		UpdatePayload{Kind: UpdateEffect, Name: s.Name, ID: string(s.ID), Text: status, At: s.At, Error: problem})
}

// effectStep runs one due effect while the thread rests. The attempt is counted
// before it begins, so that an effect that takes the process down with it isn't
// run for ever.
func (x *execution) effectStep(parent context.Context, eff Scheduled) (*Commit, error) {
	ctx, done := x.r.begin(parent)
	eff.Attempts++
	if err := x.record(parent, &Commit{Schedule: []Scheduled{eff}, Events: []Event{x.effectEvent(&eff, "started", "")}}); err != nil {
		done()
		return nil, err
	}
	f := newFrame(x, nil, x.newMessageID())
	f.effect, f.outside = &eff, true
	err := x.callEffect(ctx, &eff, f)
	stopping := parent.Err() != nil
	done()
	f.close()
	c := f.take()
	x.snap.due = x.snap.due[1:]
	if stopping && err != nil {
		return c, nil // the next host runs it again
	}
	x.effectOutcome(c, &eff, err)
	return c, nil
}

func (x *execution) callEffect(ctx context.Context, eff *Scheduled, f *frame) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the effect panicked: %v", p)
		}
	}()
	def := x.e.c.Project.Definitions().Effects[eff.Name]
	if def == nil {
		return errors.New("the effect isn't defined in this project (any more)")
	}
	if x.e.c.Scripts == nil {
		return errors.New("this host can't run project code")
	}
	return x.e.c.Scripts.CallEffect(ctx, def, eff.Args, &ThreadState{f: f})
}

// effectOutcome takes a done effect off the schedule; a failed one is due again
// after a back-off, until it is dead.
func (x *execution) effectOutcome(c *Commit, eff *Scheduled, err error) {
	if err == nil {
		c.Unschedule = append(c.Unschedule, eff.ID)
		c.Events = append(c.Events, x.effectEvent(eff, "done", ""))
		return
	}
	eff.Error = clip(err.Error(), PreviewSize)
	status := "retrying"
	if eff.Attempts >= EffectAttempts {
		eff.State, status = EffectDead, "dead"
	} else {
		eff.At = MicrosOf(x.e.c.Now().Add(EffectBackoff << (eff.Attempts - 1)))
	}
	c.Schedule = append(c.Schedule, *eff)
	c.Events = append(c.Events, x.effectEvent(eff, status, preview(eff.Error)))
	if eff.State == EffectDead {
		c.Events = append(c.Events, threadEvent(&x.snap.thread, EventRuntimeWarning, "",
			WarningPayload{Message: fmt.Sprintf("the effect %s failed %d times and won't be tried again: %s", eff.Name, eff.Attempts, preview(eff.Error))}))
	}
}

// Effects lists scheduled effects; thread "" means every thread's.
func (c *ControlPlane) Effects(ctx context.Context, thread ThreadID) ([]Scheduled, error) {
	return c.e.c.Store.Scheduled(ctx, thread, "")
}

// CancelEffect takes an effect off the schedule.
func (c *ControlPlane) CancelEffect(ctx context.Context, id ScheduleID) error {
	eff, rec, err := c.effect(ctx, id)
	if err != nil {
		return err
	}
	x := &execution{e: c.e, snap: snapshot{thread: rec.Thread}}
	_, err = c.e.commit(ctx, &Commit{Unschedule: []ScheduleID{eff.ID}, Events: []Event{x.effectEvent(eff, "cancelled", "")}})
	return err
}

// RunEffect makes an effect due now, a dead one too, with all its attempts.
func (c *ControlPlane) RunEffect(ctx context.Context, id ScheduleID) error {
	eff, rec, err := c.effect(ctx, id)
	if err != nil {
		return err
	}
	eff.At, eff.State, eff.Attempts = MicrosOf(c.e.c.Now()), EffectPending, 0
	x := &execution{e: c.e, snap: snapshot{thread: rec.Thread}}
	_, err = c.e.commit(ctx, &Commit{Schedule: []Scheduled{*eff}, Events: []Event{x.effectEvent(eff, "scheduled", "")}})
	c.e.pokeHost()
	return err
}

func (c *ControlPlane) effect(ctx context.Context, id ScheduleID) (*Scheduled, *ThreadRecord, error) {
	list, err := c.e.c.Store.Scheduled(ctx, "", "")
	if err != nil {
		return nil, nil, err
	}
	var found []*Scheduled
	for i := range list {
		if list[i].ID == id || len(id) >= 4 && strings.HasPrefix(string(list[i].ID), string(id)) {
			found = append(found, &list[i])
		}
	}
	if len(found) != 1 {
		return nil, nil, Errorf(CodeNotFound, "find effect", "no scheduled effect (or more than one) has the id %q; `sideb effects` lists them", id)
	}
	rec, err := c.e.c.Store.Thread(ctx, found[0].ThreadID)
	return found[0], rec, err
}
