package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// looked counts how often a host looks for work.
type looked struct {
	engine.Store
	times atomic.Int64
}

func (l *looked) Runnable(ctx context.Context, scope engine.HostScope) ([]engine.ThreadID, error) {
	l.times.Add(1)
	return l.Store.Runnable(ctx, scope)
}

// TestHostAtRestLooksAtNothing: while nothing happens, a host doesn't look for
// work, but for once in a long while.
func TestHostAtRestLooksAtNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		inner, err := storage.Open(ctx, storage.Options{Dir: t.TempDir(), Now: time.Now, NewID: func() string { return "one" }, FileKey: true, Poll: true})
		if err != nil {
			t.Fatal(err)
		}
		defer inner.Close() //nolint:errcheck // of a test
		store := &looked{Store: inner}
		e := engine.New(engine.Config{Store: store, Project: engine.FixedProject{Defs: spawnProject()}, Models: &provider.Scripted{},
			Scripts: okScripts{}, Now: time.Now, NewID: func() string { return "two" }, After: time.After})
		if err := e.Start(ctx, engine.HostScope{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := store.times.Load()
		time.Sleep(5 * time.Minute) // of the bubble's clock
		if n := store.times.Load() - before; n > 10 {
			t.Errorf("it looked %d times in 5 minutes", n)
		}
		if err := e.Stop(context.WithoutCancel(ctx)); err != nil {
			t.Fatal(err)
		}
	})
}
