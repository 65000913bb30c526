package provider

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

func TestMissingCredentialsAreNamedByOpen(t *testing.T) {
	for _, tc := range []struct {
		provider string
		env      []string
		names    []string // in the message
	}{
		{"openai", []string{"OPENAI_BASE_URL", "http://localhost:1/v1"}, []string{"OPENAI_API_KEY"}},
		{"openai", []string{"OPENAI_API_KEY", "  "}, []string{"OPENAI_API_KEY"}},
		{"anthropic", nil, []string{"ANTHROPIC_API_KEY"}},
		{"google", nil, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
		{"cloudflare", []string{"CLOUDFLARE_API_TOKEN", "k"}, []string{"CLOUDFLARE_ACCOUNT_ID"}},
		{"my lab", nil, []string{"MY_LAB_BASE_URL", "MY_LAB_API_KEY", "openrouter"}},
		{"openai", []string{"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "localhost:8080/v1"}, []string{"OPENAI_BASE_URL", "http://localhost:8080/v1"}},
	} {
		_, err := New(Options{}).Open(context.Background(), &engine.ModelDef{Name: "m", Provider: tc.provider}, env(tc.env...))
		var e *engine.Error
		if !errors.As(err, &e) || e.Code != engine.CodeModel {
			t.Fatalf("%s: %v", tc.provider, err)
		}
		for _, name := range tc.names {
			if !strings.Contains(e.Message, name) {
				t.Errorf("%s: %q lacks %s", tc.provider, e.Message, name)
			}
		}
	}
}

func TestEndpoints(t *testing.T) {
	for _, tc := range []struct {
		provider string
		env      []string
		base     string
	}{
		{"openai", []string{"OPENAI_API_KEY", "k"}, "https://api.openai.com/v1"},
		{"openai", []string{"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "http://h:1/v1/chat/completions/"}, "http://h:1/v1"},
		{"cloudflare", []string{"CLOUDFLARE_API_TOKEN", "k", "CLOUDFLARE_ACCOUNT_ID", "a/b"}, "https://api.cloudflare.com/client/v4/accounts/a%2Fb/ai/v1"},
		{"cloudflare", []string{"CLOUDFLARE_API_TOKEN", "k", "CLOUDFLARE_BASE_URL", "http://h/x"}, "http://h/x"},
		{"ollama", nil, "http://localhost:11434/v1"},
		{"ollama", []string{"OLLAMA_HOST", "0.0.0.0"}, "http://127.0.0.1:11434/v1"},
		{"ollama", []string{"OLLAMA_HOST", "box:8000"}, "http://box:8000/v1"},
		{"ollama", []string{"OLLAMA_HOST", "https://box:443/"}, "https://box:443/v1"},
		{"ollama", []string{"OLLAMA_HOST", "[::1]"}, "http://[::1]:11434/v1"},
		{"ollama", []string{"OLLAMA_HOST", "box", "OLLAMA_BASE_URL", "http://other/v1"}, "http://other/v1"},
		{"vllm", []string{"VLLM_BASE_URL", "http://gpu:8000/v1"}, "http://gpu:8000/v1"},
	} {
		s := lookup(tc.provider)
		ep, err := s.resolve(env(tc.env...))
		if err != nil || ep.base != tc.base {
			t.Errorf("%s %v: %q, %v, want %q", tc.provider, tc.env, ep.base, err, tc.base)
		}
	}
}

func TestVariablesAndKnown(t *testing.T) {
	for name, want := range map[string][]string{
		"openai":     {"OPENAI_API_KEY", "OPENAI_BASE_URL"},
		"google":     {"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_BASE_URL"},
		"cloudflare": {"CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY", "CLOUDFLARE_BASE_URL", "CLOUDFLARE_ACCOUNT_ID"},
		"ollama":     {"OLLAMA_API_KEY", "OLLAMA_BASE_URL", "OLLAMA_HOST"},
		"my-lab":     {"MY_LAB_API_KEY", "MY_LAB_BASE_URL"},
	} {
		if got := Variables(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	known := Known()
	if !slices.IsSorted(known) || !slices.Contains(known, "novita") || len(known) != 11 {
		t.Errorf("%v", known)
	}
}

// The client libraries would read these.
func TestProcessEnvironmentIsNotRead(t *testing.T) {
	for _, pair := range [][2]string{
		{"OPENAI_API_KEY", "sk-ambient"}, {"OPENAI_BASE_URL", "http://ambient.invalid"}, {"OPENAI_ORG_ID", "org-ambient"}, {"OPENAI_PROJECT_ID", "proj-ambient"}, {"OPENAI_CUSTOM_HEADERS", "X-Ambient: 1"},
		{"ANTHROPIC_API_KEY", "sk-ambient"}, {"ANTHROPIC_AUTH_TOKEN", "ambient"}, {"ANTHROPIC_BASE_URL", "http://ambient.invalid"}, {"ANTHROPIC_CUSTOM_HEADERS", "X-Ambient: 1"},
		{"GEMINI_API_KEY", "ambient"}, {"GOOGLE_GEMINI_BASE_URL", "http://ambient.invalid"}, {"GOOGLE_GENAI_USE_VERTEXAI", "true"}, {"GOOGLE_CLOUD_PROJECT", "ambient"},
	} {
		t.Setenv(pair[0], pair[1])
	}
	for _, tc := range []struct{ provider, variable, fixture string }{
		{"openai", "OPENAI", "openai/tool_call.sse"}, {"anthropic", "ANTHROPIC", "anthropic/thinking_tool.sse"}, {"google", "GOOGLE", "google/tool_call.sse"}, {"lab", "LAB", "openai/tool_call.sse"},
	} {
		if _, err := New(Options{}).Open(context.Background(), &engine.ModelDef{Provider: tc.provider}, env()); err == nil {
			t.Errorf("%s opened without a variable", tc.provider)
		}
		s := serve(t, replay(t, 200, tc.fixture))
		m := open(t, Options{UserAgent: "sideb/1"}, &engine.ModelDef{Model: "m", Provider: tc.provider}, tc.variable+"_API_KEY", testKey, tc.variable+"_BASE_URL", s.URL)
		if _, _, err := collect(t, m, ask("hi")); err != nil {
			t.Fatalf("%s: %v", tc.provider, err)
		}
		for name, values := range s.heads[0] {
			if strings.Contains(strings.ToLower(name+strings.Join(values, " ")), "ambient") {
				t.Errorf("%s sent %s: %v", tc.provider, name, values)
			}
		}
		if ua := s.heads[0].Get("User-Agent"); !strings.HasPrefix(ua, "sideb/1") {
			t.Errorf("%s: user agent %q", tc.provider, ua)
		}
	}
}
