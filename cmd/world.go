package cmd

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/sideb-dev/sideb/engine"
)

// world is what a command has opened. A reader has no project, and its engine
// serves the control plane only.
type world struct {
	g       *globals
	store   durable
	project definitions // nil for a reader
	dir     string      // project directory, "" for the built-in project
	log     *logFile
	engine  *engine.Engine
	control *engine.ControlPlane
	hosting bool
}

// openReader opens the store for a command that doesn't run threads.
func (g *globals) openReader(ctx context.Context) (*world, error) {
	w, err := g.newWorld()
	if err != nil {
		return nil, err
	}
	if err := w.openStore(ctx); err != nil {
		w.close()
		return nil, err
	}
	w.useEngine(engine.FixedProject{Defs: &engine.Definitions{}}, nil, nil)
	return w, nil
}

// openHost opens the store and the project of the command line, side by side:
// each takes longer than everything else that a start does.
func (g *globals) openHost(ctx context.Context) (*world, error) {
	w, err := g.newWorld()
	if err != nil {
		return nil, err
	}
	dir, err := g.chosenProject()
	if err == nil {
		var both errgroup.Group
		both.Go(func() error { return w.openStore(ctx) })
		both.Go(func() error { return w.openProject(ctx, dir) })
		err = both.Wait()
	}
	if err != nil {
		w.close()
		return nil, err
	}
	w.useEngine(w.project, w.project, modelsOf(w.project))
	return w, nil
}

// becomeHost gives a reader the project that the thread belongs to.
func (w *world) becomeHost(ctx context.Context, thread *engine.ThreadRead) error {
	named, err := w.g.projectDirectory()
	if err != nil {
		return err
	}
	if w.g.project != "" && named != thread.Project {
		return engine.Errorf(engine.CodeInvalid, "open project", "thread %s belongs to %s, not to %s; leave --project out",
			thread.ThreadID, projectName(thread.Project), named)
	}
	if err := w.openProject(ctx, thread.Project); err != nil {
		return err
	}
	w.useEngine(w.project, w.project, modelsOf(w.project))
	return nil
}

func (g *globals) newWorld() (*world, error) {
	log, err := openLog(g.logFile)
	if err != nil {
		return nil, err
	}
	return &world{g: g, log: log}, nil
}

func (w *world) openStore(ctx context.Context) error {
	dir, err := w.g.dataDirectory()
	if err != nil {
		return err
	}
	w.store, err = openStore(ctx, dir, w.log.printf)
	return err
}

func (w *world) openProject(ctx context.Context, dir string) error {
	data, err := w.g.dataDirectory()
	if err != nil {
		return err
	}
	w.dir = dir
	w.project, err = openProject(ctx, dir, data, w.log.printf)
	return err
}

func (w *world) useEngine(p engine.Project, s engine.Scripts, m engine.Models) {
	w.engine = engine.New(engine.Config{
		Store:      w.store,
		Project:    p,
		Scripts:    s,
		Models:     m,
		Now:        time.Now,
		NewID:      newID,
		After:      time.After,
		ProcessEnv: w.g.Getenv,
		Logf:       w.log.printf,
	})
	w.control = w.engine.Control()
}

// host starts to run threads: those of session, or of the whole project where it
// is "".
func (w *world) host(ctx context.Context, session engine.SessionID) error {
	w.hosting = true
	return w.engine.Start(ctx, engine.HostScope{Project: w.dir, Session: session})
}

// stopPatience bounds how long a process waits for its threads to let go.
// Whatever is open then is taken up by the next host.
const stopPatience = 5 * time.Second

// close gives everything back. It has a context of its own, because it runs when
// the caller's has ended.
func (w *world) close() {
	if w.hosting {
		ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
		defer cancel()
		if err := w.engine.Stop(ctx); err != nil {
			w.log.printf("stop: %v", err)
		}
	}
	var both sync.WaitGroup // a worker's end and the last sync of the disk take as long as each other
	if w.project != nil {
		both.Go(func() { w.closed("project", w.project.Close()) })
	}
	if w.store != nil {
		both.Go(func() { w.closed("store", w.store.Close()) })
	}
	both.Wait()
	w.log.close()
}

func (w *world) closed(what string, err error) {
	if err != nil {
		w.log.printf("close %s: %v", what, err)
	}
}

// chosenProject is the directory of --project, else of the nearest project
// around the working directory, else "" for the built-in one.
func (g *globals) chosenProject() (string, error) {
	if g.project != "" {
		return g.projectDirectory()
	}
	return findProject()
}

func projectName(dir string) string {
	if dir == "" {
		return "the built-in project"
	}
	return dir
}

// newID makes a UUIDv7: ids sort by the time they were made.
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		panic("the system has no randomness: " + err.Error())
	}
	return id.String()
}
