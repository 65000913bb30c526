package agents

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAWorkersDeathIsNoPropertyOfAFile kills the worker while it evaluates a
// definition file: once is made up for; twice is said, but not by the next start.
func TestAWorkersDeathIsNoPropertyOfAFile(t *testing.T) {
	var project atomic.Pointer[Project]
	var kills atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if kills.Add(-1) >= 0 {
			project.Load().pool.current.p.Kill()
		}
	}))
	t.Cleanup(server.Close)
	// Without the watch, each reload is the one that is asked for.
	dir, cached := t.TempDir(), func(o *Options) { o.CacheDir, o.NoWatch = t.TempDir(), true }
	basic.write(t, dir)
	p := openDir(t, dir, cached)
	noProblems(t, p)
	project.Store(p)
	reload := func(version string) []string {
		t.Helper()
		visits := "await fetch(" + `"` + server.URL + `"` + ");\nexport const version = " + version + ";\n"
		files{"agents/tools/add.ts": basic["agents/tools/add.ts"] + visits}.write(t, dir)
		if err := p.Reload(context.Background()); err != nil {
			t.Fatal(err)
		}
		return lines(p.Definitions().Problems)
	}

	kills.Store(1)
	if got := reload("1"); len(got) != 0 {
		t.Errorf("killed once: %v", got)
	}
	kills.Store(2)
	if got := reload("2"); !strings.Contains(strings.Join(got, "\n"), "ended the project worker") {
		t.Errorf("killed twice: %v", got)
	}
	kills.Store(0)
	o := p.o
	next := openDir(t, dir, func(n *Options) { n.CacheDir = o.CacheDir })
	noProblems(t, next)
}
