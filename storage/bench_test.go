package storage_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// stepCommit is what a step writes: a message, three events and the runtime
// state, under the lease.
func stepCommit(thread engine.ThreadID, fence engine.Fence, n int) *engine.Commit {
	now := time.UnixMicro(1_750_000_000_000_000 + int64(n))
	text := "The weather in Paris is mild today, with a light wind from the west and some clouds in the afternoon."
	turn := engine.TurnID("0198c5a2-7b1e-7cc0-9f5e-" + thread)
	event := func(typ engine.EventType, payload string) engine.Event {
		return engine.Event{
			Type: typ, EventID: engine.EventID(fmt.Sprintf("0198c5a2-7b1e-7cc0-9f5e-%d-%s", n, typ)), Timestamp: now,
			SchemaVersion: engine.EventSchemaVersion, RuntimeID: "0198c5a2-7b1e-7cc0-9f5e-000000000000",
			SessionID: engine.SessionID("s-" + thread), ThreadID: thread, TurnID: turn, RunID: "0198c5a2-7b1e-7cc0-9f5e-111111111111",
			Payload: []byte(payload),
		}
	}
	return &engine.Commit{
		Now: now, Thread: thread, Fence: fence,
		Exec: &engine.Exec{Active: true, State: []byte(fmt.Sprintf(`{"runId":"r","step":%d,"side":"side_a","open":[{"id":"call_1","name":"weather"}]}`, n))},
		Messages: []engine.Message{{
			ID: engine.MessageID(fmt.Sprintf("0198c5a2-7b1e-7cc0-9f5e-%012d", n)), ThreadID: thread, Role: engine.RoleAssistant,
			Content: &text, Status: engine.MessageCompleted, CreatedAt: engine.MicrosOf(now), TurnID: turn, RunID: "r", Side: "side_a",
		}},
		Events: []engine.Event{
			event(engine.EventModelCompleted, `{"messageId":"m","model":"default","step":1,"usage":{"promptTokens":120,"completionTokens":30,"totalTokens":150},"cost":0.001,"preview":"The weather in Paris"}`),
			event(engine.EventToolStarted, `{"name":"weather","messageId":"m2","arguments":"{\"city\":\"Paris\"}"}`),
			event(engine.EventModelRequested, `{"messageId":"m3","model":"default","provider":"openai","prompt":"main","side":"side_a","step":2}`),
		},
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, threads := range []int{1, 100} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) { benchCommit(b, threads) })
	}
}

func benchCommit(b *testing.B, threads int) {
	s := open(b, b.TempDir())
	ctx := b.Context()
	if _, err := s.Register(ctx, engine.HostScope{}); err != nil {
		b.Fatal(err)
	}
	fences := make([]engine.Fence, threads)
	for i := range threads {
		id := engine.ThreadID(fmt.Sprintf("thread-%d", i))
		done, err := s.Commit(ctx, &engine.Commit{
			Create: []engine.Thread{{ID: id, SessionID: "s-" + engine.SessionID(id), Agent: "support", CreatedAt: 1}},
			Thread: id, Claim: &engine.Claim{},
		})
		if err != nil {
			b.Fatal(err)
		}
		fences[i] = done.Fence
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for i := range threads {
		wg.Go(func() {
			id := engine.ThreadID(fmt.Sprintf("thread-%d", i))
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				if _, err := s.Commit(ctx, stepCommit(id, fences[i], int(n))); err != nil {
					b.Errorf("Commit: %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

func BenchmarkMessages(b *testing.B) {
	s := open(b, b.TempDir())
	ctx := b.Context()
	id := engine.ThreadID("long")
	_, err := s.Commit(ctx, &engine.Commit{Create: []engine.Thread{{ID: id, SessionID: "s-long", Agent: "support", CreatedAt: 1}}})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < 10_000; n += 500 {
		c := &engine.Commit{Thread: id}
		for i := range 500 {
			c.Messages = append(c.Messages, stepCommit(id, 0, n+i).Messages...)
		}
		if _, err := s.Commit(ctx, c); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("window", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Messages(ctx, engine.MessageQuery{Thread: id, Limit: 50}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("count", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Messages(ctx, engine.MessageQuery{Thread: id, Limit: 50, MaxDepth: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("thread", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Thread(ctx, id); err != nil {
				b.Fatal(err)
			}
		}
	})
}
