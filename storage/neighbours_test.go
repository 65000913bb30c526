package storage

import (
	"crypto/rand"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// TestDeathOfAHostIsAChange: a host that is killed commits nothing, and the others
// hear of it all the same.
func TestDeathOfAHostIsAChange(t *testing.T) {
	for _, poll := range []bool{false, true} {
		dir := t.TempDir()
		host := func() *Store {
			s, err := Open(t.Context(), Options{Dir: dir, NewID: rand.Text, Logf: t.Logf, FileKey: true, Poll: poll})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			if _, err := s.Register(t.Context(), engine.HostScope{Project: "/p"}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		killed := host()
		other := host() // after the last commit of the one that is killed
		if err := killed.host.lock.Close(); err != nil {
			t.Fatal(err)
		}
		<-other.Changes()
	}
}

// TestLoneHostLooksAtNothing: it looks after others only while there are any.
func TestLoneHostLooksAtNothing(t *testing.T) {
	a := openHere(t, nil)
	n := newNeighbours(a)
	defer n.close()
	a.host.id = "self"
	n.refresh()
	if n.watched() {
		t.Fatal("a lone host watches somebody")
	}
	lock, err := holdLock(hostLock(a.dir, "other"))
	if err != nil {
		t.Fatal(err)
	}
	a.mustExec(t, `INSERT INTO hosts (id, project, session, started, heartbeat) VALUES ('other', '/p', '', 1, 0)`)
	if n.refresh(); !n.watched() || n.look() {
		t.Fatal("a live host isn't watched")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if !n.look() || n.look() {
		t.Fatal("its death isn't told once")
	}
	if n.refresh(); n.watched() {
		t.Fatal("a dead host is watched")
	}
	a.host.id = ""
}
