package worker

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/js"
)

const (
	heapTick   = time.Millisecond
	heapSlack  = 4 << 20  // of a heap that counts as being back at its start
	heapLittle = 12 << 20 // garbage that isn't worth a collection
)

// heapWatch ends the process when the run's live heap passes its limit.
type heapWatch struct {
	jail *jail.Jail
	base int64 // live heap of a worker that hasn't run anything

	mu    sync.Mutex
	done  chan struct{}
	bound int64 // the limit that the system was told last
}

func newHeapWatch(j *jail.Jail) *heapWatch {
	runtime.GC()
	live, _ := heap()
	return &heapWatch{jail: j, base: live}
}

// heap is what the last collection found alive, stacks included, and what is
// allocated now.
func heap() (live, objects int64) {
	sample := [...]metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample[:])
	stacks := int64(sample[2].Value.Uint64())
	return int64(sample[0].Value.Uint64()) + stacks, int64(sample[1].Value.Uint64()) + stacks
}

func (w *heapWatch) start(limit int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done = make(chan struct{})
	if w.bound != limit { // the heap is back at its start, so an equal bound still fits
		if err := w.jail.LimitData(limit + outside); err != nil {
			fmt.Fprintln(os.Stderr, "limit the memory:", err)
			os.Exit(1)
		}
		w.bound = limit
	}
	go w.look(limit, w.done)
}

// look asks for a collection when a quarter more than the limit is allocated: what
// it leaves is what the run holds.
func (w *heapWatch) look(limit int64, done chan struct{}) {
	tick := time.NewTicker(heapTick)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		live, objects := heap()
		if live <= w.base+limit && objects > w.base+limit+limit/4 {
			runtime.GC()
			live, _ = heap()
		}
		if live > w.base+limit || w.jail.Resident() > w.base+limit+outside {
			fmt.Fprintf(os.Stderr, "out of memory: the heap passed its limit of %d MiB\n", limit>>20)
			os.Exit(exitMemory)
		}
	}
}

// stop ends the watch of a run whose runtime was dropped. It is false when the heap
// isn't back where it began.
func (w *heapWatch) stop() bool {
	w.mu.Lock()
	close(w.done)
	w.mu.Unlock()
	if _, objects := heap(); objects <= w.base+heapLittle {
		return true
	}
	runtime.GC()
	live, _ := heap()
	return live <= w.base+heapSlack
}

const (
	maxLinks     = 32
	maxLinkBytes = 1 << 20
)

// linkCache keeps compiled programs of a worker, all of one thread.
type linkCache struct {
	programs map[[32]byte]*js.Program
	bytes    int
}

// program links and compiles, unless it did so before. Only one run goes on at a
// time, so it needs no lock.
func (c *linkCache) program(s *js.Sealed, r js.SealedRequest) (*js.Program, *SandboxRefuse) {
	raw, err := json.Marshal(r)
	key := sha256.Sum256(raw)
	if p := c.programs[key]; p != nil && err == nil {
		return p, nil
	}
	code, refused := js.LinkSealed(r)
	if refused != nil {
		return nil, &SandboxRefuse{Name: refused.Name, Message: refused.Message, Filename: refused.Filename,
			Specifier: refused.Specifier, Line: refused.Line, Column: refused.Column}
	}
	p, err := s.Compile(code)
	if err != nil {
		t := thrownOf(err)
		return nil, &SandboxRefuse{Name: t.Name, Message: t.Message, Filename: t.File, Line: t.Line, Column: t.Column}
	}
	if len(c.programs) >= maxLinks || c.bytes+len(raw) > maxLinkBytes {
		for _, old := range c.programs {
			s.Forget(old)
		}
		c.programs, c.bytes = nil, 0
	}
	if c.programs == nil {
		c.programs = map[[32]byte]*js.Program{}
	}
	c.programs[key], c.bytes = p, c.bytes+len(raw)
	return p, nil
}
