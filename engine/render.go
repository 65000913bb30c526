package engine

import (
	"encoding/json"
	"strings"
)

// renderer renders a prompt's parts into system text (authoring surface §3).
type renderer struct {
	defs *Definitions
	vars map[string]json.RawMessage               // context over arguments
	env  func(name string) (string, VariableType) // "" where nothing resolves
	warn func(format string, args ...any)
}

// render concatenates the parts without separators. An include that is missing or
// that includes itself renders a bracketed placeholder: a prompt that lacks a
// piece is better than a conversation that stops.
func (r *renderer) render(p *Prompt) string {
	var b strings.Builder
	r.parts(&b, p, []string{p.Name})
	return b.String()
}

func (r *renderer) parts(b *strings.Builder, p *Prompt, path []string) {
	for _, part := range p.Parts {
		switch part.Type {
		case PartText:
			b.WriteString(interpolate(part.Value, r.vars))
		case PartVariable:
			if v, ok := r.vars[part.Value]; ok {
				b.WriteString(plain(v))
			} else {
				b.WriteString("{{" + part.Value + "}}")
			}
		case PartEnv:
			r.envPart(b, part.Value)
		case PartInclude:
			r.include(b, part.Value, path)
		}
	}
}

// envPart never lets a secret into a prompt (invariant 9).
func (r *renderer) envPart(b *strings.Builder, name string) {
	value, typ := r.env(name)
	if value != "" && typ == VariableSecret {
		r.warn("the prompt reads %s, which is a secret: it was left empty (declare it with type 'text' to show it)", name)
		return
	}
	b.WriteString(value)
}

func (r *renderer) include(b *strings.Builder, name string, path []string) {
	inc := r.defs.Prompts[name]
	switch {
	case inc == nil:
		r.warn("the prompt includes %q, which doesn't exist", name)
		b.WriteString("[prompt " + name + " not found]")
	case contains(path, name):
		r.warn("the prompt includes itself: %s", strings.Join(append(path, name), " > "))
		b.WriteString("[prompt " + name + " includes itself]")
	default:
		r.parts(b, inc, append(path[:len(path):len(path)], name))
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// interpolate replaces {{name}} by the value of name in vars and leaves unknown
// names untouched (decision A2).
func interpolate(s string, vars map[string]json.RawMessage) string {
	if len(vars) == 0 || !strings.Contains(s, "{{") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			break
		}
		j := strings.Index(s[i:], "}}")
		if j < 0 {
			break
		}
		b.WriteString(s[:i])
		if v, ok := vars[strings.TrimSpace(s[i+2:i+j])]; ok {
			b.WriteString(plain(v))
		} else {
			b.WriteString(s[i : i+j+2])
		}
		s = s[i+j+2:]
	}
	b.WriteString(s)
	return b.String()
}

// plain is a JSON value as prompt text: a string is itself, null is empty,
// anything else is its JSON.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	if string(v) == "null" {
		return ""
	}
	return string(v)
}
