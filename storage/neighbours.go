package storage

import (
	"context"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// lookEvery is how often a host looks whether the other hosts live: what one
// leaves behind is taken over no later. A host that is alone looks at nothing.
const lookEvery = 200 * time.Millisecond

// neighbours are the other hosts of the data directory. One that ends by itself
// commits, which is noticed; one that is killed only lets its lock go.
type neighbours struct {
	s    *Store
	list map[engine.HostID]neighbour
	tick *time.Ticker // runs while there is somebody whose death would have to be noticed
}

func newNeighbours(s *Store) *neighbours {
	n := &neighbours{s: s, tick: time.NewTicker(lookEvery)}
	n.tick.Stop()
	return n
}

func (n *neighbours) close() { n.tick.Stop() }

type neighbour struct {
	beats bool // it has no lock but a heartbeat
	dead  bool // that was told
}

// refresh learns who is there, where this process is a host itself.
func (n *neighbours) refresh() {
	self := n.s.host.ID()
	if self == "" {
		return
	}
	list := map[engine.HostID]neighbour{}
	err := n.s.read(context.Background(), "list hosts", func(c *conn) error {
		return c.query(`SELECT id, max(heartbeat) FROM hosts WHERE id <> ? GROUP BY id`, func(r row) error {
			id := engine.HostID(r.text(0))
			list[id] = neighbour{beats: r.int(1) != 0, dead: n.list[id].dead}
			return nil
		}, string(self))
	})
	if err != nil {
		n.s.logf("storage: list hosts: %v", err)
		return
	}
	had := n.watched()
	n.list = list
	if has := n.watched(); has && !had {
		n.tick.Reset(lookEvery)
	} else if !has {
		n.tick.Stop()
	}
}

// look reports whether one has died since it last looked.
func (n *neighbours) look() (died bool) {
	for id, h := range n.list {
		if !h.dead && !n.alive(id, h) {
			n.list[id] = neighbour{beats: h.beats, dead: true}
			died = true
		}
	}
	if !n.watched() {
		n.tick.Stop()
	}
	return died
}

func (n *neighbours) alive(id engine.HostID, h neighbour) (alive bool) {
	var err error
	if h.beats {
		err = n.s.read(context.Background(), "look for a host", func(c *conn) (err error) {
			alive, err = n.s.alive(c, id)
			return err
		})
	} else {
		alive, err = lockHeld(hostLock(n.s.dir, id))
	}
	return alive || err != nil // what can't be seen isn't taken for dead
}

func (n *neighbours) watched() bool {
	for _, h := range n.list {
		if !h.dead {
			return true
		}
	}
	return false
}
