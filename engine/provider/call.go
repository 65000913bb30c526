package provider

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

var errStalled = errors.New("the server went silent")

// call is one request on the wire: it cancels the request when the server goes
// silent and keeps what the client libraries don't hand on.
type call struct {
	ctx    context.Context
	parent context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
	status int
	header http.Header
	errTxt []byte // body of a failed answer, at most maxErrorBody

	// quiet ends a broken body as if it were whole and keeps the error in broken:
	// Google's library would print it to the process's log.
	quiet  bool
	broken error
}

const maxErrorBody = 64 << 10

type callKey struct{}

func (r *Registry) begin(ctx context.Context) *call {
	c := &call{parent: ctx, idle: r.opts.Idle}
	inner, cancel := context.WithCancelCause(ctx)
	c.cancel = cancel
	c.ctx = context.WithValue(inner, callKey{}, c)
	c.timer = time.AfterFunc(r.opts.FirstByte, func() { cancel(errStalled) })
	return c
}

func (c *call) end() {
	c.timer.Stop()
	c.cancel(nil)
}

func (c *call) stalled() bool { return errors.Is(context.Cause(c.ctx), errStalled) }

// drain reads on after the answer is whole, so that the connection can serve the
// next request. A server that keeps the stream open loses the connection.
func (c *call) drain(next func() bool) {
	c.idle = 100 * time.Millisecond
	c.timer.Reset(c.idle)
	for next() {
	}
}

// watchedTransport ties an answer to the call in its request's context.
type watchedTransport struct{ base http.RoundTripper }

func watchedClient(c *http.Client) *http.Client {
	if c == nil {
		c = &http.Client{Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}, // finds connections that died in a sleep
			MaxIdleConns:          512,
			MaxIdleConnsPerHost:   128,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   10 * time.Second,
			ExpectContinueTimeout: time.Second,
			DisableCompression:    true, // a compressed stream arrives in lumps
		}}
	}
	w := *c
	if w.Transport == nil {
		w.Transport = http.DefaultTransport
	}
	w.Transport = watchedTransport{w.Transport}
	return &w
}

func (t watchedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(req)
	c, ok := req.Context().Value(callKey{}).(*call)
	if err != nil || !ok {
		return resp, err
	}
	c.status, c.header = resp.StatusCode, resp.Header
	stream := !c.quiet && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	resp.Body = &watchedBody{rc: resp.Body, call: c, stream: stream}
	return resp, nil
}

// watchedBody restarts the call's timer at every read. It ends an event stream
// with a blank line, because the decoders drop an event that lacks one.
type watchedBody struct {
	rc     io.ReadCloser
	call   *call
	stream bool
	ended  bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.rc.Read(p)
	c := b.call
	if n > 0 {
		c.timer.Reset(c.idle)
		if c.status >= 400 && len(c.errTxt) < maxErrorBody {
			c.errTxt = append(c.errTxt, p[:n]...)
		}
	}
	if err != nil && err != io.EOF && c.quiet {
		c.broken, err = err, io.EOF
	}
	if err == io.EOF && b.stream && n == 0 && len(p) >= 2 {
		b.ended = true
		return copy(p, "\n\n"), nil
	}
	if err == io.EOF && b.stream && n > 0 {
		err = nil // the next read ends it
	}
	return n, err
}

func (b *watchedBody) Close() error { return b.rc.Close() }
