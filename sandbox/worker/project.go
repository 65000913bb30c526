package worker

import (
	"context"
	"encoding/json"
)

// Project is a running worker process for a project's own code. Its methods are
// safe for concurrent use.
type Project struct{}

// MainIfAsked runs the worker and never returns when this process was started
// as one; otherwise it does nothing. Call it first of all in main and TestMain.
func MainIfAsked() {}

// StartProject starts a worker process.
func StartProject(ctx context.Context, o Options) (*Project, error) { return nil, &Died{} }

// Build links a program. Errors in the source are Diagnostics; the error is a
// *Died or ctx's.
func (p *Project) Build(ctx context.Context, r BuildRequest) (*BuildResult, error) {
	return nil, &Died{}
}

// Load evaluates linked text under the name program, on every VM. It returns when
// the first VM has evaluated it; a call on another VM waits for that VM.
func (p *Project) Load(ctx context.Context, program, code string) error { return &Died{} }

// Unload forgets a program. Calls that run go on; later ones fail.
func (p *Project) Unload(ctx context.Context, program string) error { return &Died{} }

// Call calls the function that the program's entry exports as fn and awaits it.
// The answer is "" when it returned undefined. Errors: *Thrown, *Died, ctx's.
func (p *Project) Call(ctx context.Context, program, affinity, fn string, args json.RawMessage, h Host) (json.RawMessage, error) {
	return nil, &Died{}
}

// Kill ends the process at once.
func (p *Project) Kill() {}

// Close ends the process and waits for it. Open operations return a *Died.
func (p *Project) Close() error { return nil }

// Done is closed when the process has ended.
func (p *Project) Done() <-chan struct{} { return nil }
