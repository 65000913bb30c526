package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/gofrs/uuid/v5"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/storage"
)

// A thread whose queue moves while it is terminated is terminated all the same.
func TestTerminateWhileTheQueueMoves(t *testing.T) {
	ctx := context.Background()
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	store, err := storage.Open(ctx, storage.Options{Dir: t.TempDir(), Now: time.Now, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	models := &provider.Scripted{Answer: func(context.Context, *engine.ModelRequest) provider.Reply { return provider.Reply{Text: "yes"} }}
	e := engine.New(engine.Config{Store: store, Project: engine.FixedProject{Defs: spawnProject()}, Models: models,
		Scripts: okScripts{}, Now: time.Now, NewID: newID, After: time.After})
	if err := e.Start(ctx, engine.HostScope{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Stop(ctx) }()
	for range 50 {
		thread, err := e.Control().CreateThread(ctx, engine.CreateThread{Agent: "parent"})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := e.Control().SubmitTurn(ctx, engine.SubmitTurn{ThreadID: thread.ThreadID, Content: "go"})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Control().Terminate(ctx, thread.ThreadID); err != nil {
			t.Fatalf("terminate: %v", err)
		}
		if _, err := e.Control().WaitTurn(ctx, turn.TurnID); err != nil {
			t.Fatalf("the turn doesn't end: %v", err)
		}
	}
}
