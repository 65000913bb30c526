package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/sideb-dev/sideb/engine"
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
	Close() error
}

var errMissing = errors.New("this part of the program is missing")

func openStore(ctx context.Context, dir string, g *globals, logf logFunc) (durable, error) {
	return nil, errMissing
}

func openProject(ctx context.Context, dir, data string, logf logFunc) (definitions, error) {
	return nil, errMissing
}

func findProject() (string, error) { return "", errMissing }

func modelsOf(definitions) engine.Models { return nil }

func runTUI(ctx context.Context, w *world, target tuiTarget) error { return errMissing }

func testWorker(ctx context.Context) error { return errMissing }

func projectTemplate() fs.FS { return os.DirFS("") }

func secretsFinding(ctx context.Context, s durable) finding { return finding{} }

func providerKeys(name string) []string { return nil }

func providerNames() []string { return nil }
