package provider

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

type wireFormat int

const (
	wireChat wireFormat = iota // OpenAI chat completions
	wireAnthropic
	wireGoogle
)

// spec is one line of the provider table.
type spec struct {
	name    string
	wire    wireFormat
	keys    []string // the first that has a value is used
	noKey   bool     // works without a key
	bases   []string // likewise
	base    string   // default address, "" where there is none
	account string   // variable that replaces {account} in base
	chat    chatQuirks
}

// chatQuirks are the ways in which a chat completions server differs.
type chatQuirks struct {
	maxCompletion bool   // wants max_completion_tokens, not max_tokens
	user          bool   // takes the user field
	router        bool   // takes OpenRouter's reasoning, provider and usage fields
	strict        bool   // rejects fields that it doesn't know in messages
	reasoning     string // field of an assistant message that takes reasoning back
}

// table is a function so that nothing is built at program start.
func table() []spec {
	return []spec{
		{name: "openai", keys: []string{"OPENAI_API_KEY"}, bases: []string{"OPENAI_BASE_URL"}, base: "https://api.openai.com/v1",
			chat: chatQuirks{maxCompletion: true, user: true, strict: true}},
		{name: "anthropic", wire: wireAnthropic, keys: []string{"ANTHROPIC_API_KEY"}, bases: []string{"ANTHROPIC_BASE_URL"}, base: "https://api.anthropic.com"},
		{name: "google", wire: wireGoogle, keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, bases: []string{"GOOGLE_BASE_URL"}, base: "https://generativelanguage.googleapis.com"},
		{name: "openrouter", keys: []string{"OPENROUTER_API_KEY"}, bases: []string{"OPENROUTER_BASE_URL"}, base: "https://openrouter.ai/api/v1",
			chat: chatQuirks{user: true, router: true, reasoning: "reasoning"}},
		{name: "groq", keys: []string{"GROQ_API_KEY"}, bases: []string{"GROQ_BASE_URL"}, base: "https://api.groq.com/openai/v1",
			chat: chatQuirks{maxCompletion: true, user: true, reasoning: "reasoning"}},
		{name: "xai", keys: []string{"XAI_API_KEY"}, bases: []string{"XAI_BASE_URL"}, base: "https://api.x.ai/v1",
			chat: chatQuirks{maxCompletion: true, user: true, reasoning: "reasoning_content"}},
		{name: "cerebras", keys: []string{"CEREBRAS_API_KEY"}, bases: []string{"CEREBRAS_BASE_URL"}, base: "https://api.cerebras.ai/v1",
			chat: chatQuirks{maxCompletion: true, user: true, reasoning: "reasoning"}},
		{name: "deepinfra", keys: []string{"DEEPINFRA_API_KEY"}, bases: []string{"DEEPINFRA_BASE_URL"}, base: "https://api.deepinfra.com/v1/openai",
			chat: chatQuirks{reasoning: "reasoning_content"}},
		{name: "novita", keys: []string{"NOVITA_API_KEY"}, bases: []string{"NOVITA_BASE_URL"}, base: "https://api.novita.ai/v3/openai",
			chat: chatQuirks{reasoning: "reasoning_content"}},
		{name: "cloudflare", keys: []string{"CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"}, bases: []string{"CLOUDFLARE_BASE_URL"}, account: "CLOUDFLARE_ACCOUNT_ID",
			base: "https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1", chat: chatQuirks{reasoning: "reasoning_content"}},
		{name: "ollama", keys: []string{"OLLAMA_API_KEY"}, noKey: true, bases: []string{"OLLAMA_BASE_URL", "OLLAMA_HOST"}, base: "http://localhost:11434/v1",
			chat: chatQuirks{reasoning: "reasoning"}},
	}
}

// Known lists the providers that need no base URL, in alphabetical order. Any
// other name is a chat completions server at its <NAME>_BASE_URL.
func Known() []string {
	var names []string
	for _, s := range table() {
		names = append(names, s.name)
	}
	slices.Sort(names)
	return names
}

// Variables lists the environment variables that provider name reads: keys
// first, then addresses.
func Variables(name string) []string {
	s := lookup(name)
	vars := slices.Concat(s.keys, s.bases)
	if s.account != "" {
		vars = append(vars, s.account)
	}
	return vars
}

func lookup(name string) spec {
	for _, s := range table() {
		if s.name == name {
			return s
		}
	}
	upper := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			return c
		}
		return '_'
	}, name)
	return spec{name: name, keys: []string{upper + "_API_KEY"}, noKey: true, bases: []string{upper + "_BASE_URL"},
		chat: chatQuirks{reasoning: "reasoning_content"}}
}

// endpoint is where to send requests and as whom.
type endpoint struct {
	provider string
	base     string
	key      string
}

func (s *spec) resolve(getenv func(string) (string, bool)) (endpoint, error) {
	const op = "open model"
	ep := endpoint{provider: s.name, base: s.base}
	_, ep.key = first(getenv, s.keys)
	if ep.key == "" && !s.noKey {
		return ep, engine.Errorf(engine.CodeModel, op, "provider %s needs a key: set %s", s.name, strings.Join(s.keys, " or "))
	}
	if from, base := first(getenv, s.bases); base != "" {
		fixed, problem := fixBase(from, base)
		if problem != "" {
			return ep, engine.Errorf(engine.CodeModel, op, "%s of provider %s %s", from, s.name, problem)
		}
		ep.base = fixed
		return ep, nil
	}
	if s.account != "" {
		_, id := first(getenv, []string{s.account})
		if id == "" {
			return ep, engine.Errorf(engine.CodeModel, op, "provider %s needs an account: set %s, or %s", s.name, s.account, s.bases[0])
		}
		ep.base = strings.Replace(s.base, "{account}", url.PathEscape(id), 1)
	}
	if ep.base == "" {
		return ep, engine.Errorf(engine.CodeModel, op, "provider %s isn't one of %s: set %s to the address of a server that speaks OpenAI chat completions, and %s where it wants a key",
			s.name, strings.Join(Known(), ", "), s.bases[0], s.keys[0])
	}
	return ep, nil
}

func first(getenv func(string) (string, bool), names []string) (name, value string) {
	for _, n := range names {
		if v, ok := getenv(n); ok {
			if v = strings.TrimSpace(v); v != "" {
				return n, v
			}
		}
	}
	return "", ""
}

// fixBase checks an address. Paths that people copy along with it are cut, since
// the client adds its own.
func fixBase(from, base string) (fixed, problem string) {
	if from == "OLLAMA_HOST" {
		return ollamaBase(base), ""
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", "must be an address such as http://localhost:8080/v1"
	}
	u.Path = strings.TrimRight(u.Path, "/")
	cut := []string{"/chat/completions"}
	switch from {
	case "ANTHROPIC_BASE_URL":
		cut = []string{"/messages", "/v1"}
	case "GOOGLE_BASE_URL":
		cut = []string{"/v1beta"}
	}
	for _, c := range cut {
		u.Path = strings.TrimSuffix(u.Path, c)
	}
	return u.String(), ""
}

// ollamaBase reads OLLAMA_HOST, which is what the server listens on: a host, a
// port, both, or an address.
func ollamaBase(host string) string {
	scheme := "http"
	if s, rest, ok := strings.Cut(host, "://"); ok {
		scheme, host = s, rest
	}
	host = strings.TrimRight(host, "/")
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), "11434"
	}
	switch name {
	case "", "0.0.0.0", "::":
		name = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(name, port) + "/v1"
}
