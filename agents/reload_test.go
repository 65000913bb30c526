package agents

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sideb-dev/sideb/agents/template"
	"github.com/sideb-dev/sideb/engine"
)

func TestReloadTakesGoodEditsAndKeepsBrokenOnes(t *testing.T) {
	dir := t.TempDir()
	basic.write(t, dir)
	p := openDir(t, dir, nil)
	old := noProblems(t, p)
	ctx := context.Background()
	reload := func(f files) *engine.Definitions {
		t.Helper()
		f.write(t, dir)
		if err := p.Reload(ctx); err != nil {
			t.Fatal(err)
		}
		return p.Definitions()
	}
	sum := func(factor string) files {
		return files{"agents/tools/add.ts": strings.Replace(basic["agents/tools/add.ts"], "a + b", "("+factor+") * (a + b)", 1)}
	}
	if same := reload(nil); same != old {
		t.Error("nothing changed, but the snapshot is another")
	}
	if now := reload(sum("10")); now == old || len(now.Problems) != 0 {
		t.Errorf("%+v", now.Problems)
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "30" {
		t.Errorf("%+v", r)
	}
	now := reload(sum("10 +").with(files{"agents/tools/extra.ts": body("return 'extra';")}))
	if got := lines(now.Problems); len(got) != 2 || !strings.Contains(strings.Join(got, "\n"), "its last good definition stays in use") {
		t.Errorf("%v", got)
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "30" {
		t.Errorf("the last good definition: %+v", r)
	}
	if r := callNamed(t, p, "extra", `{}`, newFake()); r.Result != "extra" {
		t.Errorf("the other edit: %+v", r)
	}
	if now := reload(sum("2")); len(now.Problems) != 0 {
		t.Errorf("%+v", now.Problems)
	}
	if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "6" {
		t.Errorf("%+v", r)
	}
	if len(p.pool.programs) != 1 {
		t.Errorf("%d programs stay loaded", len(p.pool.programs))
	}
	if err := os.Remove(filepath.Join(dir, "agents/tools/extra.ts")); err != nil {
		t.Fatal(err)
	}
	if now := reload(nil); now.Tools["extra"] != nil {
		t.Error("a removed file stays defined")
	}
}

func TestACallFinishesOnTheProgramItBeganWith(t *testing.T) {
	dir := t.TempDir()
	version := func(v string) files {
		return files{"agents/tools/t.ts": body(`const before = "` + v + `"; await state.setValue("k", 1); return before + "` + v + `";`)}
	}
	version("1").write(t, dir)
	p := openDir(t, dir, nil)
	h := newFake()
	started, release := make(chan struct{}), make(chan struct{})
	h.answers["setValue"] = func(json.RawMessage) (any, error) { close(started); <-release; return nil, nil }
	got := make(chan string)
	tool := p.Definitions().Tools["t"]
	go func() {
		r, err := p.callTool(context.Background(), tool, nil, h)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- r.Result + r.Error
	}()
	<-started
	version("2").write(t, dir)
	if err := p.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := callNamed(t, p, "t", `{}`, newFake()); r.Result != "22" {
		t.Errorf("a new call: %+v", r)
	}
	close(release)
	if r := <-got; r != "11" {
		t.Errorf("the call that ran: %s", r)
	}
}

func TestWatchSeesEdits(t *testing.T) {
	dir := t.TempDir()
	basic.write(t, dir)
	seen := make(chan *engine.Definitions, 10)
	p := openDir(t, dir, func(o *Options) {
		o.NoWatch = false
		o.OnReload = func(d *engine.Definitions) { seen <- d }
	})
	noProblems(t, p)
	files{"agents/tools/more.ts": body("return 1;")}.write(t, dir)
	for d := range seen {
		if d.Tools["more"] != nil {
			break
		}
	}
	files{"agents/effects/later.ts": `import { defineEffect } from "@standardagents/spec"; export default defineEffect("d", async () => {});`}.write(t, dir)
	for d := range seen {
		if d.Effects["later"] != nil {
			break
		}
	}
}

func TestPollingSeesEdits(t *testing.T) {
	dir := t.TempDir()
	basic.write(t, dir)
	seen := make(chan *engine.Definitions, 10)
	p := openDir(t, dir, func(o *Options) { o.OnReload = func(d *engine.Definitions) { seen <- d } })
	p.watch = startWatch(p, nil)
	files{"agents/tools/more.ts": body("return 1;")}.write(t, dir)
	p.Definitions()
	if d := <-seen; d.Tools["more"] == nil {
		t.Errorf("%+v", d.Problems)
	}
}

func TestUnchangedProjectComesFromTheCache(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	basic.write(t, dir)
	cached := func(o *Options) { o.CacheDir = cache }
	p := openDir(t, dir, cached)
	first := noProblems(t, p)
	second := openDir(t, dir, func(o *Options) { o.CacheDir, o.Exe = cache, "" })
	if l := second.cached(); l == nil {
		t.Fatal("the cache has no answer")
	}
	if d := second.Definitions(); d.Revision != first.Revision || d.Agents["support"].SideA.Prompt != "support" || d.Tools["add"].File != "agents/tools/add.ts" {
		t.Errorf("%+v", d)
	}
	if r := callNamed(t, second, "add", `{"a":1}`, newFake()); r.Result != "3" {
		t.Errorf("%+v", r)
	}
	names, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	if info, err := os.Stat(names[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	files{"agents/tools/add.ts": strings.Replace(basic["agents/tools/add.ts"], "Adds.", "Adds up.", 1)}.write(t, dir)
	if p.cached() != nil {
		t.Error("the cache answers for a project that changed")
	}
}

func TestACorruptCacheIsMadeAgain(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	basic.write(t, dir)
	cached := func(o *Options) { o.CacheDir = cache }
	path := openDir(t, dir, cached).cachePath()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"empty": "", "no JSON": "{", "cut": string(good[:len(good)-5]), "other": strings.Replace(string(good), "Adds.", "Takes", 1),
	} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		p := openDir(t, dir, cached)
		if r := callNamed(t, p, "add", `{"a":1}`, newFake()); r.Result != "3" {
			t.Errorf("%s: %+v", name, r)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(good) {
			t.Errorf("%s: the cache isn't what it was: %v", name, err)
		}
	}
}

func TestTheTemplateIsGood(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, template.Project()); err != nil {
		t.Fatal(err)
	}
	if defs := noProblems(t, openDir(t, dir, nil)); len(defs.Agents) == 0 {
		t.Errorf("%+v", defs)
	}
}

func TestBuiltinProjectIsGoodAndCached(t *testing.T) {
	cache := t.TempDir()
	open := func() *Project {
		p, err := Builtin(context.Background(), Options{CacheDir: cache, VMs: 1, Logf: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	defs := noProblems(t, open())
	if defs.Dir != "" || defs.Agents["tour"] == nil {
		t.Errorf("%+v", defs)
	}
	if open().cached() == nil {
		t.Error("the built-in project isn't cached")
	}
}

func BenchmarkBuiltinFromCache(b *testing.B) {
	cache := b.TempDir()
	for b.Loop() {
		p, err := Builtin(context.Background(), Options{CacheDir: cache, VMs: 1})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		p.Close()
		b.StartTimer()
	}
}

func BenchmarkCallTool(b *testing.B) {
	p := openFiles(b, basic, nil)
	h := newFake()
	for b.Loop() {
		callNamed(b, p, "add", `{"a":1}`, h)
	}
}

func BenchmarkPing(b *testing.B) {
	p := openFiles(b, basic, nil)
	prog := p.snapshot.Load().programs["agents/tools/add.ts"]
	for b.Loop() {
		if _, err := p.pool.call(context.Background(), prog, "", "ping", nil, noHost); err != nil {
			b.Fatal(err)
		}
	}
}
