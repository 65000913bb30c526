package lib_test

import (
	"encoding/json"
	"testing"
)

func TestDefineFunctionsTagWhatTheyAnswer(t *testing.T) {
	call := program(t, `
import * as s from "@standardagents/builder";
import { openai } from "@standardagents/openai";
import { test, createTestProvider } from "@standardagents/builder/test";
import { z } from "zod";
const run = async () => ({});
const all = {
  agent: s.defineAgent({ name: "a" }),
  prompt: s.definePrompt({ name: "p" }),
  model: s.defineModel({ name: "m", model: "x", provider: openai, inputPrice: 0 }),
  oldModel: s.defineModel({ name: "m", model: "x", provider: "openai" }),
  tool: s.defineTool({ description: "d", execute: run }),
  tool2: s.defineTool("d", run),
  tool3: s.defineTool("d", z.object({}), run),
  tool4: s.defineTool("d", z.object({}), run, z.string()),
  tool5: s.defineTool("d", z.object({}), run, z.string(), z.object({})),
  hook: s.defineHook({ hook: "filter_messages", id: "h", execute: run }),
  effect2: s.defineEffect("d", run),
  effect3: s.defineEffect("d", z.object({}), run),
  endpoint: s.defineThreadEndpoint(run),
  controller: s.defineController(run),
  provider: s.defineProvider({ name: "own", generate: run }),
  openai, test, scripted: createTestProvider(),
};
export const kinds = () => Object.fromEntries(Object.entries(all).map(([name, v]) => [name, [
  v.__kind, typeof v === "function" ? [v.__provider ?? null, v.__host === true, v.__controller === true] : Object.keys(v).join()]]));
`, nil)
	sameJSON(t, "kinds", json.RawMessage(`{
  "agent": ["agent", "name"], "prompt": ["prompt", "name"],
  "model": ["model", "name,model,provider,inputPrice"], "oldModel": ["model", "name,model,provider"],
  "tool": ["tool", "description,execute"], "tool2": ["tool", "description,execute"], "tool3": ["tool", "description,args,execute"],
  "tool4": ["tool", "description,args,execute,returns"], "tool5": ["tool", "description,args,execute,returns,tenvs"],
  "hook": ["hook", "hook,id,execute"], "effect2": ["effect", "description,execute"], "effect3": ["effect", "description,args,execute"],
  "endpoint": ["threadEndpoint", [null, false, false]], "controller": ["controller", [null, false, true]],
  "provider": ["provider", ["own", false, false]], "openai": ["provider", ["openai", true, false]],
  "test": ["provider", ["test", false, false]], "scripted": ["provider", ["test", false, false]]
}`), call("kinds"))
}

func TestDefinitionsThatThrow(t *testing.T) {
	call := program(t, `
import { defineModel, defineHook, defineProvider, defineAgent } from "@standardagents/spec";
import { openai } from "@standardagents/openai";
import { z } from "zod";
const strict = Object.assign(() => ({}), { providerOptions: z.strictObject({ a: z.number() }) });
const broken = [
  () => defineModel({ name: "q", model: "m" }),
  () => defineModel({ name: "q", model: "m", provider: openai, outputPrice: -1 }),
  () => defineModel({ name: "q", model: "m", provider: strict, providerOptions: { a: "x" } }),
  () => defineModel({ name: "q", model: "m", provider: openai, providerOptions: 5 }),
  () => defineHook("filter_messages", () => {}),
  () => defineProvider({ generate: () => {} }),
  () => defineAgent("a"),
];
export const messages = () => broken.map((f) => { try { f(); return "no error"; } catch (e) { return e.message; } });
`, nil)
	sameJSON(t, "messages", json.RawMessage(`[
  "model \"q\": provider must be a provider factory, such as openai from \"@standardagents/openai\"",
  "model \"q\": outputPrice must be a number of USD per million tokens, 0 or more",
  "model \"q\": providerOptions.a: Invalid input: expected number, received string",
  "model \"q\": providerOptions: expected an object",
  "defineHook(\"filter_messages\", …) is no longer loaded: write defineHook({ hook: \"filter_messages\", id: \"…\", execute })",
  "defineProvider: name must be a non-empty string",
  "defineAgent takes an object"
]`), call("messages"))
}

func TestHelpersOfTheSpecification(t *testing.T) {
	call := program(t, `
import { ProviderError, mapReasoningLevel, isPacked, belongsToPackage, isVisibleInNamespace, cat, head, tail, rename } from "@standardagents/builder";
const levels = { 0: null, 50: "medium", 100: "high" };
const files = { "/a/b.txt": "1\n2\n3\n" };
const state = {
  readFile: async (p) => (files[p] === undefined ? null : new TextEncoder().encode(files[p]).buffer),
  statFile: async (p) => (files[p] === undefined ? null : { path: p, mimeType: "text/plain" }),
  writeFile: async (p, data) => { files[p] = new TextDecoder().decode(data); },
  unlinkFile: async (p) => { delete files[p]; },
};
export const run = async () => {
  const e = new ProviderError("slow down", "rate_limit", 429);
  const heads = [await cat(state, "/a/b.txt"), await head(state, "/a/b.txt", 2), await tail(state, "/a/b.txt", 1), await head(state, "/none")];
  await rename(state, "/a/b.txt", "c.txt");
  return [e instanceof Error, e.name, e.code, e.httpStatus,
    [66, 75, 76, 10, undefined].map((l) => mapReasoningLevel(l, levels)), isPacked("pack/tool"), isPacked("tool"),
    belongsToPackage("pack/tool", "pack"), isVisibleInNamespace("pack/tool", "other"), isVisibleInNamespace("tool", "other"), heads, Object.keys(files)];
};`, nil)
	sameJSON(t, "run", json.RawMessage(`[true,"ProviderError","rate_limit",429,["medium","medium","high",null,null],true,false,true,false,true,
  ["1\n2\n3\n","1\n2","3",null],["/a/c.txt"]]`), call("run"))
}

func TestTheScriptedProviderPlaysItsScript(t *testing.T) {
	call := program(t, `
import { TestScript, createTestProvider, test } from "@standardagents/builder/test";
const script = TestScript.create()
  .addTextResponse("hello world")
  .addToolCallResponse([{ name: "add", arguments: { a: 1 }, id: "c1" }], "adding")
  .addErrorResponse("slow down", "rate_limit", 429)
  .addReasoningResponse("done", "thinking")
  .addTextResponse("checked", { expectInput: { containsMessage: /sum/, messageCount: 2, containsToolResult: { toolName: "add", resultContains: "3" } } })
  .withStreamingSimulation({ chunkSize: 6, chunkDelayMs: 0 });
const collect = async (stream) => { const out = []; for await (const c of await stream) out.push(c); return out; };
const failed = async (p) => { try { await p; return "no error"; } catch (e) { return [e.name, e.code ?? null, e.message]; } };
const ask = (content, index) => ({ messages: [{ role: "user", content }], __callIndex: index });

export const stream = () => collect(createTestProvider(script).stream({ messages: [{ role: "user", content: "hi" }] }));
export const inOrder = async () => {
  const p = createTestProvider(script);
  return [(await p.generate(ask("a"))).content, (await p.generate(ask("b"))).toolCalls, await failed(p.generate(ask("c"))),
    (await p.generate(ask("d"))).reasoning, p.remainingResponses(), p.getCurrentIndex(), p.getLastRequest().messages[0].content, p.getRequestLog().length];
};
export const byIndex = async () => {
  const p = test({ script });
  return [(await p.generate(ask("a", 3))).content, (await p.generate(ask("a", 0))).content, await failed(p.generate(ask("a", 9)))];
};
export const expected = async () => {
  const p = createTestProvider(script, { validateInputs: true });
  const good = { messages: [{ role: "user", content: "the sum" }, { role: "tool", toolName: "add", content: "3" }], __callIndex: 4 };
  return [await failed(p.generate(ask("nothing", 4))), (await p.generate(good)).content, await failed(p.generate(ask("the sum", 4)))];
};
export const unscripted = async () => { const p = createTestProvider(); return [(await p.generate({})).content === (await p.generate({})).content, p.name]; };
export const aborted = async () => {
  const p = createTestProvider(TestScript.create().addTextResponse("late", { delayMs: 3600000 }));
  const stop = new AbortController();
  const answer = failed(p.generate({ messages: [], signal: stop.signal }));
  stop.abort();
  return (await answer)[0];
};`, nil)
	for fn, want := range map[string]string{
		"stream": `[{"type":"content-delta","delta":"hello "},{"type":"content-delta","delta":"world"},{"type":"content-done"},
			{"type":"finish","finishReason":"stop","usage":{"promptTokens":1,"completionTokens":3,"totalTokens":4}}]`,
		"inOrder":    `["hello world",[{"id":"c1","name":"add","arguments":{"a":1}}],["ProviderError","rate_limit","slow down"],"thinking",1,4,"d",4]`,
		"byIndex":    `["done","hello world",["ProviderError","invalid_request","the test script has 5 responses and this is request 10"]]`,
		"expected":   `[["ProviderError","invalid_request","test response 5 expected a message containing /sum/"],"checked",["ProviderError","invalid_request","test response 5 expected a result of add containing 3"]]`,
		"unscripted": `[true,"test"]`,
		"aborted":    `"AbortError"`,
	} {
		sameJSON(t, fn, json.RawMessage(want), call(fn))
	}
}
