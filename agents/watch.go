package agents

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	debounce     = 50 * time.Millisecond  // an editor's save is several events
	pollInterval = 500 * time.Millisecond // where the system can't watch
)

// watcher reloads a project when its files change. Its goroutine ends with stop.
type watcher struct {
	p      *Project
	fs     *fsnotify.Watcher // nil where files are polled
	cancel context.CancelFunc
	done   chan struct{}
	wake   chan struct{} // one pending wish to look

	mu      sync.Mutex
	watched map[string]bool
	polled  time.Time
}

// watchFiles starts a watcher with the system's help, or a polling one without.
func watchFiles(p *Project) *watcher {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		p.o.Logf("files can't be watched, they are looked at every %s: %v", pollInterval, err)
		notify = nil
	}
	return startWatch(p, notify)
}

func startWatch(p *Project, notify *fsnotify.Watcher) *watcher {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{p: p, fs: notify, cancel: cancel, done: make(chan struct{}), wake: make(chan struct{}, 1), watched: map[string]bool{}}
	w.follow(p.snapshot.Load())
	w.look() // what changed between loading and watching
	go w.run(ctx)
	return w
}

// follow watches the directories of a snapshot's files.
func (w *watcher) follow(s *snapshot) {
	if w.fs == nil {
		return
	}
	dirs := map[string]bool{w.p.tree.dir: true, filepath.Join(w.p.tree.dir, "agents"): true}
	for _, k := range append(flatKinds[:], kindEndpoint) {
		dirs[filepath.Join(w.p.tree.dir, "agents", string(k))] = true
	}
	for abs := range s.print.Inputs {
		if !installed(abs) {
			dirs[filepath.Dir(abs)] = true
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for dir := range dirs {
		if !w.watched[dir] && w.fs.Add(dir) == nil { // a directory that doesn't exist yet is seen by its parent
			w.watched[dir] = true
		}
	}
}

// poll looks at the files where nothing watches them, at most every
// pollInterval. It never waits.
func (w *watcher) poll() {
	if w.fs != nil {
		return
	}
	w.mu.Lock()
	due := time.Since(w.polled) >= pollInterval
	if due {
		w.polled = time.Now()
	}
	w.mu.Unlock()
	if due {
		w.look()
	}
}

func (w *watcher) look() {
	select {
	case w.wake <- struct{}{}:
	default: // a wish is pending already
	}
}

func (w *watcher) run(ctx context.Context) {
	defer close(w.done)
	var events chan fsnotify.Event
	var errs chan error
	if w.fs != nil {
		events, errs = w.fs.Events, w.fs.Errors
	}
	timer := time.NewTimer(debounce)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			w.forget(e)
			timer.Reset(debounce)
		case err := <-errs:
			w.p.o.Logf("watch project: %v", err)
			timer.Reset(debounce) // events may have been lost
		case <-w.wake:
			timer.Reset(debounce)
		case <-timer.C:
			w.reload(ctx)
		}
	}
}

// forget lets a directory that was removed be watched again when it comes back.
func (w *watcher) forget(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		w.mu.Lock()
		delete(w.watched, e.Name)
		w.mu.Unlock()
	}
	if e.Has(fsnotify.Create) {
		w.follow(w.p.snapshot.Load())
	}
}

func (w *watcher) reload(ctx context.Context) {
	if err := w.p.Reload(ctx); err != nil && ctx.Err() == nil {
		w.p.o.Logf("reload project: %v", err)
	}
}

func (w *watcher) stop() {
	w.cancel()
	if w.fs != nil {
		_ = w.fs.Close() // nothing depends on it any more
	}
	<-w.done
}
