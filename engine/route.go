package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// candidate is a model definition that may answer a request.
type candidate struct {
	def   *ModelDef
	model Model
	err   error // why it can't: no definition, no credential
}

// candidates resolves a model and its fallbacks in order (authoring surface §4).
func (x *execution) candidates(ctx context.Context, name string) []candidate {
	defs := x.e.c.Project.Definitions()
	first := defs.Models[name]
	if first == nil {
		return []candidate{{err: Errorf(CodeNotFound, "choose model", "the model %q doesn't exist in this project", name)}}
	}
	list := []candidate{{def: first}}
	for _, f := range first.Fallbacks {
		if def := defs.Models[f]; def != nil {
			list = append(list, candidate{def: def})
		}
	}
	for i := range list {
		list[i].model, list[i].err = x.openModel(ctx, list[i].def)
	}
	return list
}

func (x *execution) openModel(ctx context.Context, def *ModelDef) (Model, error) {
	if x.e.c.Models == nil {
		return nil, Errorf(CodeModel, "open model", "no model providers are configured")
	}
	return x.e.c.Models.Open(ctx, def, func(name string) (string, bool) {
		if v, ok := x.lookupEnv(ctx, name); ok {
			return v.Value, true
		}
		return x.e.c.ProcessEnv(name)
	})
}

// call is one model request with its retries and fallbacks.
type call struct {
	x      *execution
	req    ModelRequest
	fact   ModelPayload // what its events say
	emit   func(ModelDelta)
	notes  []Event // failures and fallbacks, for the commit of the outcome
	failed error
}

// generate asks the candidates in order until one answers. Each gets
// ModelAttempts attempts; a provider's timeout goes to the next at once, and the
// user's stop goes nowhere.
func (c *call) generate(ctx context.Context, list []candidate) (*ModelResponse, *ModelDef, error) {
	var last *ModelDef
	for _, cand := range list {
		if cand.err != nil {
			c.failed = cand.err
			continue
		}
		if last != nil || c.failed != nil {
			c.note(EventFallback, ModelPayload{From: nameOf(last), Model: cand.def.Name, Error: text(c.failed)})
		}
		last = cand.def
		resp, err := c.attempts(ctx, cand)
		if err == nil || ctx.Err() != nil {
			return resp, cand.def, err
		}
		c.failed = err
	}
	return nil, last, c.failed
}

func nameOf(d *ModelDef) string {
	if d == nil {
		return ""
	}
	return d.Name
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (c *call) attempts(ctx context.Context, cand candidate) (*ModelResponse, error) {
	for attempt := 1; ; attempt++ {
		resp, err := c.attempt(ctx, cand)
		if err == nil || ctx.Err() != nil {
			return resp, err
		}
		wait, again := retryIn(err, attempt)
		fact := c.fact
		fact.Model, fact.Attempt, fact.Error, fact.Preview = cand.def.Name, attempt, err.Error(), ""
		if again {
			fact.RetryInMs = wait.Milliseconds()
		}
		var me *ModelError
		if errors.As(err, &me) {
			fact.ErrorKind = me.Kind
			if me.Kind == ModelRateLimit {
				c.note(EventRateLimit, fact)
			}
		}
		c.note(EventModelFailed, fact)
		if !again {
			return nil, err
		}
		// A wait is told at once: people watch it.
		if err := c.flush(ctx); err != nil {
			return nil, err
		}
		select {
		case <-c.x.e.c.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// attempt makes one request. An answer without text, tool call or image is a
// failure too (authoring surface §10).
func (c *call) attempt(ctx context.Context, cand candidate) (resp *ModelResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &ModelError{Kind: ModelUnknown, Provider: cand.def.Provider, Message: fmt.Sprint("the provider panicked: ", p)}
		}
	}()
	req := c.req
	req.Model = cand.def
	req.ProviderOptions = mergeObjects(cand.def.ProviderOptions, c.req.ProviderOptions)
	req.CallIndex = c.x.countCall(cand.def.Name)
	if can := cand.def.Capabilities.SupportsToolCalls; can != nil && !*can {
		req.Tools, req.ToolChoice, req.ParallelToolCalls = nil, "", nil
	}
	if can := cand.def.Capabilities.SupportsImages; can != nil && !*can {
		req.Messages = withoutImages(req.Messages)
	}
	resp, err = cand.model.Generate(ctx, &req, c.emit)
	if err == nil && resp.Text == "" && len(resp.ToolCalls) == 0 && len(resp.Images) == 0 {
		err = &ModelError{Kind: ModelUnknown, Provider: cand.def.Provider, Message: "the answer was empty (no text, no tool call)"}
	}
	return resp, err
}

// countCall numbers this thread's requests of a model. The count is durable with
// the outcome's commit.
func (x *execution) countCall(model string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	st := &x.snap.state
	if st.Calls == nil {
		st.Calls = map[string]int{}
	}
	n := st.Calls[model]
	st.Calls[model] = n + 1
	return n
}

// retryIn says how long to wait before the same model is asked again, and
// whether to.
func retryIn(err error, attempt int) (time.Duration, bool) {
	var me *ModelError
	if !errors.As(err, &me) || !me.Retryable() || attempt >= ModelAttempts || me.RetryAfter > MaxRetryAfter {
		return 0, false
	}
	return max(RetryBase<<(attempt-1), me.RetryAfter), true
}

func (c *call) note(t EventType, p ModelPayload) {
	ev := c.x.event(t, "", p)
	ev.StepID, ev.ModelRequestID = StepID(c.fact.MessageID), string(c.fact.MessageID)
	c.notes = append(c.notes, ev)
}

// flush commits the notes so far.
func (c *call) flush(ctx context.Context) error {
	notes := c.notes
	c.notes = nil
	return c.x.commit(ctx, &Commit{Events: notes})
}

// costOf is the price of a request in USD: what the provider says, else the
// model's prices; nil where neither is known.
func costOf(def *ModelDef, resp *ModelResponse) *float64 {
	if resp.Cost != nil {
		return resp.Cost
	}
	if def.InputPrice == nil || def.OutputPrice == nil || !resp.UsageKnown {
		return nil
	}
	u := resp.Usage
	cached := *def.InputPrice
	if def.CachedPrice != nil {
		cached = *def.CachedPrice
	}
	cost := (float64(u.PromptTokens-u.CachedTokens)**def.InputPrice +
		float64(u.CachedTokens)*cached + float64(u.CompletionTokens)**def.OutputPrice) / 1e6
	return &cost
}

func withoutImages(in []ModelMessage) []ModelMessage {
	out := make([]ModelMessage, len(in))
	for i, m := range in {
		parts := m.Parts[:0:0]
		for _, p := range m.Parts {
			if p.MediaType == "" {
				parts = append(parts, p)
			} else {
				parts = append(parts, ContentPart{Text: "\n[image " + p.Name + " left out: this model doesn't see images]"})
			}
		}
		m.Parts = parts
		out[i] = m
	}
	return out
}
