package agents

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sideb-dev/sideb/engine"
)

func readModel(r *reporter, v json.RawMessage) *engine.ModelDef {
	o := readObject(r, "the model", nil, v)
	if o == nil {
		return nil
	}
	m := &engine.ModelDef{Name: o.required("name", "add name: '…', unique among models")}
	if m.Name != "" {
		o.what = fmt.Sprintf("model %q", m.Name)
	}
	m.Model = o.required("model", "add model: '…', the id that the provider knows")
	readProviderOf(o, m)
	m.Fallbacks, m.IncludedProviders, m.ProviderTools = o.strings("fallbacks"), o.strings("includedProviders"), o.strings("providerTools")
	m.InputPrice, m.OutputPrice, m.CachedPrice = price(o, "inputPrice"), price(o, "outputPrice"), price(o, "cachedPrice")
	readCapabilities(o, &m.Capabilities)
	m.ProviderOptions = readOptions(o, "providerOptions")
	for _, key := range []string{"description", "title", "icon"} {
		o.raw(key) // accepted, without effect
	}
	o.rest()
	if r.fails() {
		return nil
	}
	return m
}

// readProviderOf reads the provider: a factory function, or the id that older
// projects write. A factory that isn't one of this program's own is JavaScript.
func readProviderOf(o *object, m *engine.ModelDef) {
	v := o.raw("provider")
	var id string
	var f struct {
		Function *string `json:"$function"`
		Provider string  `json:"provider"`
		Host     bool    `json:"host"`
		Name     string  `json:"name"`
	}
	switch {
	case v == nil:
		o.fail("provider", "add provider: openai, imported from '@standardagents/openai', or one of your own", o.what+" has no `provider`")
	case json.Unmarshal(v, &id) == nil:
		m.Provider = id // validate says whether there is such a provider
	case json.Unmarshal(v, &f) != nil || f.Function == nil && f.Name == "":
		o.wrong("provider", "a provider factory such as openai", v)
	case f.Host:
		m.Provider = f.Provider
	default:
		m.Script = true
		m.Provider = f.Provider
		for _, name := range []string{f.Name, deref(f.Function), "custom"} {
			if m.Provider == "" {
				m.Provider = name
			}
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func price(o *object, key string) *float64 {
	var f float64
	if !o.read(key, "a number: USD per million tokens", &f) {
		return nil
	}
	if f < 0 {
		o.fail(key, "prices are USD per million tokens, 0 or more", fmt.Sprintf("`%s` of %s is negative", key, o.what))
		return nil
	}
	return &f
}

func readCapabilities(parent *object, c *engine.ModelCapabilities) {
	v := parent.raw("capabilities")
	if v == nil {
		return
	}
	o := readObject(parent.r, "`capabilities` of "+parent.what, []string{"capabilities"}, v)
	if o == nil {
		return
	}
	c.SupportsImages = flag(o, "supportsImages", "vision")
	c.SupportsToolCalls = flag(o, "supportsToolCalls", "functionCalling")
	c.SupportsJSONMode = flag(o, "supportsJsonMode", "structuredOutputs")
	c.SupportsStreaming = flag(o, "supportsStreaming", "")
	c.MaxContextTokens, c.MaxOutputTokens = o.count("maxContextTokens"), o.count("maxOutputTokens")
	var levels map[string]*string
	if o.read("reasoningLevels", "an object of levels 0 to 100", &levels) {
		c.ReasoningLevels = map[int]*string{}
		for k, name := range levels {
			if n, err := strconv.Atoi(k); err == nil {
				c.ReasoningLevels[n] = name
			}
		}
	}
	o.rest()
}

// flag reads a boolean under its name or the older one.
func flag(o *object, key, old string) *bool {
	for _, k := range []string{key, old} {
		if k == "" || o.raw(k) == nil {
			continue
		}
		b := o.boolean(k, false)
		return &b
	}
	return nil
}
