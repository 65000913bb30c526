package cmd

import (
	"context"
	"errors"
	"io/fs"

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
	engine.Models
	Close() error
}

var errMissing = errors.New("this part of the program is missing")

func openStore(context.Context, string, logFunc) (durable, error) { return nil, errMissing }
func openProject(context.Context, string, string, logFunc) (definitions, error) {
	return nil, errMissing
}
func findProject() (string, error)         { return "", errMissing }
func projectTemplate() fs.FS               { return nil }
func modelsOf(engine.Models) engine.Models { return nil }
func providerVariables() []string          { return nil }
func testWorker(context.Context) error     { return errMissing }
func runTUI(context.Context, *globals, tuiTarget, func(context.Context) (*engine.ControlPlane, error)) error {
	return errMissing
}
