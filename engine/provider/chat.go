package provider

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/sideb-dev/sideb/engine"
)

// chatServer is what the models of one chat completions endpoint share.
type chatServer struct {
	post    postFunc
	noUsage atomic.Bool // it rejected stream_options
}

// postFunc sends a body. The clients of the libraries are kept behind functions:
// as fields of a type that becomes an interface they would keep every method of
// every service in the binary, which is 30 MB.
type postFunc func(ctx context.Context, body []byte, stream bool, into **http.Response) error

// chatModel speaks OpenAI chat completions.
type chatModel struct {
	reg    *Registry
	def    *engine.ModelDef
	ep     endpoint
	quirks chatQuirks
	server *chatServer
}

func (r *Registry) openChat(s spec, ep endpoint, def *engine.ModelDef) *chatModel {
	server, _ := shared(r, ep, func() (*chatServer, error) {
		// A client literal: the library's constructor would read OPENAI_* from the
		// process environment.
		opts := []option.RequestOption{
			option.WithBaseURL(ep.base), option.WithHTTPClient(r.http), option.WithMaxRetries(0),
			option.WithHeader("User-Agent", r.opts.UserAgent), option.WithAPIKey(ep.key),
		}
		if s.chat.router {
			opts = append(opts, option.WithHeader("X-Title", r.opts.UserAgent))
		}
		client := openai.Client{Options: opts}
		return &chatServer{post: func(ctx context.Context, body []byte, stream bool, into **http.Response) error {
			return client.Post(ctx, "chat/completions", body, into, option.WithHeader("Accept", accepts(stream)))
		}}, nil
	})
	m := &chatModel{reg: r, def: def, ep: ep, quirks: s.chat, server: server}
	if s.name == "openai" && !strings.HasPrefix(ep.base, s.base) {
		m.quirks = chatQuirks{user: true, reasoning: "reasoning_content"} // a server of unknown make
	}
	return m
}

// Generate implements engine.Model.
func (m *chatModel) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	req = forModel(req, m.def)
	withUsage := !m.server.noUsage.Load()
	resp, err := m.attempt(ctx, req, emit, withUsage)
	if withUsage && rejectsStreamOptions(err) {
		m.server.noUsage.Store(true)
		resp, err = m.attempt(ctx, req, emit, false)
	}
	return resp, err
}

func rejectsStreamOptions(err error) bool {
	e, ok := err.(*engine.ModelError)
	return ok && (e.HTTPStatus == http.StatusBadRequest || e.HTTPStatus == http.StatusUnprocessableEntity) &&
		containsAny(e.Message, "stream_options", "include_usage")
}

func (m *chatModel) attempt(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta), withUsage bool) (*engine.ModelResponse, error) {
	stream := able(req.Model.Capabilities.SupportsStreaming)
	body, err := m.encode(req, stream, withUsage)
	if err != nil {
		return nil, badOptions(m.ep.provider, err)
	}
	c := m.reg.begin(ctx)
	defer c.end()
	var raw *http.Response
	if err := m.server.post(c.ctx, body, stream, &raw); err != nil {
		return nil, m.reg.failure(c, m.ep, err)
	}
	defer raw.Body.Close()
	acc := &chatAnswer{emit: emit, newID: m.reg.opts.NewID, hideReasoning: hidesReasoning(req)}
	if isEventStream(raw, stream) {
		err = acc.readStream(ssestream.NewDecoder(raw), c)
	} else {
		err = acc.readWhole(raw.Body)
	}
	if err != nil {
		return acc.response(), m.reg.failure(c, m.ep, err)
	}
	return acc.response(), nil
}

func accepts(stream bool) string {
	if stream {
		return "text/event-stream"
	}
	return "application/json"
}

// isEventStream reports whether an answer is a stream. Some servers ignore the
// wish for one and send JSON; others stream under an odd content type.
func isEventStream(resp *http.Response, wanted bool) bool {
	t := resp.Header.Get("Content-Type")
	return strings.HasPrefix(t, "text/event-stream") || wanted && !strings.HasPrefix(t, "application/json")
}

// forModel gives a request without a model the one that was opened.
func forModel(req *engine.ModelRequest, def *engine.ModelDef) *engine.ModelRequest {
	if req.Model != nil {
		return req
	}
	r := *req
	r.Model = def
	return &r
}

func able(flag *bool) bool { return flag == nil || *flag }

func hidesReasoning(req *engine.ModelRequest) bool {
	return req.Reasoning != nil && req.Reasoning.Exclude
}

// readWhole reads an answer that isn't streamed.
func (a *chatAnswer) readWhole(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if err := a.take(data); err != nil {
		return err
	}
	if !a.began {
		return cut()
	}
	return nil
}

// readStream reads an answer as it is written. It is whole once a finish reason
// or [DONE] came: a server may leave out either.
func (a *chatAnswer) readStream(dec ssestream.Decoder, c *call) error {
	for dec.Next() {
		data := dec.Event().Data
		if len(data) >= 6 && string(data[:6]) == "[DONE]" {
			c.drain(dec.Next)
			return nil
		}
		if err := a.take(data); err != nil {
			return err
		}
	}
	if a.finish == "" {
		if err := dec.Err(); err != nil {
			return err
		}
		return cut()
	}
	return nil
}
