package storage_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/storage"
)

const childEnv = "STORAGE_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := commitForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// commitForEver is the child: a few threads that commit and print what was
// acknowledged.
func commitForEver(dir string) error {
	ctx := context.Background()
	s, err := storage.Open(ctx, storage.Options{Dir: dir, NewID: rand.Text, FileKey: true})
	if err != nil {
		return err
	}
	if _, err := s.Register(ctx, engine.HostScope{}); err != nil {
		return err
	}
	var out sync.Mutex
	var wg sync.WaitGroup
	for i := range 4 {
		id := engine.ThreadID(fmt.Sprint("t", i))
		done, err := s.Commit(ctx, &engine.Commit{
			Create: []engine.Thread{{ID: id, SessionID: "s-" + engine.SessionID(id), CreatedAt: 1}},
			Thread: id, Claim: &engine.Claim{},
		})
		if err != nil {
			return err
		}
		wg.Go(func() {
			for n := 0; ; n++ {
				c := stepCommit(id, done.Fence, n)
				if _, err := s.Commit(ctx, c); err != nil {
					return
				}
				out.Lock()
				fmt.Println(id, c.Messages[0].ID)
				out.Unlock()
			}
		})
	}
	wg.Wait()
	return nil
}

func TestKillLosesNothingAcknowledged(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	acked := map[engine.ThreadID][]engine.MessageID{}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var id engine.ThreadID
		var m engine.MessageID
		if _, err := fmt.Sscan(lines.Text(), &id, &m); err != nil {
			continue // cut by the kill
		}
		acked[id] = append(acked[id], m)
		if n == 150 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	if len(acked) == 0 {
		t.Fatal("the child committed nothing")
	}
	s := open(t, dir)
	if _, err := s.Register(t.Context(), engine.HostScope{}); err != nil {
		t.Fatal(err)
	}
	for id, messages := range acked {
		checkSurvived(t, s, id, messages)
	}
}

func checkSurvived(t *testing.T, s *storage.Store, id engine.ThreadID, acked []engine.MessageID) {
	t.Helper()
	rec, err := s.Thread(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Messages(t.Context(), engine.MessageQuery{Thread: id, Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Messages) < len(acked) {
		t.Fatalf("%s has %d messages, %d were acknowledged", id, len(page.Messages), len(acked))
	}
	for i, m := range acked {
		if page.Messages[i].ID != m {
			t.Fatalf("message %d of %s is %s, %s was acknowledged", i, id, page.Messages[i].ID, m)
		}
	}
	events, err := s.Events(t.Context(), engine.EventQuery{Session: rec.SessionID, Limit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != 3*len(page.Messages) || rec.Read.Sequence != int64(len(events)) {
		t.Errorf("%s has %d events, %d messages and a read model at %d: they aren't of the same commits",
			id, len(events), len(page.Messages), rec.Read.Sequence)
	}
	// The killed host's lock is free: its threads are taken over at once.
	if _, err := s.Commit(t.Context(), &engine.Commit{Thread: id, Claim: &engine.Claim{Fence: rec.Fence}}); err != nil {
		t.Errorf("claim after the kill: %v", err)
	}
}
