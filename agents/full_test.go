package agents

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

// openFull opens the project that uses every form.
func openFull(t *testing.T) *Project {
	t.Helper()
	return openDir(t, "../testdata/projects/full", nil)
}

func TestEveryFormLoads(t *testing.T) {
	defs := noProblems(t, openFull(t))
	desk := defs.Agents["desk"]
	wantSide := engine.SideConfig{Prompt: "desk", Label: "Desk", StopOnResponse: true, MaxSteps: 12, SessionStop: &engine.SessionBinding{Name: "close_case"}}
	if diff := cmp.Diff(wantSide, desk.SideA); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"REGION": "eu", "SHARDS": "3"}, desk.Env); diff != "" {
		t.Error(diff)
	}
	if b := defs.Agents["review"].SideA.SessionStop; b.MessageProperty != "summary" {
		t.Errorf("%+v", b)
	}
	if parts := defs.Prompts["manners"].Parts; len(parts) != 1 || parts[0].Value != "Be kind." {
		t.Errorf("%+v", parts)
	}
	if e := defs.Prompts["desk"].Tools[2]; e.Name != "old_sum" || !e.RetryOnCrash() {
		t.Errorf("%+v", e)
	}
	wantArgs := `{"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"Full name"},` +
		`"kind":{"default":"person","type":"string","enum":["person","firm"]},"tags":{"type":"array","items":{"type":"string"}},` +
		`"where":{"anyOf":[{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false},{"type":"null"}]},` +
		`"extra":{"type":"object","additionalProperties":{"type":"number"}}},"required":["name"],"additionalProperties":false}`
	if diff := cmp.Diff(asAny(t, wantArgs), asAny(t, string(defs.Tools["lookup"].Args))); diff != "" {
		t.Error(diff)
	}
	wantEndpoints := []engine.Endpoint{
		{Method: "GET", Path: "/health", Controller: true, File: "agents/api/health.ts"},
		{Method: "POST", Path: "/notes/[id]", File: "agents/api/notes/[id].post.ts"},
	}
	if diff := cmp.Diff(wantEndpoints, defs.Endpoints); diff != "" {
		t.Error(diff)
	}
	if m := defs.Models["backup"]; !m.Script || m.Provider != "house" || defs.Providers["house"] == nil {
		t.Errorf("%+v", m)
	}
}

func asAny(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func TestEveryFormRuns(t *testing.T) {
	p, h := openFull(t), newFake()
	for _, c := range []struct{ tool, args, want string }{
		{"lookup", `{"name":"ada"}`, "{\n  \"name\": \"ADA\",\n  \"kind\": \"person\"\n}"},
		{"old_sum", `{"a":1,"b":2}`, "3\ndone"},
		{"close_case", `{"ignored":true}`, "closed"},
		{"close_case", ``, "closed"},
	} {
		if r := callNamed(t, p, c.tool, c.args, h); r.Status != engine.ToolSuccess || r.Result != c.want {
			t.Errorf("%s: %+v", c.tool, r)
		}
	}
	if r := callNamed(t, p, "lookup", `{"name":"","kind":"x"}`, h); r.Status != engine.ToolError || r.Error[:6] != "[name]" {
		t.Errorf("%+v", r)
	}
	if r := callNamed(t, p, "lookup", `[]`, h); r.Error != "[root] Invalid input: expected object, received array" {
		t.Errorf("%+v", r)
	}
	call := json.RawMessage(`{"id":"c","type":"function","function":{"name":"lookup","arguments":"{}"}}`)
	got, err := p.callHook(context.Background(), p.Definitions().Hooks["note_call"], []json.RawMessage{call, json.RawMessage(`{"status":"success","result":"x"}`)}, h)
	if err != nil || string(got) != `{"status":"success","result":"lookup: x"}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestPackagesOfTheProjectWin(t *testing.T) {
	p := openFiles(t, files{
		"node_modules/zod/package.json": `{"name":"zod","version":"4.0.0","main":"index.js"}`,
		"node_modules/zod/index.js": `
const schema = (json, parse) => ({ _zod: { def: {} }, json, safeParse: parse, safeParseAsync: async (v) => parse(v) });
const z = {
  object: () => schema({ $schema: "x", type: "object", properties: { own: { type: "string" } } }, (v) => ({ success: true, data: { own: "parsed" } })),
};
module.exports = { z, toJSONSchema: (s) => s.json };`,
		"node_modules/greet/package.json": `{"name":"greet","exports":{"import":"./mod.mjs"}}`,
		"node_modules/greet/mod.mjs":      `export const greet = (n) => "hello " + n;`,
		"agents/tools/t.ts": `import { defineTool } from "@standardagents/spec";
import { z } from "zod";
import { greet } from "greet";
export default defineTool({ description: "d", args: z.object({}), execute: async (state, args: any) => greet(args.own) });`,
	}, nil)
	defs := noProblems(t, p)
	if got := string(defs.Tools["t"].Args); got != `{"type":"object","properties":{"own":{"type":"string"}},"additionalProperties":false}` {
		t.Error(got)
	}
	if r := callNamed(t, p, "t", `{}`, newFake()); r.Result != "hello parsed" {
		t.Errorf("%+v", r)
	}
}
