package provider

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// Defaults of Options. A model that reasons may be silent for minutes, and a
// local server may load a model before its first byte.
const (
	DefaultFirstByte = 5 * time.Minute
	DefaultIdle      = 2 * time.Minute
)

// Options configure a Registry; the zero value is ready to use.
type Options struct {
	// HTTPClient sends the requests; nil is a client of its own that keeps up to
	// 128 idle connections a host. Its Timeout should be 0: it would cut long
	// answers.
	HTTPClient *http.Client
	// UserAgent is sent with every request; "" is "sideb".
	UserAgent string
	// FirstByte limits the wait for the first byte of an answer, which for an
	// answer that isn't streamed is the whole of it. 0 is DefaultFirstByte.
	FirstByte time.Duration
	// Idle limits the silence between two reads of a streamed answer. Keep-alive
	// comments count as life. 0 is DefaultIdle.
	Idle time.Duration
	// Now is the clock for dates in Retry-After; nil is time.Now.
	Now func() time.Time
	// NewID makes the tail of an id for a tool call that came without one; nil is
	// random text.
	NewID func() string
}

// Registry opens models. It is safe for concurrent use, and so are its models.
type Registry struct {
	opts Options
	http *http.Client

	mu      sync.Mutex
	clients map[endpoint]any // what is shared by the models of an endpoint
}

// New returns a registry.
func New(opts Options) *Registry {
	if opts.UserAgent == "" {
		opts.UserAgent = "sideb"
	}
	if opts.FirstByte == 0 {
		opts.FirstByte = DefaultFirstByte
	}
	if opts.Idle == 0 {
		opts.Idle = DefaultIdle
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.NewID == nil {
		opts.NewID = rand.Text
	}
	return &Registry{opts: opts, http: watchedClient(opts.HTTPClient), clients: map[endpoint]any{}}
}

// Open implements engine.Models. It makes no request.
func (r *Registry) Open(ctx context.Context, def *engine.ModelDef, getenv func(string) (string, bool)) (engine.Model, error) {
	if def.Script {
		return nil, engine.Errorf(engine.CodeModel, "open model", "provider %q of model %q is code of the project", def.Provider, def.Name)
	}
	spec := lookup(def.Provider)
	ep, err := spec.resolve(getenv)
	if err != nil {
		return nil, err
	}
	switch spec.wire {
	case wireAnthropic:
		return r.openAnthropic(ep, def)
	case wireGoogle:
		return r.openGoogle(ctx, ep, def)
	default:
		return r.openChat(spec, ep, def), nil
	}
}

// shared returns what make made for this endpoint the first time.
func shared[T any](r *Registry, ep endpoint, make func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.clients[ep].(T); ok {
		return c, nil
	}
	c, err := make()
	if err == nil {
		r.clients[ep] = c
	}
	return c, err
}
