package provider

import "github.com/sideb-dev/sideb/engine"

func (r *Registry) openAnthropic(s spec, ep endpoint, def *engine.ModelDef) engine.Model {
	return r.openChat(s, ep, def)
}
