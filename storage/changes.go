package storage

import (
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// changeRate bounds how often the database is looked at: writes of any process,
	// this one's included, come in bursts.
	changeRate = 25 * time.Millisecond
	// pollWatched is how often it is looked at although nothing was heard, and
	// pollBlind where the system can't watch files.
	pollWatched = 2 * time.Second
	pollBlind   = 50 * time.Millisecond
)

// changes tells of other processes' commits, and of other hosts' deaths. A write
// to the log wakes it; the writer then compares the data version, which only other
// connections' commits change.
type changes struct {
	ch    chan struct{}
	hosts chan struct{} // this process became a host
	quit  chan struct{}
	ended chan struct{}
	mu    sync.Mutex // guards sending on ch against closing it
	shut  bool
}

func newChanges() *changes {
	return &changes{ch: make(chan struct{}, 1), hosts: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{})}
}

// Changes returns the channel of engine.EventLog.
func (s *Store) Changes() <-chan struct{} { return s.changes.ch }

func (c *changes) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.shut {
		return
	}
	select {
	case c.ch <- struct{}{}:
	default: // one is waiting to be read
	}
}

func (c *changes) watch(s *Store, poll bool) {
	if poll {
		go c.run(s, nil)
		return
	}
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(dbPath(s.dir) + "-wal"); err != nil {
			_ = w.Close() // nothing is watched
		}
	}
	if err != nil {
		s.logf("storage: watch %s: %v; looking every %v instead", s.dir, err, pollBlind)
		w = nil
	}
	go c.run(s, w)
}

func (c *changes) run(s *Store, w *fsnotify.Watcher) {
	defer close(c.ended)
	var events chan fsnotify.Event
	poll := pollBlind
	if w != nil {
		defer w.Close() //nolint:errcheck // it only read
		events, poll = w.Events, pollWatched
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	pause := time.NewTimer(0)
	<-pause.C
	others := newNeighbours(s)
	defer others.close()
	for {
		select {
		case <-c.quit:
			return
		case <-c.hosts:
			others.refresh()
			continue
		case <-others.tick.C:
			if others.look() {
				c.signal()
			}
			continue
		case <-events:
		case <-tick.C:
		}
		if s.w.noticeOthers() {
			others.refresh()
			c.signal()
		}
		// What is written meanwhile waits in the watcher, folded by the system.
		pause.Reset(changeRate)
		select {
		case <-c.quit:
			return
		case <-pause.C:
		}
	}
}

// joined makes it watch over the other hosts.
func (c *changes) joined() {
	select {
	case c.hosts <- struct{}{}:
	default:
	}
}

func (c *changes) close() {
	close(c.quit)
	<-c.ended
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shut = true
	close(c.ch)
}
