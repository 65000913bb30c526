package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// openCall is a call that runs, as the host sees it.
type openCall struct {
	id   uint64
	ctx  context.Context // ends with the call: what the Host is given
	host Host

	mu      sync.Mutex
	queue   []message // sends that wait for the ones before
	sending chan struct{}
}

type message struct{ method, args string }

// Call calls the function that the program's entry exports as fn and awaits it;
// see the package comment for how. args is JSON text of an array ("" is none).
// The answer is empty when fn returned undefined. All of the call's hostSends
// have been handled when Call returns, unless ctx ended. Errors: *Thrown, *Died,
// ctx's.
func (p *Project) Call(ctx context.Context, program, affinity, fn string, args json.RawMessage, h Host) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = json.RawMessage("[]")
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &openCall{ctx: inner, host: h}
	id, result, err := p.open(c)
	if err != nil {
		return nil, err
	}
	defer p.forget(id)
	if err := p.send(frame{kind: kindCall, id: id, body: fields(program, affinity, fn, string(args))}); err != nil {
		return nil, err
	}
	select {
	case a := <-result:
		if err := c.drained(ctx); err != nil {
			return nil, err
		}
		return a.body, a.err
	case <-ctx.Done():
		p.forget(id)
		go func() { _ = p.send(frame{kind: kindAbort, id: id, body: []byte(context.Cause(ctx).Error())}) }()
		return nil, ctx.Err()
	}
}

func (p *Project) callOf(id uint64) *openCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id]
}

// hostCall starts the Host for what JavaScript asked.
func (p *Project) hostCall(f frame) error {
	parts, err := split(f.body, 3)
	if err != nil {
		return err
	}
	to, err := strconv.ParseUint(parts[0], 10, 64)
	if err != nil {
		return errFrame
	}
	c := p.callOf(f.id)
	go func() {
		value, err := c.ask(parts[1], parts[2])
		reply := frame{kind: kindReply, id: to, body: value}
		if err == nil && len(value) > maxFrame-frameHead {
			err = fmt.Errorf("the answer of %d bytes is too long", len(value))
		}
		if err != nil {
			reply.kind, reply.body = kindRefuse, refusal(err)
		}
		_ = p.proc.out.write(reply) // the process has ended: nobody waits
	}()
	return nil
}

// ask calls the Host; a panic of it is an error of this call only.
func (c *openCall) ask(method, args string) (value json.RawMessage, err error) {
	if c == nil || c.host == nil {
		return nil, errors.New("the call that asked has ended")
	}
	defer func() {
		if x := recover(); x != nil {
			value, err = nil, fmt.Errorf("the host failed in %s: %v", method, x)
		}
	}()
	return c.host(c.ctx, method, json.RawMessage(args))
}

func refusal(err error) []byte {
	t := &Thrown{Name: "Error", Message: err.Error()}
	var thrown *Thrown
	var coded interface{ ErrorCode() string }
	switch {
	case errors.As(err, &thrown):
		t = thrown
	case errors.As(err, &coded):
		t.Code = coded.ErrorCode()
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		t.Name = "AbortError"
	}
	body, err := json.Marshal(t)
	if err != nil {
		t.Data = nil
		body, _ = json.Marshal(t) // strings always marshal
	}
	return body
}

// hostSend queues what JavaScript told; a goroutine of the call hands it on in order.
func (p *Project) hostSend(f frame) error {
	parts, err := split(f.body, 2)
	if err != nil {
		return err
	}
	c := p.callOf(f.id)
	if c == nil || c.host == nil {
		if p.opts.Logf != nil {
			p.opts.Logf("%s: %s", parts[0], parts[1])
		}
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, message{parts[0], parts[1]})
	if c.sending == nil {
		c.sending = make(chan struct{})
		go c.deliver(c.sending)
	}
	return nil
}

func (c *openCall) deliver(done chan struct{}) {
	defer close(done)
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.sending = nil
			c.mu.Unlock()
			return
		}
		m := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		_, _ = c.ask(m.method, m.args) // a send has no answer
	}
}

// drained waits until all sends have been handled.
func (c *openCall) drained(ctx context.Context) error {
	c.mu.Lock()
	sending := c.sending
	c.mu.Unlock()
	if sending == nil {
		return nil
	}
	select {
	case <-sending:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
