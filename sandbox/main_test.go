package sandbox

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/sandbox/value"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

func TestMain(m *testing.M) {
	worker.MainIfAsked()
	os.Exit(m.Run())
}

// hang is how long a test waits for what must happen.
const hang = 60 * time.Second

func wait(t testing.TB, e *Execution) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	r, err := e.Wait(ctx)
	if err != nil {
		t.Fatal("the execution didn't settle")
	}
	return r
}

func newPool(t testing.TB) *Pool {
	p := NewPool(PoolOptions{})
	t.Cleanup(p.Close)
	return p
}

func run(t testing.TB, p *Pool, source string, o Options) *Result {
	t.Helper()
	o.Pool = p
	e := Run(context.Background(), source, o)
	defer e.Close()
	return wait(t, e)
}

func object(list ...any) *value.Object {
	o := &value.Object{}
	for i := 0; i < len(list); i += 2 {
		o.Set(list[i].(string), list[i+1])
	}
	return o
}
