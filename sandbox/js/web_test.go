package js

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWebGlobals(t *testing.T) {
	evals(t, map[string][2]string{
		"timers in order": {`const out: any[] = []; setTimeout(() => out.push("b"), 2); setTimeout((x: string) => out.push(x), 1, "a"); const c = setTimeout(() => out.push("no"), 1); clearTimeout(c); setImmediate(() => out.push("i")); queueMicrotask(() => out.push("m")); await new Promise(r => setTimeout(r, 20)); return out`, `["m","i","a","b"]`},
		"interval":        {`let n = 0; await new Promise<void>(r => { const i = setInterval(() => { if (++n === 3) { clearInterval(i); r() } }, 1) }); return n`, `3`},
		"abort":           {`const c = new AbortController(); const seen: any[] = []; c.signal.addEventListener("abort", e => seen.push(e.type)); c.signal.onabort = () => seen.push("on"); const any = AbortSignal.any([c.signal]); c.abort(); c.abort(); try { any.throwIfAborted() } catch (e: any) { seen.push(e.name, e instanceof DOMException, e instanceof Error) } return [seen, AbortSignal.abort("x").reason]`, `[["on","abort","AbortError",true,true],"x"]`},
		"abort timeout":   {`return await new Promise(r => { const s = AbortSignal.timeout(1); s.addEventListener("abort", () => r(s.reason.name)) })`, `"TimeoutError"`},
		"url":             {`const u = new URL("../b?x=1&y=%20#h", "https://user@Example.com:8443/a/c/"); u.searchParams.append("z", "ü"); return [u.href, u.host, [...new URLSearchParams("a=1&a=2").getAll("a")], URL.canParse ? true : false]`, `["https://user@example.com:8443/a/b?x=1&y=+&z=%C3%BC#h","example.com:8443",["1","2"],true]`},
		"urls": {`const h = (a: string, b?: string) => { try { return new URL(a, b).href } catch (e: any) { return e.name } }; return [h("HTTP://ExAmple.com:80/a/./b/../c d?q=a b#f g"), h("//x.y/z", "https://a.b"), h("?q", "http://a/b/c?d"), h("", "http://a/b?c#d"), h("#x", "mailto:a@b"), h("mailto:A@b"), h("file:///C:/a/../b"), h("http://0x7f.1/"), h("http://[2001:DB8:0:0::1]:8080/"), h("http://münchen.de/ü"), h("nope"), h("http://a b/"), h("http://1.2.3.256/"), h("http://h:99999/"), h("data:text/plain,hi there"), h("a/../../b", "http://h/x/y/z"), h("http:\\\\h\\p")]`,
			`["http://example.com/a/c%20d?q=a%20b#f%20g","https://x.y/z","http://a/b/c?q","http://a/b?c","mailto:a@b#x","mailto:A@b","file:///C:/b","http://127.0.0.1/","http://[2001:db8::1]:8080/","http://xn--mnchen-3ya.de/%C3%BC","TypeError","TypeError","TypeError","TypeError","data:text/plain,hi there","http://h/x/b","http://h/p"]`},
		"url parts": {`const u = new URL("https://u:p@h:444/a?b=1#c"); const before = [u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash, u.origin]; u.protocol = "http"; u.port = "80"; u.pathname = "/x y"; u.search = "k=v"; u.hash = ""; u.searchParams.set("k", "w&"); u.hostname = "other"; return [before, u.href, String(u), JSON.stringify(u)]`,
			`[["https:","u","p","h:444","h","444","/a","?b=1","#c","https://h:444"],"http://u:p@other/x%20y?k=w%26","http://u:p@other/x%20y?k=w%26","\"http://u:p@other/x%20y?k=w%26\""]`},
		"search params":          {`const p = new URLSearchParams("?a=1&b=%F0%9F%98%80+x&a=2&c"); p.delete("a", "1"); p.append("d", "é &="); p.sort(); return [p.toString(), p.size, p.has("c"), [...p].length, new URLSearchParams({x: "1"}).toString(), new URLSearchParams([["y", "2"]]).get("y")]`, `["a=2&b=%F0%9F%98%80+x&c=&d=%C3%A9+%26%3D",4,true,4,"x=1","2"]`},
		"text":                   {`const e = new TextEncoder().encode("aé€😀"); const d = new TextDecoder(); return [e.length, d.decode(e.subarray(0, 4), {stream: true}) + d.decode(e.subarray(4)), new TextDecoder().decode(new Uint8Array([97, 0xff, 0xe2, 0x82, 98])), new TextDecoder("latin1").decode(new Uint8Array([233]))]`, `[10,"aé€😀","a��b","é"]`},
		"fatal text":             {`try { new TextDecoder("utf-8", {fatal: true}).decode(new Uint8Array([255])); return 0 } catch (e: any) { return e.name }`, `"TypeError"`},
		"base64":                 {`return [btoa("hé"), atob("aOk="), __bytesToBase64(new Uint8Array([1, 2, 250])), [...__base64ToBytes("AQL6")]]; declare const __bytesToBase64: any, __base64ToBytes: any`, `["aOk=","hé","AQL6",[1,2,250]]`},
		"random":                 {`const a = crypto.getRandomValues(new Uint32Array(4)); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()), a.some(x => x !== 0)]`, `[true,true]`},
		"digest":                 {`const h = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc"))); return [...h.subarray(0, 4)].map(x => x.toString(16)).join("")`, `"ba7816bf"`},
		"hmac":                   {`const k = await crypto.subtle.importKey("raw", new TextEncoder().encode("key"), {name: "HMAC", hash: "SHA-256"}, false, ["sign", "verify"]); const d = new TextEncoder().encode("The quick brown fox jumps over the lazy dog"); const s = await crypto.subtle.sign("HMAC", k, d); return [[...new Uint8Array(s)].slice(0, 3), await crypto.subtle.verify("HMAC", k, s, d), await crypto.subtle.verify("HMAC", k, s, d.subarray(1))]`, `[[247,188,131],true,false]`},
		"structuredClone":        {`const o: any = {d: new Date(0), m: new Map([[1, new Set(["x"])]]), b: new Uint8Array([1, 2]), e: new RangeError("r"), u: undefined}; o.self = o; const c = structuredClone(o); let bad; try { structuredClone(() => 1) } catch (e: any) { bad = e.name } return [c !== o, c.self === c, c.d.getTime(), [...c.m.get(1)], [...c.b], c.e instanceof RangeError, "u" in c, bad]`, `[true,true,0,["x"],[1,2],true,true,"DataCloneError"]`},
		"blob and form":          {`const f = new FormData(); f.append("a", "1"); f.append("f", new File(["hi"], "x.txt", {type: "text/plain"})); const r = new Response(f); const g = await r.formData(); return [g.get("a"), (g.get("f") as File).name, await (g.get("f") as File).text(), await new Blob(["a", new Uint8Array([98])]).text()]`, `["1","x.txt","hi","ab"]`},
		"headers":                {`const h = new Headers({B: "2", a: "1"}); h.append("b", "3"); let bad; try { h.set("x y", "") } catch (e: any) { bad = e.name } return [[...h], h.get("B"), h.has("c"), bad]`, `[[["a","1"],["b","2, 3"]],"2, 3",false,"TypeError"]`},
		"response":               {`const r = Response.json({a: 1}, {status: 201}); const c = r.clone(); return [r.status, r.ok, r.headers.get("content-type"), await r.json(), await c.text(), r.bodyUsed, await r.text().catch(e => e.name)]`, `[201,true,"application/json",{"a":1},"{\"a\":1}",true,"TypeError"]`},
		"streams":                {`const s = ReadableStream.from(["a", "b"]).pipeThrough(new TextEncoderStream()).pipeThrough(new TextDecoderStream()); const out = []; for await (const x of s as any) out.push(x); const [p, q] = new ReadableStream({start(c) { c.enqueue(1); c.enqueue(2); c.close() }}).tee(); const read = async (z: any) => { const o = []; for await (const x of z) o.push(x); return o }; return [out.join(""), await read(p), await read(q)]`, `["ab",[1,2],[1,2]]`},
		"request":                {`const r = new Request("http://x/y", {method: "post", body: new URLSearchParams({a: "1"})}); return [r.method, r.url, r.headers.get("content-type"), await r.text()]`, `["POST","http://x/y","application/x-www-form-urlencoded;charset=UTF-8","a=1"]`},
		"event target":           {`const t = new EventTarget(); let n = 0; t.addEventListener("x", {handleEvent() { n++ }} as any, {once: true}); t.dispatchEvent(new CustomEvent("x", {detail: 1})); t.dispatchEvent(new Event("x")); return n`, `1`},
		"performance":            {`const a = performance.now(); return [typeof a, performance.now() >= a]`, `["number",true]`},
		"well formed":            {`return ["a😀".isWellFormed(), "a\ud83d".isWellFormed(), "\ude00x\ud83d😀".toWellFormed()]`, `[true,false,"�x�😀"]`},
		"unicode through":        {`return "aé€😀\u2028"`, `"aé€😀` + "\u2028" + `"`},
		"nothing leaks":          {`return ["require", "module", "exports", "native", "shared", "process", "__register"].filter(n => n in globalThis)`, `[]`},
		"globals not enumerable": {`return Object.keys(globalThis)`, `[]`},
	})
}

func TestFetch(t *testing.T) {
	hold := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "%s|%s", r.Header.Get("X-Own"), body)
	})
	mux.HandleFunc("/sse", func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "data: %d é\n\n", i)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-hold:
		}
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 3<<20)) })
	server := httptest.NewServer(mux)
	defer server.Close()
	defer close(hold)
	for name, c := range map[string][2]string{
		"post json":         {`const r = await fetch(base + "/echo", {method: "POST", headers: {"x-own": "ö"}, body: JSON.stringify({a: "é"})}); return [r.status, r.ok, r.headers.get("x-method"), await r.text()]`, `[201,true,"POST","ö|{\"a\":\"é\"}"]`},
		"post bytes":        {`const r = await fetch(new Request(base + "/echo", {method: "PUT", body: new Uint8Array([104, 105]).subarray(1)})); return new TextDecoder().decode(await r.arrayBuffer())`, `"|i"`},
		"post form":         {`const f = new FormData(); f.set("k", "v"); const r = await fetch(base + "/echo", {method: "POST", body: f}); return (await r.formData()).get("k")`, `"v"`},
		"events as a text":  {`const out = []; for await (const t of (await fetch(base + "/sse")).body!.pipeThrough(new TextDecoderStream()) as any) out.push(t); return out.join("").split("\n\n").filter(Boolean)`, `["data: 0 é","data: 1 é","data: 2 é"]`},
		"reader":            {`const rd = (await fetch(base + "/big")).body!.getReader(); let n = 0; for (;;) { const {value, done} = await rd.read(); if (done) break; n += value.length } return n`, `3145728`},
		"whole":             {`return (await (await fetch(base + "/big")).arrayBuffer()).byteLength`, `3145728`},
		"redirect":          {`const r = await fetch(base + "/moved"); const m = await fetch(base + "/moved", {redirect: "manual"}); return [r.status, r.redirected, r.url === base + "/echo", m.status, await fetch(base + "/moved", {redirect: "error"}).catch(e => e.name)]`, `[201,true,true,302,"TypeError"]`},
		"abort before":      {`return await fetch(base + "/echo", {signal: AbortSignal.abort()}).catch(e => e.name)`, `"AbortError"`},
		"abort while read":  {`const c = new AbortController(); const r = await fetch(base + "/hang", {signal: c.signal}); setTimeout(() => c.abort(), 1); return await r.text().catch(e => e.name)`, `"AbortError"`},
		"refused":           {`return await fetch("http://127.0.0.1:1/").catch(e => [e.name, e.message.startsWith("fetch failed: "), e.cause instanceof Error])`, `["TypeError",true,true]`},
		"not a url":         {`return await fetch("nope").catch(e => e.name)`, `"TypeError"`},
		"concurrently":      {`return (await Promise.all([1, 2, 3].map(i => fetch(base + "/echo", {method: "POST", body: String(i)}).then(r => r.text())))).join()`, `"|1,|2,|3"`},
		"cancel the stream": {`const r = await fetch(base + "/hang"); await r.body!.cancel(); return r.bodyUsed`, `true`},
	} {
		t.Run(name, func(t *testing.T) {
			r := eval(t, "", "const base = "+quote(server.URL)+"; export async function f(): Promise<any> {"+c[0]+"\n}")
			if r.thrown != nil || r.value != c[1] {
				t.Fatalf("got %s %+v\nwant %s", r.value, r.thrown, c[1])
			}
		})
	}
}

func TestConsole(t *testing.T) {
	r, h := evalHost(t, `export function f() {
	console.log("a", 1, [1, {b: "c"}], null, undefined, new Map([[1, 2]]), () => 1);
	console.error("%s is %d%%", "x", 5, {y: 1});
	console.group("g"); console.warn("in\nside"); console.groupEnd();
	const o: any = {}; o.o = o; console.info(o);
	console.debug(new Error("with a stack"));
}`)
	if r.thrown != nil || r.value != "" {
		t.Fatalf("%+v", r)
	}
	for _, want := range []string{`log a 1 [1, { b: "c" }] null undefined Map(1) {1 => 2} [Function (anonymous)]`, "error x is 5% { y: 1 }", "log g", "warn   in\n  side", "info { o: [Circular] }"} {
		if got := said(t, <-h.sends); got != want {
			t.Errorf("got %q want %q", got, want)
		}
	}
	if got := said(t, <-h.sends); !strings.HasPrefix(got, "debug Error: with a stack\n    at f (sideb:entry:6:") {
		t.Errorf("%q", got)
	}
}

func said(t *testing.T, sent string) string {
	t.Helper()
	var m struct{ Level, Text string }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(sent, "console")), &m); err != nil {
		t.Fatal(err)
	}
	return m.Level + " " + m.Text
}
