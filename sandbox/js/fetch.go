package js

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dop251/goja"
)

const (
	maxRedirects = 20
	chunkSize    = 64 << 10
	idleBody     = 5 * time.Minute // a response that nobody reads for so long is closed
)

// fetchBody is a request that runs or a response whose body isn't read to its end.
type fetchBody struct {
	ctx    context.Context // ends with the request: cancelled from JavaScript
	cancel context.CancelFunc
	body   io.ReadCloser
	idle   *time.Timer
}

func (v *VM) fetchNatives() map[string]any {
	return map[string]any{
		"fetchId": v.nativeFetchID, "fetch": v.nativeFetch, "fetchRead": v.nativeFetchRead,
		"fetchCancel": func(c goja.FunctionCall) goja.Value {
			v.endFetch(uint64(c.Argument(0).ToInteger()))
			return goja.Undefined()
		},
	}
}

func (v *VM) nativeFetchID(goja.FunctionCall) goja.Value {
	v.lastFetch++
	ctx, cancel := context.WithCancel(context.Background())
	v.fetches[v.lastFetch] = &fetchBody{ctx: ctx, cancel: cancel}
	return v.rt.ToValue(v.lastFetch)
}

func (v *VM) endFetch(id uint64) {
	f := v.fetches[id]
	if f == nil {
		return
	}
	delete(v.fetches, id)
	f.cancel()
	if f.idle != nil {
		f.idle.Stop()
	}
	if f.body != nil {
		go f.body.Close() // may wait for a read that runs
	}
}

// promise runs work on a goroutine and settles a promise with what it returns,
// as code of the call that runs now.
func (v *VM) promise(work func() (func() any, error)) goja.Value {
	p, resolve, reject := v.rt.NewPromise()
	post := v.later()
	go func() {
		value, err := work()
		post(func() error {
			if err != nil {
				return reject(v.newError(&Thrown{Name: "Error", Message: err.Error()}))
			}
			return resolve(value())
		})
	}()
	return v.rt.ToValue(p)
}

// nativeFetch is (id, method, url, headers as JSON, redirect, body…): a promise
// of the response's head as JSON.
func (v *VM) nativeFetch(c goja.FunctionCall) goja.Value {
	id := uint64(c.Argument(0).ToInteger())
	f := v.fetches[id]
	if f == nil {
		f = &fetchBody{}
		f.ctx, f.cancel = context.WithCancel(context.Background())
		f.cancel() // it was aborted before it began
	}
	method, url, redirect := c.Argument(1).String(), c.Argument(2).String(), c.Argument(4).String()
	var headers [][2]string
	if err := json.Unmarshal([]byte(c.Argument(3).String()), &headers); err != nil {
		panic(v.rt.NewTypeError(err.Error()))
	}
	body := bytes.Clone(bytesOf(c, 5))
	return v.promise(func() (func() any, error) {
		res, redirected, err := v.engine.request(f.ctx, method, url, redirect, headers, body) //nolint:bodyclose // the fetch owns it: endFetch closes it
		if err != nil {
			v.loop.post(func() { v.endFetch(id) })
			return nil, err
		}
		head, err := json.Marshal(headOf(res, redirected))
		return func() any {
			f.body = res.Body
			f.idle = time.AfterFunc(idleBody, f.cancel)
			return string(head)
		}, err
	})
}

type responseHead struct {
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	URL        string      `json:"url"`
	Redirected bool        `json:"redirected"`
	Headers    [][2]string `json:"headers"`
}

func headOf(res *http.Response, redirected bool) responseHead {
	_, text, _ := strings.Cut(res.Status, " ")
	h := responseHead{Status: res.StatusCode, StatusText: text, URL: res.Request.URL.String(), Redirected: redirected, Headers: [][2]string{}}
	for name, values := range res.Header {
		for _, value := range values {
			h.Headers = append(h.Headers, [2]string{name, value})
		}
	}
	return h
}

func (e *Engine) request(ctx context.Context, method, url, redirect string, headers [][2]string, body []byte) (*http.Response, bool, error) {
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return nil, false, err
	}
	req.Header.Set("User-Agent", "sideb")
	for _, h := range headers {
		switch {
		case strings.EqualFold(h[0], "host"):
			req.Host = h[1]
		case strings.EqualFold(h[0], "user-agent"):
			req.Header.Set(h[0], h[1])
		case strings.EqualFold(h[0], "content-length"), strings.EqualFold(h[0], "connection"), strings.EqualFold(h[0], "transfer-encoding"):
		default:
			req.Header.Add(h[0], h[1])
		}
	}
	redirected := false
	client := http.Client{Transport: e.transport(), CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		switch {
		case redirect == "manual":
			return http.ErrUseLastResponse
		case redirect == "error":
			return errors.New("the server redirects")
		case len(via) > maxRedirects:
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		redirected = true
		return nil
	}}
	res, err := client.Do(req)
	return res, redirected, err
}

func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return t
}

// nativeFetchRead is (id, all): a promise of the next part of the body, or of all
// that is left; undefined at its end.
func (v *VM) nativeFetchRead(c goja.FunctionCall) goja.Value {
	id, all := uint64(c.Argument(0).ToInteger()), c.Argument(1).ToBoolean()
	f := v.fetches[id]
	return v.promise(func() (func() any, error) {
		if f == nil || f.body == nil {
			return func() any { return goja.Undefined() }, nil
		}
		f.idle.Reset(idleBody)
		data, end, err := readPart(f.body, all)
		if err != nil {
			v.loop.post(func() { v.endFetch(id) })
			return nil, err
		}
		return func() any {
			if end {
				v.endFetch(id)
			}
			if len(data) == 0 {
				return goja.Undefined()
			}
			return v.rt.NewArrayBuffer(data)
		}, nil
	})
}

// readPart reads what is there, or everything. end is true when nothing is left.
func readPart(body io.Reader, all bool) (data []byte, end bool, err error) {
	if all {
		data, err = io.ReadAll(body)
		return data, true, err
	}
	buffer := make([]byte, chunkSize)
	for {
		n, err := body.Read(buffer)
		switch {
		case err == io.EOF:
			return buffer[:n], true, nil
		case err != nil:
			return nil, false, err
		case n > 0:
			return buffer[:n], false, nil
		}
	}
}
