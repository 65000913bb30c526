package js

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCallOfAnEntryFunction(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"lib/a.ts": "export const twice = (n: number): number => n * 2\n"})
	r := eval(t, dir, `import {twice} from "./lib/a"; import type {Nothing} from "nowhere"; import {unused} from "nowhere-either";
export async function f() { await null; return {n: twice(21)} }`)
	if r.value != `{"n":42}` {
		t.Fatalf("%+v", r)
	}
}

func TestSyntaxThatIsLowered(t *testing.T) {
	evals(t, map[string][2]string{
		"async generator, for await": {`async function* g() { yield 1; yield 2 } const out = []; for await (const x of g()) out.push(x); return out`, `[1,2]`},
		"using":                      {`const log: string[] = []; { using a = {[Symbol.dispose]() { log.push("a") }}; await using b = {async [Symbol.asyncDispose]() { log.push("b") }}; } return log`, `["b","a"]`},
		"decorators":                 {`const d = (v: any, c: any) => function(this: any) { return v.call(this) + c.name }; class A { @d m() { return 1 } } return new A().m()`, `"1m"`},
		"enum, satisfies, private":   {`enum E { A = 1, B } class P { #x = E.B; get x() { return this.#x } } return [new P().x satisfies number, E[1]]`, `[2,"A"]`},
		"groupBy, withResolvers":     {`const p = Promise.withResolvers<number>(); p.resolve(3); return [Object.groupBy([1,2,3], (x: number) => x % 2 ? "o" : "e"), await p.promise]`, `[{"o":[1,3],"e":[2]},3]`},
		"fromAsync, iterator map":    {`async function* g() { yield 1; yield 2 } return [await Array.fromAsync(g(), (x: number) => x * 2), new Set([1,2,3]).values().map(x => x + 1).filter(x => x > 2).take(1).toArray()]`, `[[2,4],[3]]`},
		"abrupt end of for await":    {`let closed = 0; async function* g() { try { yield 1; yield 2 } finally { closed++ } } for await (const x of g()) break; return closed`, `1`},
		"node_env and global":        {`return [process.env.NODE_ENV, typeof process, (global as any) === globalThis]`, `["production","undefined",true]`},
		"computed import rejects":    {`const name = "x" + Math.random(); return await import(name).then(() => "resolved", () => "rejected")`, `"rejected"`},
	})
}

func TestDynamicImportIsLazySharedAndIsolated(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"good.ts":   `import {count} from "./shared"; count.n++; export default {name: "good"}`,
		"other.ts":  `import {count} from "./shared"; count.n++; export default {name: "other"}`,
		"shared.ts": `export const count = {n: 0}`,
		"bad.ts":    "const x = 1\n\nthrow new Error('boom ' + x)\nexport default {}",
		"late.ts":   `const v = await new Promise<number>(r => setTimeout(() => r(7), 1)); export default v`,
	})
	abs := func(n string) string { return quote(filepath.Join(dir, n)) }
	r := eval(t, dir, `import {count} from "./shared";
const load = {good: () => import(`+abs("good.ts")+`), bad: () => import(`+abs("bad.ts")+`), late: () => import(`+abs("late.ts")+`), other: () => import(`+abs("other.ts")+`)};
export async function f() {
	const before = count.n;
	const out: any[] = [before, (await load.good()).default.name];
	for (let i = 0; i < 2; i++) out.push(await load.bad().catch(e => e.message));
	out.push((await load.late()).default, (await load.other()).default.name, (await load.good()) === (await load.good()), count.n);
	return out;
}`)
	if r.value != `[0,"good","boom 1","boom 1",7,"other",true,2]` {
		t.Fatalf("%+v %+v", r, r.thrown)
	}
}

func TestAllBrokenFilesAreReportedAtOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"syntax.ts":  "export default {\n  a: 1,,\n}",
		"missing.ts": "import x from 'not-there';\nimport {y} from './nope';\nimport fs from 'node:fs';\nexport default [x, y, fs]",
		"name.ts":    "import {nope} from './fine'\nexport default nope",
		"fine.ts":    "export default 1; export const url = import.meta.url",
		"meta.ts":    "export default import.meta.url +",
	})
	var entry strings.Builder
	for _, n := range []string{"syntax", "missing", "name", "fine", "meta"} {
		entry.WriteString("export const " + n + " = () => import(" + quote(filepath.Join(dir, n+".ts")) + ");\n")
	}
	entry.WriteString("export async function f() { return [(await fine()).default, await syntax().catch(e => e.name + ' ' + e.message.includes('syntax.ts:2:8')), await name().catch(e => e.name)] }")
	req := LinkRequest{ResolveDir: dir, Entry: entry.String()}
	linked := Link(req)
	if linked.Code != "" {
		t.Fatal("broken files were linked")
	}
	var got []string
	for _, d := range linked.Diagnostics {
		d.File = filepath.Base(d.File)
		got = append(got, d.text())
	}
	for i, want := range []string{"meta.ts:1:33: ", "missing.ts:1:15: ", "missing.ts:2:17: ", "missing.ts:3:16: ", "name.ts:1:9: No matching export", "syntax.ts:2:8: "} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("%d: want %s in\n%s", i, want, strings.Join(got, "\n"))
		}
	}
	if len(got) != 6 {
		t.Errorf("more than the errors: %s", strings.Join(got, "\n"))
	}
	if i := slices.IndexFunc(linked.Diagnostics, func(d Diagnostic) bool { return d.Specifier == "not-there" }); i < 0 {
		t.Error("the specifier isn't named")
	}
	req.Lenient = true
	e, h := startVM(t)
	if th := load(t, e, h.vm, req); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "f", "[]")
	if r := <-h.calls; r.value != `[1,"SyntaxError true","SyntaxError"]` {
		t.Fatalf("%+v", r)
	}
}

func TestPackagesOfNodeModules(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"node_modules/esm/package.json":        `{"name":"esm","type":"module","exports":{".":{"import":"./i.js","default":"./d.js"},"./sub":"./sub.js"},"sideEffects":false}`,
		"node_modules/esm/i.js":                `export const kind = "import"`,
		"node_modules/esm/d.js":                `export const kind = "default"`,
		"node_modules/esm/sub.js":              `export { kind as again } from "./i.js"`,
		"node_modules/cjs/package.json":        `{"name":"cjs","main":"lib/index.js"}`,
		"node_modules/cjs/lib/index.js":        `const dep = require("./dep"); let c; try { c = require("crypto") && c.x } catch (e) { c = "no crypto" } exports.value = dep.n + 1; exports.crypto = c; exports.env = process.env.NODE_ENV`,
		"node_modules/cjs/lib/dep.js":          `module.exports = {n: 41}`,
		"node_modules/@scope/pkg/package.json": `{"name":"@scope/pkg","module":"m.mjs","main":"c.js"}`,
		"node_modules/@scope/pkg/m.mjs":        `export default "module"`,
		"node_modules/@scope/pkg/c.js":         `module.exports = "main"`,
		"node_modules/zed/package.json":        `{"name":"zed","main":"z.js"}`,
		"node_modules/zed/z.js":                `exports.who = "installed"`,
		"node_modules/nodey/package.json":      `{"name":"nodey","type":"module","main":"n.js"}`,
		"node_modules/nodey/n.js":              `import fs from "node:fs"; export const x = fs`,
		"node_modules/webby/package.json":      `{"name":"webby","type":"module","exports":{"browser":"./web.js","default":"./node.js"}}`,
		"node_modules/webby/web.js":            `export const host = "web"`,
		"node_modules/webby/node.js":           `import crypto from "node:crypto"; export const host = crypto`,
		"agents/data.json":                     `{"a": [1, 2]}`,
		"agents/tool.ts":                       `import data from "./data.json"; import {who} from "zed"; import {mine} from "virtual:mine"; export default [data.a, who, mine, import.meta.filename.endsWith("tool.ts")]`,
	})
	e, h := startVM(t)
	th := load(t, e, h.vm, LinkRequest{ResolveDir: dir, PreferInstalled: []string{"zed", "absent"},
		Virtual: map[string]string{"zed": `export const who = "virtual"`, "absent": `export const a: string = "virtual"`, "esm": `export const kind = "virtual"`,
			"virtual:mine": `export const mine = 1 as number`},
		Entry: `import {kind} from "esm"; import {again} from "esm/sub"; import {value, crypto, env} from "cjs"; import cjs from "cjs"; import m from "@scope/pkg"; import {a} from "absent"; import {host} from "webby";
import tool from "./agents/tool.ts";
export async function f() { return [kind, again, value, crypto, env, cjs.value, m, a, host, tool, await import("nodey").catch(e => e.name)] }`})
	if th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "f", "[]")
	want := `["virtual","import",42,"no crypto","production",42,"module","virtual","web",[[1,2],"installed",1,true],"SyntaxError"]`
	if r := <-h.calls; r.value != want {
		t.Fatalf("got %s %v\nwant %s", r.value, r.thrown, want)
	}
}

func TestFilesInMemory(t *testing.T) {
	linked := LinkRequest{ResolveDir: "/built-in", FS: map[string]string{
		"/built-in/agents/a.ts":   `import {b} from "../lib/b.js"; export default b as string`,
		"/built-in/lib/b.ts":      `import d from "./d.json"; export const b = "b" + d.x`,
		"/built-in/lib/d.json":    `{"x": 1}`,
		"/built-in/agents/bad.ts": "\nthrow new TypeError('bad')",
	}, Entry: `import a from "/built-in/agents/a.ts"; export async function f() { return [a, await import("/built-in/agents/bad.ts").catch(e => e.message)] }
export const g = () => import("/built-in/agents/bad.ts")`}
	e, h := startVM(t)
	if th := load(t, e, h.vm, linked); th != nil {
		t.Fatal(th)
	}
	h.vm.Call(1, "p", "f", "[]")
	if r := <-h.calls; r.value != `["b1","bad"]` {
		t.Fatalf("%+v", r)
	}
	h.vm.Call(2, "p", "g", "[]")
	if r := <-h.calls; r.thrown == nil || r.thrown.File != "/built-in/agents/bad.ts" || r.thrown.Line != 2 {
		t.Fatalf("%+v", r.thrown)
	}
	got := Link(linked).Inputs
	if want := []string{"/built-in/agents/a.ts", "/built-in/agents/bad.ts", "/built-in/lib/b.ts", "/built-in/lib/d.json"}; !slices.Equal(got, want) {
		t.Fatal(got)
	}
}

func TestSealedLinkReadsNoFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"secret.json": `{"k":"v"}`, "x.ts": "export default 1"})
	for _, entry := range []string{
		"const n = 'secret'; export const f = () => import(`./${n}.json`)",
		"const n = 'secret'; export const f = () => import(`" + dir + "/${n}.json`)",
		`import x from "./x.ts"; export const f = () => x`,
		`import x from ` + quote(filepath.Join(dir, "x.ts")) + `; export const f = () => x`,
	} {
		linked := Link(LinkRequest{Sealed: true, ResolveDir: dir, Entry: entry})
		if strings.Contains(linked.Code, `"v"`) || len(linked.Inputs) > 0 || strings.Contains(linked.Code, "x_default") {
			t.Errorf("a file was read by %s: %v", entry, linked.Inputs)
		}
	}
}

func TestInputsAreAbsolute(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"lib/a.ts": "export const a = 1"})
	linked := Link(LinkRequest{ResolveDir: dir, Entry: `export {a} from "./lib/a"`})
	if want := []string{filepath.Join(dir, "lib", "a.ts")}; !slices.Equal(linked.Inputs, want) {
		t.Fatal(linked.Inputs, linked.Diagnostics)
	}
}
