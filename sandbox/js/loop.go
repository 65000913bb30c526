package js

import (
	"container/heap"
	"sync"
	"time"
)

// loop is an event loop: tasks in the order they were posted, and timers in the
// order they are due. run executes all of them on the goroutine that called it;
// the timers belong to that goroutine.
type loop struct {
	mu     sync.Mutex
	queue  []func()
	closed bool
	wake   chan struct{}

	timers timerHeap
	byID   map[int64]*timer
	nextID int64
}

type timer struct {
	id    int64
	due   time.Time
	index int // place in the heap; -1 when it isn't there
	every time.Duration
	fire  func()
}

func newLoop() *loop { return &loop{wake: make(chan struct{}, 1), byID: map[int64]*timer{}} }

// post adds a task; it never blocks. After close it does nothing.
func (l *loop) post(f func()) {
	l.mu.Lock()
	if !l.closed {
		l.queue = append(l.queue, f)
	}
	l.mu.Unlock()
	l.signal()
}

func (l *loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *loop) close() {
	l.mu.Lock()
	l.closed, l.queue = true, nil
	l.mu.Unlock()
	l.signal()
}

func (l *loop) take() (tasks []func(), closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tasks, l.queue = l.queue, nil
	return tasks, l.closed
}

func (l *loop) run() {
	sleep := time.NewTimer(time.Hour)
	defer sleep.Stop()
	for {
		tasks, closed := l.take()
		if closed {
			return
		}
		for _, f := range tasks {
			f()
		}
		ran := l.fireDue(time.Now())
		if len(tasks) > 0 || ran {
			continue
		}
		if len(l.timers) == 0 {
			<-l.wake
			continue
		}
		sleep.Reset(time.Until(l.timers[0].due))
		select {
		case <-l.wake:
		case <-sleep.C:
		}
	}
}

// fireDue runs the timers that were due at now; those that they start wait for
// the next turn of the loop.
func (l *loop) fireDue(now time.Time) bool {
	var due []*timer
	for len(l.timers) > 0 && !l.timers[0].due.After(now) {
		due = append(due, heap.Pop(&l.timers).(*timer))
	}
	for _, t := range due {
		if l.byID[t.id] == nil {
			continue // cleared by one that ran just before
		}
		if t.every == 0 {
			delete(l.byID, t.id)
		}
		t.fire()
		if t.every > 0 && l.byID[t.id] != nil {
			t.due = time.Now().Add(t.every)
			heap.Push(&l.timers, t)
		}
	}
	return len(due) > 0
}

// start adds a timer; on the loop's goroutine only.
func (l *loop) start(after time.Duration, repeat bool, fire func()) int64 {
	l.nextID++
	t := &timer{id: l.nextID, due: time.Now().Add(after), fire: fire}
	if repeat {
		t.every = max(after, time.Millisecond)
	}
	l.byID[t.id] = t
	heap.Push(&l.timers, t)
	return t.id
}

// stop removes a timer; on the loop's goroutine only.
func (l *loop) stop(id int64) {
	t := l.byID[id]
	if t == nil {
		return
	}
	delete(l.byID, id)
	if t.index >= 0 {
		heap.Remove(&l.timers, t.index)
	}
}

// clear removes all timers; on the loop's goroutine only.
func (l *loop) clear() {
	l.timers = nil
	clear(l.byID)
}

type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	if h[i].due.Equal(h[j].due) {
		return h[i].id < h[j].id
	}
	return h[i].due.Before(h[j].due)
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}
func (h *timerHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	t.index = -1
	*h = old[:len(old)-1]
	return t
}
