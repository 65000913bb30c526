package provider

import (
	"context"
	"io"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/sideb-dev/sideb/engine"
)

// messagesModel speaks the Anthropic Messages API.
type messagesModel struct {
	reg  *Registry
	def  *engine.ModelDef
	ep   endpoint
	post postFunc
}

func (r *Registry) openAnthropic(ep endpoint, def *engine.ModelDef) (*messagesModel, error) {
	post, err := shared(r, ep, func() (postFunc, error) {
		// A client literal: the library's constructor would read ANTHROPIC_* from
		// the process environment and profiles from the user's disk.
		client := anthropic.Client{Options: []option.RequestOption{
			option.WithBaseURL(ep.base), option.WithHTTPClient(r.http), option.WithMaxRetries(0),
			option.WithHeader("User-Agent", r.opts.UserAgent), option.WithAPIKey(ep.key),
		}}
		return func(ctx context.Context, body []byte, stream bool, into **http.Response) error {
			return client.Post(ctx, "v1/messages", body, into, option.WithHeader("Accept", accepts(stream)))
		}, nil
	})
	return &messagesModel{reg: r, def: def, ep: ep, post: post}, err
}

// Generate implements engine.Model.
func (m *messagesModel) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	req = forModel(req, m.def)
	stream := able(req.Model.Capabilities.SupportsStreaming)
	body, err := encodeMessages(req, stream)
	if err != nil {
		return nil, badOptions(m.ep.provider, err)
	}
	c := m.reg.begin(ctx)
	defer c.end()
	var raw *http.Response
	if err := m.post(c.ctx, body, stream, &raw); err != nil {
		return nil, m.reg.failure(c, m.ep, err)
	}
	defer raw.Body.Close()
	acc := &messagesAnswer{emit: emit, hideReasoning: hidesReasoning(req)}
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

func badOptions(provider string, err error) *engine.ModelError {
	return &engine.ModelError{Kind: engine.ModelInvalidRequest, Provider: provider, Message: "providerOptions must be an object: " + err.Error(), Err: err}
}

// readStream reads an answer as it is written. It is whole once message_stop
// came.
func (a *messagesAnswer) readStream(dec ssestream.Decoder, c *call) error {
	for dec.Next() {
		if err := a.take(dec.Event().Data); err != nil {
			return err
		}
		if a.stopped {
			c.drain(dec.Next)
			return nil
		}
	}
	if err := dec.Err(); err != nil {
		return err
	}
	return cut()
}

func (a *messagesAnswer) readWhole(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return a.takeWhole(data)
}
