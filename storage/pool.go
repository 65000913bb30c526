package storage

import (
	"context"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// maxReaders is how many reads run at the same time; more wait.
const maxReaders = 4

// pool lends connections that only read. They are opened when needed.
type pool struct {
	path  string
	slots chan struct{} // one a connection that is lent

	mu     sync.Mutex
	idle   []*conn
	closed bool
}

func newPool(path string) *pool {
	return &pool{path: path, slots: make(chan struct{}, maxReaders)}
}

func (p *pool) get(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		<-p.slots
		return nil, errClosed()
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := openConn(p.path, true)
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *pool) put(c *conn) {
	p.mu.Lock()
	if p.closed {
		_ = c.close() // it only read
	} else {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	<-p.slots
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		_ = c.close() // it only read
	}
	p.idle = nil
}

func errClosed() error {
	return engine.Errorf(engine.CodeCanceled, "", "the store is closed")
}

// read lends a connection to f. What f reads in one statement is one snapshot.
func (s *Store) read(ctx context.Context, op string, f func(c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.readers.get(ctx)
	if err != nil {
		return s.fault(op, err)
	}
	defer s.readers.put(c)
	return s.fault(op, f(c))
}

// readTogether is read where several statements must see one snapshot.
func (s *Store) readTogether(ctx context.Context, op string, f func(c *conn) error) error {
	return s.read(ctx, op, func(c *conn) error {
		if _, err := c.exec("BEGIN"); err != nil {
			return err
		}
		err := f(c)
		if _, end := c.exec("COMMIT"); err == nil {
			err = end
		}
		return err
	})
}

// timeOf is the time of a commit: its own, or the clock's.
func (s *Store) timeOf(t time.Time) engine.Micros {
	if t.IsZero() {
		t = s.now()
	}
	return micros(t)
}
