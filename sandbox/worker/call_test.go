package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// echo is a Host that answers with what it was asked.
func echo(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
	return args, nil
}

func call(t testing.TB, p *Project, fn, args string, h Host) string {
	t.Helper()
	got, err := p.Call(context.Background(), "p", "", fn, json.RawMessage(args), h)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func TestTenThousandOverlappingHostCalls(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any;
export async function f(n: number) { let sum = 0; for (const x of await Promise.all(Array.from({length: n}, (_, i) => __host("echo", {i, pad: "x".repeat(100)})))) sum += x.i; return sum }`})
	gate := make(chan struct{}) // no answer before all have asked: all are in flight
	var asked atomic.Int32
	got := call(t, p, "f", "[10000]", func(ctx context.Context, m string, args json.RawMessage) (json.RawMessage, error) {
		if asked.Add(1) == 10000 {
			close(gate)
		}
		<-gate
		return args, nil
	})
	if got != "49995000" {
		t.Fatal(got)
	}
}

func TestCallsInterleaveAtTheirAwaits(t *testing.T) {
	p := start(t, Options{VMs: 1})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any; let inside = 0, most = 0;
export async function f() { most = Math.max(most, ++inside); await __host("wait"); inside--; return most }`})
	var wait, all sync.WaitGroup
	wait.Add(20)
	for i := range 20 {
		all.Go(func() {
			got, err := p.Call(context.Background(), "p", fmt.Sprint(i), "f", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				wait.Done()
				wait.Wait()
				return nil, nil
			})
			if err != nil || string(got) != "20" {
				t.Errorf("%s %v", got, err)
			}
		})
	}
	all.Wait()
}

func TestHostKnowsWhoseCallAsks(t *testing.T) {
	p := start(t, Options{VMs: 1})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any;
const ask = async () => { await null; await new Promise(r => setTimeout(r, 1)); return Promise.all([__host("who"), Promise.resolve().then(() => __host("who")), {then(ok: any) { __host("who").then(ok) }}]) }
export async function f() { const before = await ask(); return [before, await ask()] }`})
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			got, err := p.Call(context.Background(), "p", fmt.Sprint(i), "f", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(fmt.Sprint(i)), nil
			})
			three := fmt.Sprintf("[%d,%d,%d]", i, i, i)
			if want := "[" + three + "," + three + "]"; err != nil || string(got) != want {
				t.Errorf("%s %v, want %s", got, err, want)
			}
		})
	}
	all.Wait()
}

func TestValuesCrossUnharmed(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any; export const same = (x: any) => x; export const through = (x: any) => __host("echo", x);
export const nothing = () => {}; export const len = (x: string) => x.length; export const big = (n: number) => "é".repeat(n)`})
	for _, v := range []string{`"aé€😀\u0000\u2028\"\\"`, `{"a":[1,-0.5,1e300,null,true,{"":[]}]}`, `"__proto__"`, `[]`} {
		want := call(t, p, "same", "["+v+"]", noHost)
		var a, b any
		if json.Unmarshal([]byte(want), &a) != nil || json.Unmarshal([]byte(v), &b) != nil || fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s became %s", v, want)
		}
		if got := call(t, p, "through", "["+v+"]", echo); got != want {
			t.Errorf("%s came back as %s", want, got)
		}
	}
	if got := call(t, p, "nothing", "", noHost); got != "" {
		t.Errorf("undefined became %q", got)
	}
	big := strings.Repeat("x", 10<<20)
	if got := call(t, p, "len", `["`+big+`"]`, noHost); got != fmt.Sprint(len(big)) {
		t.Error(got)
	}
	if got := call(t, p, "through", `["`+big+`"]`, echo); len(got) != len(big)+2 {
		t.Error(len(got))
	}
	if got := call(t, p, "big", `[5242880]`, noHost); len(got) != 2*5242880+2 {
		t.Error(len(got))
	}
}

type coded struct{}

func (coded) Error() string     { return "no such key" }
func (coded) ErrorCode() string { return "not_found" }

func TestHostErrorsReject(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any;
export const f = () => __host("x").catch((e: any) => [e instanceof Error, e.name, e.message, e.code ?? null, e.detail ?? null, typeof e.stack]);
export const g = () => __host("x")`})
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("plain"), `[true,"Error","plain",null,null,"string"]`},
		{fmt.Errorf("get: %w", coded{}), `[true,"Error","get: no such key","not_found",null,"string"]`},
		{&Thrown{Name: "TypeError", Message: "m", Code: "C", Data: json.RawMessage(`{"detail":[1]}`)}, `[true,"TypeError","m","C",[1],"string"]`},
		{context.Canceled, `[true,"AbortError","context canceled",20,null,"string"]`},
	} {
		fail := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, c.err }
		if got := call(t, p, "f", "", fail); got != c.want {
			t.Errorf("%v: %s", c.err, got)
		}
	}
	_, err := p.Call(context.Background(), "p", "", "g", nil, func(context.Context, string, json.RawMessage) (json.RawMessage, error) { panic("oh") })
	var thrown *Thrown
	if !errors.As(err, &thrown) || thrown.Message != "the host failed in x: oh" {
		t.Fatal(err)
	}
}

func TestSendsArriveInOrderBeforeTheAnswer(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `export async function f(env: any) { for (let i = 0; i < 500; i++) { env.hostSend("n", i); if (i % 50 === 0) await null } }`})
	var got []string
	call(t, p, "f", "", func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		got = append(got, string(args))
		return nil, nil
	})
	for i := range 500 {
		if i >= len(got) || got[i] != fmt.Sprint(i) {
			t.Fatalf("%d of 500 in order", i)
		}
	}
}

func TestThrownKeepsItsPlace(t *testing.T) {
	p := start(t, Options{})
	dir := t.TempDir()
	file := filepath.Join(dir, "tool.ts")
	if err := os.WriteFile(file, []byte("type A = string\n\nexport function tool(a: A): never {\n  throw new RangeError('bad ' + a)\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded(t, p, BuildRequest{ResolveDir: dir, Entry: `import {tool} from "./tool"; export const f = async (a: string) => { await null; tool(a) }`})
	_, err := p.Call(context.Background(), "p", "", "f", json.RawMessage(`["é"]`), noHost)
	var thrown *Thrown
	if !errors.As(err, &thrown) || thrown.Error() != "RangeError: bad é" || thrown.File != file || thrown.Line != 4 || thrown.Column != 9 {
		t.Fatalf("%+v", thrown)
	}
}

func TestTwoGenerationsSideBySide(t *testing.T) {
	p := start(t, Options{VMs: 2})
	ctx := context.Background()
	for i := 1; i <= 2; i++ {
		b, err := p.Build(ctx, BuildRequest{ResolveDir: t.TempDir(), Entry: fmt.Sprintf("let n = 0; export const f = () => [%d, ++n]", i)})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Load(ctx, fmt.Sprint("g", i), b.Code); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i <= 2; i++ {
		got, err := p.Call(ctx, fmt.Sprint("g", i), "t", "f", nil, noHost)
		if err != nil || string(got) != fmt.Sprintf("[%d,1]", i) {
			t.Fatalf("%s %v", got, err)
		}
	}
	if err := p.Unload(ctx, "g1"); err != nil {
		t.Fatal(err)
	}
	var thrown *Thrown
	if _, err := p.Call(ctx, "g1", "t", "f", nil, noHost); !errors.As(err, &thrown) || thrown.Message != `no program "g1" is loaded` {
		t.Fatal(err)
	}
	if got, err := p.Call(ctx, "g2", "t", "f", nil, noHost); err != nil || string(got) != "[2,2]" {
		t.Fatalf("%s %v", got, err)
	}
}

func TestBuildReportsAndLoadThrows(t *testing.T) {
	p := start(t, Options{})
	ctx := context.Background()
	b, err := p.Build(ctx, BuildRequest{ResolveDir: t.TempDir(), Entry: "import x from 'absent'\nexport const f = x"})
	if err != nil || b.Code != "" || len(b.Diagnostics) != 1 {
		t.Fatalf("%+v %v", b, err)
	}
	if d := b.Diagnostics[0]; d.Specifier != "absent" || d.Line != 1 || d.Column != 15 || d.Warning {
		t.Fatalf("%+v", d)
	}
	b, err = p.Build(ctx, BuildRequest{ResolveDir: t.TempDir(), Entry: "\nthrow new Error('at the top')"})
	if err != nil {
		t.Fatal(err)
	}
	var thrown *Thrown
	if err := p.Load(ctx, "p", b.Code); !errors.As(err, &thrown) || thrown.Message != "at the top" || thrown.Line != 2 {
		t.Fatalf("%v", err)
	}
}

func TestNothingOutsideACallReachesAHost(t *testing.T) {
	said := make(chan string, 10)
	p := start(t, Options{Logf: func(format string, args ...any) { said <- fmt.Sprintf(format, args...) }})
	loaded(t, p, BuildRequest{Entry: `declare const __host: any; console.warn("loading");
const early = await __host("x").catch((e: any) => e.message); export const f = () => early`})
	if got := <-said; got != `console: {"level":"warn","text":"loading"}` {
		t.Error(got)
	}
	if got := call(t, p, "f", "", noHost); !strings.Contains(got, "not while a module is evaluated") {
		t.Error(got)
	}
}

func TestEnvironmentAndDirectory(t *testing.T) {
	t.Setenv("SIDEB_SECRET", "s3cret")
	p := start(t, Options{Dir: t.TempDir(), Env: []string{"GIVEN=1"}})
	loaded(t, p, BuildRequest{Entry: `export const f = () => typeof process`})
	if got := call(t, p, "f", "", noHost); got != `"undefined"` {
		t.Fatal(got)
	}
}

func TestFramesRoundTrip(t *testing.T) {
	var pipe bytes.Buffer
	w := &frameWriter{out: &pipe}
	sent := []frame{{kind: kindCall, id: 1, body: fields("a", "", "é")}, {kind: kindReply, id: 1 << 60, body: nil}}
	for _, f := range sent {
		if err := w.write(f); err != nil {
			t.Fatal(err)
		}
	}
	var got []frame
	_ = readFrames(&pipe, func(f frame) error { got = append(got, f); return nil })
	if len(got) != 2 || got[1].id != 1<<60 {
		t.Fatalf("%+v", got)
	}
	if parts, err := split(got[0].body, 3); err != nil || parts[2] != "é" || parts[1] != "" {
		t.Fatal(parts, err)
	}
}

func FuzzFrames(f *testing.F) {
	var seed bytes.Buffer
	_ = (&frameWriter{out: &seed}).write(frame{kind: kindHost, id: 7, body: fields("1", "m", "{}")})
	f.Add(seed.Bytes())
	f.Add([]byte{1, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= 4 && data[3] > 0 {
			return // a long frame only costs memory
		}
		_ = readFrames(bytes.NewReader(data), func(f frame) error {
			_, err := split(f.body, 3)
			return err
		})
	})
}
