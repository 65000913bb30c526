package cmd

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/sideb-dev/sideb/agents"
	"github.com/sideb-dev/sideb/agents/template"
	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
	"github.com/sideb-dev/sideb/sandbox"
	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/worker"
	"github.com/sideb-dev/sideb/storage"
	"github.com/sideb-dev/sideb/tui"
)

// durable is what the store has to be.
type durable interface {
	engine.Store
	Close() error
}

// definitions is what a loaded project has to be.
type definitions interface {
	engine.Project
	engine.Scripts
	engine.Models
	Close() error
}

func openStore(ctx context.Context, dir string, logf logFunc) (durable, error) {
	s, err := storage.Open(ctx, storage.Options{Dir: dir, Now: time.Now, NewID: newID, Logf: logf})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openProject loads the project in dir, or the built-in one where dir is "".
// What project code was linked to is cached in the data directory.
func openProject(ctx context.Context, dir, data string, logf logFunc) (definitions, error) {
	o := agents.Options{Dir: dir, CacheDir: filepath.Join(data, "cache"), Logf: logf}
	load := agents.Open
	if dir == "" {
		load = agents.Builtin
	}
	p, err := load(ctx, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// findProject is the nearest project around the working directory, "" where
// there is none.
func findProject() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", engine.Errorf(engine.CodeInvalid, "find project", "%w", err)
	}
	dir, _ := agents.Find(wd)
	return dir, nil
}

func projectTemplate() fs.FS { return template.Project() }

// models opens a model where it belongs: one that is code of the project in the
// project, any other at its provider.
type models struct {
	project   engine.Models
	providers engine.Models
}

func modelsOf(p engine.Models) engine.Models {
	return models{project: p, providers: provider.New(provider.Options{UserAgent: "sideb/" + buildVersion()})}
}

// Open implements engine.Models.
func (m models) Open(ctx context.Context, def *engine.ModelDef, getenv func(string) (string, bool)) (engine.Model, error) {
	if def.Script {
		return m.project.Open(ctx, def, getenv)
	}
	return m.providers.Open(ctx, def, getenv)
}

// providerVariables are the variables of the known providers.
func providerVariables() []string {
	var names []string
	for _, p := range provider.Known() {
		names = append(names, provider.Variables(p)...)
	}
	return names
}

// testWorker starts a worker process and has it link a line of TypeScript.
func testWorker(ctx context.Context) error {
	p, err := worker.StartProject(ctx, worker.Options{VMs: 1})
	if err != nil {
		return err
	}
	defer p.Close() //nolint:errcheck // it has answered; how it ends says nothing
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	_, err = p.Build(ctx, worker.BuildRequest{Entry: "export const answer: number = 42", ResolveDir: dir})
	return err
}

// testSandbox starts a sandbox and asks what confines it.
func testSandbox(ctx context.Context) (jail.Report, error) {
	p := sandbox.NewPool(sandbox.PoolOptions{})
	defer p.Close()
	return p.Warm(ctx)
}

func runTUI(ctx context.Context, g *globals, target tuiTarget, connect func(context.Context) (*engine.ControlPlane, error)) error {
	return tui.Run(ctx, tui.Options{
		Connect: func(ctx context.Context) (tui.Backend, error) {
			control, err := connect(ctx)
			if err != nil {
				return nil, err
			}
			backend := tui.ForControlPlane(control)
			if len(target.files) > 0 {
				backend = &attachingBackend{Backend: backend, uploads: target.files}
			}
			return backend, nil
		},
		Thread:  target.thread,
		Agent:   target.agent,
		Message: target.message,
		NoColor: !g.color(),
		Now:     time.Now,
		NewID:   newID,
	})
}
