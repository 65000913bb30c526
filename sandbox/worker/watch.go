package worker

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/metrics"
	"time"
)

// watch starts looking for blocked loops while calls are open; with mu held.
func (s *server) watch() {
	if s.watching || s.set.StallAfter <= 0 {
		return
	}
	s.watching = true
	go func() {
		tick := time.NewTicker(max(s.set.StallAfter/4, time.Millisecond))
		defer tick.Stop()
		for range tick.C {
			if !s.look() {
				return
			}
		}
	}()
}

// look reports the loops that have been blocked for too long. It is false when
// no call is open, and the watch ends.
func (s *server) look() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		s.watching = false
		return false
	}
	for i, state := range s.vms {
		if state.vm == nil {
			continue
		}
		since, fn, busy := state.vm.Busy()
		if !busy || time.Since(since) < s.set.StallAfter || since.Equal(state.stall) {
			continue
		}
		state.stall = since
		body, err := json.Marshal(stallReport{VM: i, Fn: fn, Since: since})
		if err == nil {
			_ = s.out.write(frame{kind: kindStall, body: body})
		}
	}
	return true
}

// How often the heap is looked at: seldom while it doesn't grow, so that a worker
// at rest costs nothing.
const (
	growing = 50 * time.Millisecond
	still   = 500 * time.Millisecond
)

// watchMemory ends the process when its live heap passes limit, before the
// machine has to choose whom to kill.
func watchMemory(limit int64) {
	last, wait := int64(0), growing
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	for {
		<-time.After(wait)
		metrics.Read(sample)
		objects, live := int64(sample[0].Value.Uint64()), int64(sample[1].Value.Uint64())
		if live > limit || objects > 2*limit {
			fmt.Fprintf(os.Stderr, "out of memory: the heap passed its limit of %d MiB\n", limit>>20)
			os.Exit(exitMemory)
		}
		if wait = still; objects > last {
			wait = growing
		}
		last = objects
	}
}
