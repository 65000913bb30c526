package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	MainIfAsked()
	if os.Getenv(hostEnv) != "" {
		hostForTest()
	}
	os.Exit(m.Run())
}

func start(t testing.TB, o Options) *Project {
	t.Helper()
	p, err := StartProject(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// loaded links and loads an entry as the program "p".
func loaded(t testing.TB, p *Project, r BuildRequest) {
	t.Helper()
	if r.ResolveDir == "" {
		r.ResolveDir = t.TempDir()
	}
	b, err := p.Build(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if b.Code == "" {
		t.Fatalf("build: %+v", b.Diagnostics)
	}
	if err := p.Load(context.Background(), "p", b.Code); err != nil {
		t.Fatal(err)
	}
}

func noHost(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }

func TestCallAsksTheHost(t *testing.T) {
	p := start(t, Options{})
	loaded(t, p, BuildRequest{Entry: `export async function f(a: number, env: any) {
	console.log("hello", {a});
	return {sum: a + await __host("add", {a}), own: await env.host("add", {a: 1})} }`})
	var said []string
	got, err := p.Call(context.Background(), "p", "", "f", json.RawMessage("[1]"), func(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
		if method == "console" {
			said = append(said, string(args))
			return nil, nil
		}
		return json.RawMessage("41"), nil
	})
	if err != nil || string(got) != `{"sum":42,"own":41}` {
		t.Fatalf("%s %v", got, err)
	}
	if len(said) != 1 || said[0] != `{"level":"log","text":"hello { a: 1 }"}` {
		t.Fatal(said)
	}
}

const hostEnv = "SIDEB_TEST_HOST"

// hostForTest is a host process that a test kills: it starts a worker that
// spins, says its process id and waits.
func hostForTest() {
	p, err := StartProject(context.Background(), Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(p.proc.child.Pid)
	<-p.Done()
}
