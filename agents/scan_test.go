package agents

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestScanListsDefinitionFiles(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"agents/agents/a.ts", "agents/agents/CLAUDE.md", "agents/agents/deep/b.ts", "agents/agents/types.d.ts",
		"agents/prompts/p.ts", "agents/tools/send_email.ts", "agents/tools/sendEmail.ts",
		"agents/hooks/index.ts", "agents/hooks/h.ts",
		"agents/effects/_shared.ts", "agents/effects/AGENTS.ts", "agents/effects/remind.ts",
		"agents/api/index.ts", "agents/api/users/[id].POST.ts", "agents/api/files/[*].ts", "agents/api/v1.2/x.get.ts",
		"agents/packed/pkg/index.ts", "src/x.ts",
	} {
		fsys[name] = &fstest.MapFile{}
	}
	got, problems := scan(fsys)
	want := []source{
		{Kind: kindAgent, Rel: "agents/agents/a.ts"},
		{Kind: kindPrompt, Rel: "agents/prompts/p.ts"},
		{Kind: kindTool, Rel: "agents/tools/sendEmail.ts", Name: "sendEmail"},
		{Kind: kindTool, Rel: "agents/tools/send_email.ts", Name: "send_email"},
		{Kind: kindHook, Rel: "agents/hooks/h.ts"},
		{Kind: kindEffect, Rel: "agents/effects/remind.ts", Name: "remind"},
		{Kind: kindEndpoint, Rel: "agents/api/files/[*].ts", Method: "GET", Path: "/files/[*]"},
		{Kind: kindEndpoint, Rel: "agents/api/index.ts", Method: "GET", Path: "/"},
		{Kind: kindEndpoint, Rel: "agents/api/users/[id].POST.ts", Method: "POST", Path: "/users/[id]"},
		{Kind: kindEndpoint, Rel: "agents/api/v1.2/x.get.ts", Method: "GET", Path: "/v1.2/x"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.File+": "+p.Message)
	}
	wantTexts := []string{
		`agents/tools/sendEmail.ts: the name "sendEmail", which the file name gives, isn't snake_case`,
		`agents/packed: packed packages are not loaded`,
	}
	if d := cmp.Diff(wantTexts, texts); d != "" {
		t.Error(d)
	}
}

func TestRouteOf(t *testing.T) {
	for file, want := range map[string][2]string{
		"foo.ts":            {"GET", "/foo"},
		"foo.get.ts":        {"GET", "/foo"},
		"bar.Delete.ts":     {"DELETE", "/bar"},
		"foobar/index.ts":   {"GET", "/foobar"},
		"index.post.ts":     {"POST", "/"},
		"a.b.ts":            {"GET", "/a.b"},
		"foobar/[id].ts":    {"GET", "/foobar/[id]"},
		"x/index.patch.ts":  {"PATCH", "/x"},
		"v1.post/thing.ts":  {"GET", "/v1.post/thing"},
		"indexes.put.ts":    {"PUT", "/indexes"},
		"nested/index/a.ts": {"GET", "/nested/index/a"},
	} {
		method, route := routeOf(file)
		if got := [2]string{method, route}; got != want {
			t.Errorf("routeOf(%q) = %v, want %v", file, got, want)
		}
	}
}
