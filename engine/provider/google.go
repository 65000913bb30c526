package provider

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

func (r *Registry) openGoogle(_ context.Context, ep endpoint, def *engine.ModelDef) (engine.Model, error) {
	return r.openChat(lookup(ep.provider), ep, def), nil
}
