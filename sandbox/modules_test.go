package sandbox

import "testing"

// Modules (§13.2): the table of semantics.
func TestModules(t *testing.T) {
	o := Options{Modules: map[string]string{
		"./counter":    "export let n = 0; export function inc() { n++ } export default 'counter'",
		"./re":         "export * from './counter'; export { default as name } from './counter'; export * as all from './counter'",
		"./cycle-a":    "import { b } from './cycle-b'; export const a = () => 'a' + b(); export function hoisted() { return 'h' }",
		"./cycle-b":    "import { a, hoisted } from './cycle-a'; export const b = () => hoisted(); export const c = () => a()",
		"./lib/x":      "import { y } from './y'; import { top } from '../top'; export const x = y + top",
		"./lib/y.ts":   "export const y: number = 1",
		"./top.ts":     "export const top = 10; export const url = import.meta.url",
		"./data.json":  `{"a":[1]}`,
		"./awaits":     "export const v = await Promise.resolve(5)",
		"./throws":     "throw new TypeError('in a module')",
		"./side":       "import { push } from 'host'; push('side'); export {}",
		"./lazy":       "import { push } from 'host'; push('lazy'); export const v = 1",
		"./string":     "const v = 1; export { v as 'a-b' }",
		"./class":      "export default class Named { static v = 1 }",
		"./anonymous":  "export default () => 1",
		"./bad syntax": "export const = 1",
		"./unused":     "export const a = 1",
		"./emoji 😀":    "export default '😀'",
	}, Imports: map[string]map[string]any{
		"host":       {"push": function("push", func([]any) (any, error) { return nil, nil }), "list": []any{1.0}, "default": "the default", "a-b": 2.0},
		"@scope/pkg": {"v": 1.0},
		"pkg/sub":    {"v": 2.0},
	}}
	evaluateAll(t, o, map[string]sample{
		"named and default":        {"import d, { n } from './counter'; export default [d, n]", `["counter",0]`},
		"live bindings":            {"import { n, inc } from './counter'; inc(); inc(); export default n", "2"},
		"namespace":                {"import * as c from './counter'; export default Object.keys(c)", `["default","inc","n"]`},
		"namespace is a module":    {"import * as c from './counter'; export default [String(Object.prototype.toString.call(c)), Object.getPrototypeOf(c), Object.isExtensible(c)]", `["[object Module]",null,false]`},
		"re-exports":               {"import { n, name, all } from './re'; export default [n, name, all.default]", `[0,"counter","counter"]`},
		"cycles":                   {"import { a } from './cycle-a'; import { c } from './cycle-b'; export default [a(), c()]", `["ah","ah"]`},
		"relative to the importer": {"import { x } from './lib/x'; export default x", "11"},
		"extensions":               {"import { top } from './top'; import { top as again } from './top.ts'; import { top as js } from './top.js'; export default [top, again, js]", "[10,10,10]"},
		"import.meta.url":          {"import { url } from './top'; export default url", `"sandbox:./top.ts"`},
		"JSON":                     {"import data from './data.json'; export default data", `{"a":[1]}`},
		"awaits":                   {"import { v } from './awaits'; export default v", "5"},
		"throws":                   {"import './throws'; export default 1", "error TypeError: in a module"},
		"side effects":             {"import './side'; export default 1", "1"},
		"string names":             {"import { 'a-b' as v } from './string'; export default v", "1"},
		"names of defaults":        {"import C from './class'; import f from './anonymous'; export default [C.name, f.name]", `["Named","default"]`},
		"unicode":                  {"import e from './emoji 😀'; export default e", `"😀"`},
		"evaluated once":           {"import { inc, n } from './counter'; import * as again from './re'; inc(); export default [n, again.n]", "[1,1]"},

		"host module":            {"import d, { list } from 'host'; import * as h from 'host'; export default [d, list, h['a-b'], typeof h.push]", `["the default",[1],2,"function"]`},
		"scoped and deep":        {"import { v } from '@scope/pkg'; import { v as w } from 'pkg/sub'; export default [v, w]", "[1,2]"},
		"a host's missing name":  {"import { nope } from 'host'; export default nope", `link_error SyntaxError: No matching export`},
		"a module's":             {"import { nope } from './counter'; export default nope", `link_error SyntaxError: No matching export`},
		"no default":             {"import d from './unused'; export default d", `link_error SyntaxError: No matching export`},
		"host values are frozen": {"import * as h from 'host'; const o: any = h; try { o.list = 1 } catch (e) { } export default Array.isArray(o.list)", "true"},

		"literal import()":          {"export default async () => (await import('./lazy')).v", "1"},
		"import() of host":          {"export default async () => (await import('host')).default", `"the default"`},
		"computed import()":         {"const n = 'lazy'; export default async () => (await import('./' + n)).v", "1"},
		"computed import() of host": {"const n = 'host'; export default async () => (await import(n)).default", `"the default"`},
		"template import()":         {"const n = 'lazy'; export default async () => (await import(`./${n}`)).v", "1"},
		"the same instance":         {"import * as s from './counter'; const p = './counter'; export default async () => { s.inc(); return [(await import(p)).n, (await import('./counter')).n] }", "[1,1]"},
		"a namespace either way":    {"const p = './counter'; export default async () => { const m = await import(p); return [Object.keys(m), Object.prototype.toString.call(m)] }", `[["default","inc","n"],"[object Module]"]`},
		"unknown literal import()":  {"export default async () => { try { await import('./nope') } catch { return 'caught' } }", "link_error LinkError"},
		"unknown computed import()": {"const n = './nope'; export default async () => { try { await import(n) } catch (e) { return e.name } }", `"TypeError"`},
		"throwing module at import": {"const n = './throws'; export default async () => { try { await import(n) } catch (e) { return e.message } }", `"in a module"`},
		"awaiting module at import": {"const n = './awaits'; export default async () => (await import(n)).v", "5"},

		"unused imports are erased":      {"import { Nope } from 'nowhere'; export default 1", "1"},
		"type imports are erased":        {"import type { Nope } from 'nowhere'; import { type T } from './unused'; export default 1", "1"},
		"an unused module isn't checked": {"export default 1", "1"},
		"a bad module at import":         {"const n = './bad syntax'; export default async () => { try { await import(n) } catch (e) { return e.name } }", `"SyntaxError"`},
		"a bad module":                   {"import x from './bad syntax'; export default x", "link_error SyntaxError"},
		"assignment to an import":        {"import { n } from './counter'; n = 1; export default n", "link_error SyntaxError: Cannot assign to import"},
		"assignment to a namespace":      {"import * as c from './counter'; c.n = 1; export default 1", "link_error SyntaxError: Cannot assign to"},
		"duplicate declaration":          {"const a = 1; const a = 2; export default a", "link_error SyntaxError"},
		"duplicate export":               {"export const a = 1; export { a }; export default 1", "link_error SyntaxError"},
		"helpers' names":                 {"const __export = 1, __defProp = 2, __require = 3, __toESM = 4; export default [__export, __defProp, __require, __toESM]", "[1,2,3,4]"},
		"names of the engine":            {"export const then = 1; export default 2", "2"},
	})
	evaluateAll(t, Options{Language: JavaScript}, map[string]sample{
		"unused imports fail in JavaScript": {"import { nope } from 'nowhere'; export default 1", "link_error LinkError"},
		"unused module fails":               {"import './nope'; export default 1", "link_error LinkError"},
		"octal":                             {"export default 010", "link_error SyntaxError"},
		"with":                              {"with ({}) {}", "link_error SyntaxError"},
		"CommonJS":                          {"module.exports = 1", "error TypeError"},
	})
}

// What the engine lacks is said, not silently wrong.
func TestEngineGaps(t *testing.T) {
	evaluateAll(t, Options{Language: JavaScript}, map[string]sample{
		"property escape":           {"export default /\\p{L}/u.test('a')", "link_error SyntaxError: Unicode property escapes"},
		"property escape made":      {"export default () => new RegExp('\\\\p{L}', 'u')", "error SyntaxError: Unicode property escapes"},
		"property escape by String": {"export default () => 'a'.match(RegExp('\\\\P{L}', 'u'))", "error SyntaxError: Unicode property escapes"},
		"flag v":                    {"export default /a/v", "link_error SyntaxError"},
		"flag d":                    {"export default /a/d", "link_error SyntaxError"},
		"flag d made":               {"export default () => new RegExp('a', 'd')", "error SyntaxError"},
		"regular expressions work":  {"export default ['aXb'.replace(/x/i, '-'), /(?<y>\\d+)/.exec('a12').groups.y, /(?<=a)b/.test('ab'), new RegExp('a') instanceof RegExp, /a/ instanceof RegExp, /a/.constructor === RegExp, new (class R extends RegExp {})('b').test('b'), RegExp(/c/g).flags]", `["a-b","12",true,true,true,true,true,"g"]`},
		"what the prelude adds":     {"export default [Object.groupBy([1, 2], (n) => n % 2 ? 'odd' : 'even'), typeof Promise.withResolvers, [1, 2].values().map((n) => n * 2).toArray(), 'a'.isWellFormed()]", `[{"odd":[1],"even":[2]},"function",[2,4],true]`},
	})
}
