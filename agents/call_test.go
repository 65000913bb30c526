package agents

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

// body is a tool file whose execute has the given statements.
func body(statements string) string {
	return "export default { description: 'd', execute: async (state: any) => {\n" + statements + "\n} };"
}

func TestStateMethodsReachTheHost(t *testing.T) {
	p := openFiles(t, basic.with(files{"agents/tools/use.ts": body(`
  const seen: any = { id: state.threadId, user: state.userId, children: state.children, args: state.arguments, flow: state.execution.flowId };
  seen.names = [state.getModelNames(), state.getPromptNames(), state.getAgentNames()];
  await state.setValue("k", { a: [1, null] });
  await state.setValue("gone", undefined);
  seen.value = await state.getValue("k");
  seen.messages = (await state.getMessages({ limit: 5 })).messages.map((m: any) => [m.content, m.tool_calls, m.name]);
  seen.none = await state.getMessage("x");
  await state.injectMessage({ role: "user", content: "hello" });
  await state.setEnv("NAME", "v", { type: "text" });
  state.emit("tick", { n: 1 });
  state.queueTool("add", { a: 1 });
  state.execution.stop();
  state.execution.forceTurn("b");
  seen.agent = (await state.loadAgent("support")).name;
  seen.missing = await state.loadModel("nope").catch((e: any) => e.message);
  console.warn("careful", 1);
  return seen;`)}), nil)
	noProblems(t, p)
	h := newFake()
	h.answers["getValue"] = func(json.RawMessage) (any, error) { return json.RawMessage(`{"a":[1,null]}`), nil }
	h.answers["getMessages"] = func(json.RawMessage) (any, error) {
		return engine.MessageList{Total: 1, Messages: []engine.Message{{ID: "1", Role: engine.RoleAssistant, ToolCalls: []engine.ToolCall{{ID: "c", Name: "t", Arguments: "{}"}}}}}, nil
	}
	h.answers["loadAgent"] = func(json.RawMessage) (any, error) { return map[string]string{"name": "support"}, nil }
	r := callNamed(t, p, "use", `{}`, h)
	var got any
	if err := json.Unmarshal([]byte(r.Result), &got); err != nil {
		t.Fatalf("%+v", r)
	}
	want := map[string]any{
		"id": "thread", "user": nil, "children": []any{}, "args": map[string]any{}, "flow": "flow",
		"names": []any{[]any{"m"}, []any{"support"}, []any{"support"}},
		"value": map[string]any{"a": []any{1.0, nil}}, "none": nil,
		"messages": []any{[]any{nil, `[{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}]`, nil}},
		"agent":    "support", "missing": `there is no model named "nope"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantAsked := []string{
		`setValue {"key":"k","value":{"a":[1,null]}}`, `setValue {"key":"gone","value":null}`, `getValue {"key":"k"}`,
		`getMessages {"limit":5,"offset":0,"includeSilent":false,"maxDepth":0}`, `getMessage {"id":"x"}`,
		`injectMessage {"role":"user","content":"hello"}`, `setEnv {"name":"NAME","value":"v","type":"text"}`,
		`emit {"event":"tick","data":{"n":1}}`, `queueTool {"name":"add","args":{"a":1}}`, `stop {}`, `forceTurn {"side":"b"}`,
		`loadAgent {"name":"support"}`, `loadModel {"name":"nope"}`, `console {"level":"warn","text":"careful 1"}`,
	}
	asked := map[string]bool{}
	for _, a := range h.log() {
		asked[a] = true
	}
	for _, w := range wantAsked {
		if !asked[w] {
			t.Errorf("the host wasn't asked %s; it was asked %s", w, strings.Join(h.log(), "\n"))
		}
	}
}

func TestContextIsLive(t *testing.T) {
	p := openFiles(t, files{
		"agents/tools/change.ts": body(`state.context.m = 2; const before = state.context;
  const r = await state.invokeTool("other", { x: 1 });
  if (before !== state.context) throw new Error("another object");
  state.context.after = state.context.fromOther; return r.result;`),
		"agents/tools/keep.ts": body(`return "nothing";`),
		"agents/tools/fail.ts": body(`state.context = { only: true }; throw new Error("late");`),
		"agents/tools/bad.ts":  body(`state.context.f = () => 1; return "x";`),
	}, nil)
	h := newFake()
	h.answers["invokeTool"] = func(args json.RawMessage) (any, error) {
		return map[string]any{"value": engine.ToolResult{Status: engine.ToolSuccess, Result: "r"}, "context": json.RawMessage(`{"n":1,"m":2,"fromOther":3}`)}, nil
	}
	for _, c := range []struct {
		tool, result string
		asked        []string
	}{
		{"change", "r", []string{`invokeTool {"name":"other","args":{"x":1},"context":{"n":1,"m":2}}`, `setContext {"context":{"n":1,"m":2,"fromOther":3,"after":3}}`}},
		{"keep", "nothing", nil},
		{"fail", "", []string{`setContext {"context":{"only":true}}`}},
		{"bad", "", nil},
	} {
		h.asked = nil
		r := callNamed(t, p, c.tool, `{}`, h)
		if r.Result != c.result {
			t.Errorf("%s: %+v", c.tool, r)
		}
		if diff := cmp.Diff(c.asked, h.log()); diff != "" {
			t.Errorf("%s: %s", c.tool, diff)
		}
		if c.tool == "bad" && !strings.Contains(r.Error, "state.context.f is a function: only JSON values can be stored") {
			t.Errorf("%+v", r)
		}
	}
}

func TestOnlyJSONIsStored(t *testing.T) {
	p := openFiles(t, files{"agents/tools/store.ts": `import { defineTool } from "@standardagents/builder";
import { z } from "zod";
class Money { n = 1 }
const cycle: any = {}; cycle.self = cycle;
const values: any = { fn: () => 1, nan: [NaN], money: { m: new Money() }, cycle, date: new Date(0), hole: [undefined], big: 1n, fine: { a: [1, "x", null, true], u: undefined } };
export default defineTool("stores", z.object({ which: z.string() }), async (state, { which }) => {
  await state.setValue("k", values[which]);
  return { content: [{ type: "text", text: "stored" }] };
});`}, nil)
	noProblems(t, p)
	for which, want := range map[string]string{
		"fn":    `the value of "k" is a function: only JSON values can be stored`,
		"nan":   `the value of "k"[0] is NaN: only finite numbers can be stored`,
		"money": `the value of "k".m is a Money: only plain objects and arrays can be stored`,
		"cycle": `the value of "k".self refers to itself: a stored value must not have cycles`,
		"date":  `the value of "k" is a Date: only plain objects and arrays can be stored`,
		"hole":  `the value of "k"[0] is undefined: use null in arrays`,
		"big":   `the value of "k" is a bigint: only JSON values can be stored`,
	} {
		if r := callNamed(t, p, "store", `{"which":"`+which+`"}`, newFake()); r.Error != "TypeError: "+want {
			t.Errorf("%s: %+v", which, r)
		}
	}
	h := newFake()
	if r := callNamed(t, p, "store", `{"which":"fine"}`, h); r.Result != "stored" {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(h.log(), "\n"); got != `setValue {"key":"k","value":{"a":[1,"x",null,true]}}` {
		t.Error(got)
	}
}

func TestErrorsOfToolsAreResults(t *testing.T) {
	p := openFiles(t, files{"agents/tools/fail.ts": body(`
  class Broken extends Error { code = "E_BROKEN" }
  Broken.prototype.name = "Broken";
  throw new Broken("because");`)}, nil)
	r := callNamed(t, p, "fail", `{}`, newFake())
	if r.Status != engine.ToolError || r.Error != "Broken: because" || r.ErrorCode != "E_BROKEN" {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Stack, "agents/tools/fail.ts:5:") {
		t.Errorf("stack: %s", r.Stack)
	}
}

func TestHostErrorsKeepTheirCode(t *testing.T) {
	p := openFiles(t, files{"agents/tools/t.ts": body(`
  try { await state.env("KEY") } catch (e: any) { return [e.message, e.code] }`)}, nil)
	h := newFake()
	h.answers["env"] = func(json.RawMessage) (any, error) {
		return nil, engine.Errorf(engine.CodeNotFound, "env", "KEY has no value")
	}
	if r := callNamed(t, p, "t", `{}`, h); r.Result != "[\n  \"env: KEY has no value\",\n  \"not_found\"\n]" {
		t.Errorf("%+v", r)
	}
	h.answers["env"] = func(json.RawMessage) (any, error) { panic("out of order") }
	if r := callNamed(t, p, "t", `{}`, h); !strings.Contains(r.Result, "out of order") {
		t.Errorf("%+v", r)
	}
}

func TestMessageHistoryComesWhereItIsUsed(t *testing.T) {
	p := openFiles(t, files{"agents/tools/t.ts": body(`return state.execution.messageHistory.map((m: any) => m.content).join();`)}, nil)
	if r := callNamed(t, p, "t", `{}`, newFake()); r.Result != "hi" {
		t.Errorf("%+v", r)
	}
}

func TestHooksAndEffects(t *testing.T) {
	p := openFiles(t, files{
		"agents/hooks/shout.ts": `import { defineHook } from "@standardagents/spec";
export default defineHook({ hook: "filter_messages", id: "shout", execute: async (state, messages) => messages.map((m: any) => ({ ...m, content: m.content.toUpperCase() })) });`,
		"agents/hooks/quiet.ts": `export default { hook: "after_create_message", id: "quiet", execute: async () => {} };`,
		"agents/effects/remind.ts": `import { defineEffect } from "@standardagents/spec";
import { z } from "zod";
export default defineEffect("Reminds.", z.object({ text: z.string(), times: z.number().default(3) }), async (state, args) => { await state.setValue("reminded", args); });`,
	}, nil)
	defs, h, ctx := noProblems(t, p), newFake(), context.Background()
	got, err := p.callHook(ctx, defs.Hooks["shout"], []json.RawMessage{json.RawMessage(`[{"content":"a"}]`)}, h)
	if err != nil || string(got) != `[{"content":"A","silent":false,"attachments":[]}]` {
		t.Errorf("%s %v", got, err)
	}
	if got, err := p.callHook(ctx, defs.Hooks["quiet"], nil, h); err != nil || got != nil {
		t.Errorf("%s %v", got, err)
	}
	if _, err := p.callHook(ctx, defs.Hooks["shout"], []json.RawMessage{json.RawMessage(`[{}]`)}, h); engine.CodeOf(err) != engine.CodeTool || !strings.Contains(err.Error(), "agents/hooks/shout.ts:2:") {
		t.Error(err)
	}
	if err := p.callEffect(ctx, defs.Effects["remind"], json.RawMessage(`{"text":"x"}`), h); err != nil {
		t.Error(err)
	}
	if log := h.log(); len(log) != 1 || log[0] != `setValue {"key":"reminded","value":{"text":"x","times":3}}` {
		t.Error(log)
	}
	if err := p.callEffect(ctx, defs.Effects["remind"], json.RawMessage(`{}`), h); engine.CodeOf(err) != engine.CodeInvalid {
		t.Error(err)
	}
}

func TestADeadWorkerFailsItsCallsOnly(t *testing.T) {
	p := openFiles(t, basic.with(files{
		"agents/tools/overflow.ts": body(`JSON.parse("[".repeat(5e6) + "]".repeat(5e6)); return "survived";`),
		"agents/tools/recurse.ts":  body(`const f = (n: number): number => 1 + f(n + 1); return f(0);`),
	}), nil)
	if r := callNamed(t, p, "overflow", `{}`, newFake()); r.ErrorCode != "worker_died" || !strings.Contains(r.Error, "the project worker died while overflow ran: ") {
		t.Errorf("%+v", r)
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "3" {
		t.Errorf("the next call: %+v", r)
	}
	if r := callNamed(t, p, "recurse", `{}`, newFake()); r.Status != engine.ToolError {
		t.Errorf("%+v", r)
	}
	if r := callNamed(t, p, "add", `{"a":2}`, newFake()); r.Result != "4" {
		t.Errorf("the next call: %+v", r)
	}
}

func TestABlockedLoopIsReported(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := openFiles(t, files{"agents/tools/spin.ts": body(`for (;;);`)}, func(o *Options) {
		o.KillAfter, o.StallAfter = 1, time.Millisecond
		o.OnStall = func(fn string, _ time.Time) {
			if fn == "callTool" {
				cancel()
			}
		}
	})
	if _, err := p.callTool(ctx, p.Definitions().Tools["spin"], nil, newFake()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestACancelledCallThatSpinsIsKilled(t *testing.T) {
	p := openFiles(t, basic.with(files{"agents/tools/spin.ts": body(`await state.setValue("started", 1); for (;;);`)}),
		func(o *Options) { o.KillAfter = 1 })
	ctx, cancel := context.WithCancel(context.Background())
	h := newFake()
	h.answers["setValue"] = func(json.RawMessage) (any, error) { return nil, nil }
	first, err := p.pool.get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h.answers["setValue"] = func(json.RawMessage) (any, error) { cancel(); return nil, nil }
	if _, err := p.callTool(ctx, p.Definitions().Tools["spin"], json.RawMessage(`{}`), h); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-first.p.Done()
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "3" {
		t.Errorf("the next call: %+v", r)
	}
}

func TestAbortReachesTheTool(t *testing.T) {
	p := openFiles(t, files{"agents/tools/wait.ts": body(`
  await new Promise<void>((resolve) => { state.execution.abortSignal.addEventListener("abort", () => resolve()); state.setValue("started", 1); });
  await fetch("http://127.0.0.1:1/").catch(() => {});
  return "done";`)}, nil)
	ctx, cancel := context.WithCancel(context.Background())
	h := newFake()
	h.answers["setValue"] = func(json.RawMessage) (any, error) { cancel(); return nil, nil }
	_, err := p.callTool(ctx, p.Definitions().Tools["wait"], json.RawMessage(`{}`), h)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
