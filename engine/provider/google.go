package provider

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

func (r *Registry) openGoogle(_ context.Context, s spec, ep endpoint, def *engine.ModelDef) (engine.Model, error) {
	return r.openChat(s, ep, def), nil
}
