package storage_test

import (
	"crypto/rand"
	"testing"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/enginetest"
	"github.com/sideb-dev/sideb/storage"
)

func open(t testing.TB, dir string) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), storage.Options{Dir: dir, NewID: rand.Text, Logf: t.Logf, FileKey: true})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	enginetest.TestStore(t, func(t *testing.T, dir string) engine.Store { return open(t, dir) })
}
