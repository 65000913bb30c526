package engine

import (
	"context"
	"sync"
)

// broker hands committed and volatile events to subscribers. The publisher never
// blocks: a subscriber that can't keep up loses volatile events, and reads the
// durable ones that it missed from the log.
type broker struct {
	log  EventLog
	mu   sync.Mutex
	subs map[*subscriber]struct{}
}

func newBroker(log EventLog) *broker {
	return &broker{log: log, subs: map[*subscriber]struct{}{}}
}

// publish offers events that are already committed, or volatile.
func (b *broker) publish(events []Event) {
	if len(events) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		s.offer(events)
	}
}

// poke tells every subscriber that another process committed something.
func (b *broker) poke() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		s.poke()
	}
}

func (b *broker) listening(session SessionID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for s := range b.subs {
		if s.match == nil && (s.session == "" || s.session == session) {
			return true
		}
	}
	return false
}

func (b *broker) add(session SessionID, after int64) *subscriber {
	s := &subscriber{b: b, session: session, last: after, ready: make(chan struct{}, 1), dirty: true}
	s.wake()
	b.mu.Lock()
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	return s
}

// signal adds a subscriber that only wakes: by events that match, and by pokes.
func (b *broker) signal(match func(*Event) bool) *subscriber {
	s := &subscriber{b: b, match: match, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	b.subs[s] = struct{}{}
	b.mu.Unlock()
	return s
}

type subscriber struct {
	b       *broker
	session SessionID
	match   func(*Event) bool // not nil: keep nothing, wake when it's true
	ready   chan struct{}     // capacity 1: something is there

	mu     sync.Mutex
	buf    []Event
	last   int64 // the last durable sequence that was delivered
	dirty  bool  // the log may hold more than buf
	poked  bool  // another process committed; for a subscription to all sessions
	closed bool
}

func (s *subscriber) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *subscriber) offer(events []Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range events {
		e := &events[i]
		if s.match != nil {
			if s.match(e) {
				s.wake()
			}
			continue
		}
		if s.session != "" && e.SessionID != s.session {
			continue
		}
		switch {
		case len(s.buf) < MaxOpenEvents:
			s.buf = append(s.buf, *e)
		case !e.Volatile():
			s.dirty = true
		}
		s.wake()
	}
}

func (s *subscriber) poke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == "" {
		s.poked = true
	} else {
		s.dirty = true
	}
	s.wake()
}

func (s *subscriber) close() {
	s.b.mu.Lock()
	delete(s.b.subs, s)
	s.b.mu.Unlock()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
}

// next blocks until there are events.
func (s *subscriber) next(ctx context.Context) ([]Event, error) {
	for {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
		if out, err := s.take(ctx); err != nil || len(out) > 0 {
			return out, err
		}
	}
}

// wait blocks until something may be there.
func (s *subscriber) wait(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take returns what is ready: from the buffer where that continues what was
// delivered, else from the log, which has every committed event.
func (s *subscriber) take(ctx context.Context) ([]Event, error) {
	s.mu.Lock()
	buf, dirty, poked, closed := s.buf, s.dirty, s.poked, s.closed
	s.buf, s.dirty, s.poked = nil, false, false
	s.mu.Unlock()
	if closed {
		return nil, Errorf(CodeCanceled, "follow events", "the subscription is closed")
	}
	if s.session == "" {
		if poked {
			buf = append(buf, Event{Type: EventSnapshotUpdated, SchemaVersion: EventSchemaVersion})
		}
		return buf, nil
	}
	if !dirty && s.contiguous(buf) {
		return s.deliver(buf), nil
	}
	return s.refill(ctx, buf)
}

func (s *subscriber) contiguous(buf []Event) bool {
	last := s.last
	for i := range buf {
		seq := buf[i].Sequence
		if seq == 0 || seq <= last {
			continue
		}
		if seq != last+1 {
			return false
		}
		last = seq
	}
	return true
}

// deliver drops what was delivered before.
func (s *subscriber) deliver(buf []Event) []Event {
	out := buf[:0]
	for _, e := range buf {
		if e.Sequence != 0 {
			if e.Sequence <= s.last {
				continue
			}
			s.last = e.Sequence
		}
		out = append(out, e)
	}
	return out
}

// refill reads the log after the last delivered event and appends the buffer's
// volatile events, whose place between the durable ones no longer matters.
func (s *subscriber) refill(ctx context.Context, buf []Event) ([]Event, error) {
	logged, err := s.b.log.Events(ctx, EventQuery{Session: s.session, After: s.last})
	if err != nil {
		s.mu.Lock()
		s.dirty = true
		s.mu.Unlock()
		return nil, err
	}
	if len(logged) > 0 {
		s.mu.Lock()
		s.dirty = true // until the log has no more
		s.mu.Unlock()
		s.wake()
	}
	out := s.deliver(logged)
	for _, e := range buf {
		if e.Sequence == 0 {
			out = append(out, e)
		}
	}
	return out, nil
}
