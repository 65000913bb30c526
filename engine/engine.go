package engine

import (
	"context"
	"sync"
	"time"
)

// Config is what an Engine is built from. Store, Project and the functions are
// required; a nil Models or Scripts makes every call of one an error.
type Config struct {
	Store   Store
	Project Project
	Models  Models
	Scripts Scripts
	Now     func() time.Time
	NewID   func() string
	// After delivers once after d: the clock's timer (retry back-off).
	After func(d time.Duration) <-chan time.Time
	// ProcessEnv reads a variable of this process that a provider or the project
	// declares.
	ProcessEnv func(name string) (string, bool)
	// HookTimeout is how long one hook may take; 0 means the constant HookTimeout.
	HookTimeout time.Duration
	// Logf gets one line per thing worth a diagnosis; never a secret.
	Logf func(format string, args ...any)
}

// Engine runs threads of one project on one store.
type Engine struct {
	c      Config
	broker *broker
	watch  sync.Once // starts the goroutine that relays other processes' commits

	mu      sync.Mutex
	host    *host                // nil unless this process hosts
	running map[ThreadID]*runner // threads that this process runs now
	faults  map[ThreadID]error   // why a thread couldn't go on, until it does
	env     envCache
	secrets secrets
	thumbs  sync.Mutex // held while an image is decoded
}

// New builds an Engine. It does nothing until Start; the control plane works at
// once.
func New(c Config) *Engine {
	if c.Logf == nil {
		c.Logf = func(string, ...any) {}
	}
	if c.HookTimeout == 0 {
		c.HookTimeout = HookTimeout
	}
	if c.ProcessEnv == nil {
		c.ProcessEnv = func(string) (string, bool) { return "", false }
	}
	return &Engine{
		c: c, broker: newBroker(c.Store),
		running: map[ThreadID]*runner{}, faults: map[ThreadID]error{},
	}
}

// Control returns the control plane.
func (e *Engine) Control() *ControlPlane { return &ControlPlane{e} }

// relay starts, once, to tell subscribers of other processes' commits. The
// goroutine ends when the store closes its channel.
func (e *Engine) relay() {
	e.watch.Do(func() {
		changes := e.c.Store.Changes()
		go func() {
			for range changes {
				e.env.drop()
				e.broker.poke()
				e.pokeHost()
			}
		}()
	})
}

// commit makes c durable and publishes its events. The work that led to it is
// done, so a cancelled context doesn't keep it from being recorded.
func (e *Engine) commit(ctx context.Context, c *Commit) (*Committed, error) {
	c.Now = e.c.Now()
	for i := range c.Events {
		ev := &c.Events[i]
		if ev.EventID == "" {
			ev.EventID = EventID(e.c.NewID())
		}
		ev.Timestamp, ev.SchemaVersion, ev.RuntimeID = c.Now.UTC(), EventSchemaVersion, e.c.Store.Runtime()
	}
	done, err := e.c.Store.Commit(context.WithoutCancel(ctx), c)
	if err != nil {
		return nil, err
	}
	if len(c.Env) > 0 {
		e.env.drop()
	}
	e.broker.publish(done.Events)
	for i := range c.Enqueue {
		e.wake(c.Enqueue[i].ThreadID)
	}
	if len(c.Signals) > 0 || len(c.Schedule) > 0 {
		e.pokeHost()
	}
	return done, nil
}

// pokeHost makes the host of this process, if it is one, look for work.
func (e *Engine) pokeHost() {
	e.mu.Lock()
	h := e.host
	e.mu.Unlock()
	if h != nil {
		h.poke()
	}
}
