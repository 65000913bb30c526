package agents

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox"
)

// Options configure Open and Builtin. Dir is required by Open.
type Options struct {
	Dir      string // the project: the directory that holds agents/
	CacheDir string // linked programs and descriptions are kept here; "" keeps none
	Exe      string // executable that is started as the worker; "" is this program
	VMs      int    // event loops of the worker; 0 is its default

	// Logf gets one line per thing worth a diagnosis; nil discards it.
	Logf func(format string, args ...any)
	// OnReload is told of every new snapshot, from the watching goroutine.
	OnReload func(*engine.Definitions)
	// OnStall is told that project code has blocked its event loop since a time.
	OnStall func(function string, since time.Time)

	// StallAfter is how long a blocked loop is let alone before OnStall; 0 means 5 s.
	StallAfter time.Duration
	// KillAfter is how long a call whose context ended may still block its event
	// loop before the worker is killed; 0 means 1 s.
	KillAfter time.Duration
	// NoWatch leaves the files alone after Open.
	NoWatch bool
}

// Project is a loaded project. It implements engine.Project, engine.Scripts and
// engine.Models and is safe for concurrent use.
type Project struct {
	o    Options
	tree tree
	pool *workers
	// sandboxes serve state.runCode.
	sandboxes *sandbox.Pool

	snapshot atomic.Pointer[snapshot]
	reloads  sync.Mutex // held while a reload runs
	watch    *watcher
	close    sync.Once
}

var (
	_ engine.Project = (*Project)(nil)
	_ engine.Scripts = (*Project)(nil)
	_ engine.Models  = (*Project)(nil)
)

// tree is where a project's files are: a directory, or the binary itself.
type tree struct {
	fsys fs.FS
	dir  string            // prefix of absolute paths; for the built-in project one that exists nowhere
	mem  map[string]string // files in memory, by absolute path; nil for a directory
	name string
}

func (t tree) abs(rel string) string {
	if t.mem != nil {
		return t.dir + "/" + rel
	}
	return filepath.Join(t.dir, filepath.FromSlash(rel))
}

// rel is a path relative to the project, with slashes; paths outside it stay
// absolute.
func (t tree) rel(abs string) string {
	if t.mem != nil {
		if len(abs) > len(t.dir) && abs[:len(t.dir)+1] == t.dir+"/" {
			return abs[len(t.dir)+1:]
		}
		return abs
	}
	r, err := filepath.Rel(t.dir, abs)
	if err != nil || !filepath.IsLocal(r) {
		return abs
	}
	return filepath.ToSlash(r)
}

// Find returns the nearest directory, start or one above it, that holds
// agents/agents/; false where there is none.
func Find(start string) (string, bool) {
	dir, err := filepath.Abs(start)
	if err != nil {
		return "", false
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, "agents", "agents")); err == nil && info.IsDir() {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Open loads the project in o.Dir. What is wrong with its files is in
// Definitions().Problems; the error says that there is no project, or that no
// worker could be started. It waits for JavaScript only where the cache has no
// answer. End the Project with Close.
func Open(ctx context.Context, o Options) (*Project, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "open project", "%w", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "agents")); err != nil || !info.IsDir() {
		return nil, engine.Errorf(engine.CodeNotFound, "open project", "%s has no agents/ directory: run `sideb init` there, or name a project with --project", dir)
	}
	return open(ctx, o, tree{fsys: os.DirFS(dir), dir: dir, name: filepath.Base(dir)})
}

func open(ctx context.Context, o Options, t tree) (*Project, error) {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	p := &Project{o: o, tree: t, pool: newWorkers(o), sandboxes: sandbox.NewPool(sandbox.PoolOptions{Exe: o.Exe})}
	p.pool.warm() // it starts while the cache is read
	s, err := p.first(ctx)
	if err != nil {
		p.pool.close()
		p.sandboxes.Close()
		return nil, err
	}
	p.snapshot.Store(s)
	p.pool.prepare(s)
	if t.mem == nil && !o.NoWatch {
		p.watch = watchFiles(p)
	}
	return p, nil
}

// first is the snapshot from the cache, else a new one.
func (p *Project) first(ctx context.Context) (*snapshot, error) {
	if s := p.cached(); s != nil {
		return s, nil
	}
	return p.load(ctx, nil)
}

// Definitions implements engine.Project: the newest good snapshot.
func (p *Project) Definitions() *engine.Definitions {
	if p.watch != nil {
		p.watch.poll()
	}
	return p.snapshot.Load().defs
}

// Reload loads the project again if its files changed, and returns once the
// snapshot is in place.
func (p *Project) Reload(ctx context.Context) error {
	p.reloads.Lock()
	defer p.reloads.Unlock()
	old := p.snapshot.Load()
	if p.current(old) {
		return nil
	}
	s, err := p.load(ctx, old)
	if err != nil {
		return err
	}
	p.snapshot.Store(s)
	p.pool.keep(s)
	if p.watch != nil {
		p.watch.follow(s)
	}
	if p.o.OnReload != nil {
		p.o.OnReload(s.defs)
	}
	return nil
}

// Close ends the worker and the watch. Open calls fail.
func (p *Project) Close() error {
	p.close.Do(func() {
		if p.watch != nil {
			p.watch.stop()
		}
		p.pool.close()
		p.sandboxes.Close()
	})
	return nil
}
