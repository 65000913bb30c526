package provider

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"google.golang.org/genai"

	"github.com/sideb-dev/sideb/engine"
)

// geminiModel speaks the Gemini API.
type geminiModel struct {
	reg *Registry
	def *engine.ModelDef
	ep  endpoint
	ask geminiFunc
}

// geminiFunc asks for an answer, in one chunk or in many; see postFunc for why it
// is a function.
type geminiFunc func(ctx context.Context, stream bool, model string, contents []*genai.Content, config *genai.GenerateContentConfig) iter.Seq2[*genai.GenerateContentResponse, error]

func (r *Registry) openGoogle(ctx context.Context, ep endpoint, def *engine.ModelDef) (*geminiModel, error) {
	ask, err := shared(r, ep, func() (geminiFunc, error) {
		// Backend, key and address are all given, so that nothing of the process
		// environment is used.
		client, err := genai.NewClient(ctx, &genai.ClientConfig{
			APIKey: ep.key, Backend: genai.BackendGeminiAPI, HTTPClient: r.http,
			HTTPOptions: genai.HTTPOptions{BaseURL: ep.base + "/", Headers: http.Header{"User-Agent": {r.opts.UserAgent}}},
		})
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, stream bool, model string, contents []*genai.Content, config *genai.GenerateContentConfig) iter.Seq2[*genai.GenerateContentResponse, error] {
			if stream {
				return client.Models.GenerateContentStream(ctx, model, contents, config)
			}
			return func(yield func(*genai.GenerateContentResponse, error) bool) {
				yield(client.Models.GenerateContent(ctx, model, contents, config))
			}
		}, nil
	})
	if err != nil {
		return nil, engine.Errorf(engine.CodeModel, "open model", "provider google: %s", redact(err.Error(), ep.key))
	}
	return &geminiModel{reg: r, def: def, ep: ep, ask: ask}, nil
}

// Generate implements engine.Model.
func (m *geminiModel) Generate(ctx context.Context, req *engine.ModelRequest, emit func(engine.ModelDelta)) (*engine.ModelResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	req = forModel(req, m.def)
	config, err := geminiConfig(req)
	if err != nil {
		return nil, badOptions(m.ep.provider, err)
	}
	c := m.reg.begin(ctx)
	c.quiet = true
	defer c.end()
	acc := &geminiAnswer{emit: emit, newID: m.reg.opts.NewID, hideReasoning: hidesReasoning(req)}
	err = acc.read(m.ask(c.ctx, able(req.Model.Capabilities.SupportsStreaming), req.Model.Model, geminiContents(req), config))
	if c.broken != nil && acc.finish == "" {
		err = c.broken
	}
	if err != nil {
		return acc.response(), m.reg.failure(c, m.ep, geminiError(c, err))
	}
	return acc.response(), nil
}

// geminiError classifies an error that came inside an answer; those of an HTTP
// status are read from the status.
func geminiError(c *call, err error) error {
	var api genai.APIError
	if c.status >= 400 || !errors.As(err, &api) {
		return err
	}
	raw, _ := json.Marshal(api) // it came from JSON
	return streamError(raw)
}
