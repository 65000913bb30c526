package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

// The exit codes of sideb, a promise to scripts.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitLimit       = 3
	exitDecision    = 4
	exitInterrupted = 130
)

// usageError is a command line that can't be right. Usage is the usage line of
// the command that it was given to.
type usageError struct {
	usage string
	err   error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// exitError ends the process with code. A nil err prints nothing: the output
// has said it all.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}
func (e *exitError) Unwrap() error { return e.err }

// exitCode maps an error to the exit code of the process.
func exitCode(err error) int {
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitOfCode(engine.CodeOf(err))
}

func exitOfCode(code engine.Code) int {
	switch code {
	case engine.CodeInvalid:
		return exitUsage
	case engine.CodeLimit:
		return exitLimit
	case engine.CodeCanceled:
		return exitInterrupted
	case engine.CodeNotFound, engine.CodeConflict, engine.CodeBusy, engine.CodeModel, engine.CodeTool,
		engine.CodeSandbox, engine.CodeCorrupt, engine.CodeInternal:
		return exitFailed
	}
	return exitFailed
}

// classify turns what cobra found wrong with the command line, before any
// command began, into a usage error.
func (g *globals) classify(ran *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	var usage *usageError
	switch {
	case errors.As(err, &usage):
	case !g.started:
		usage = &usageError{err: err}
		err = usage
	default:
		return err
	}
	if usage.usage == "" && ran != nil {
		usage.usage = ran.UseLine()
	}
	return err
}

// jsonWanted reports whether errors are to be JSON. The flags can't be asked
// where parsing them is what failed.
func jsonWanted(ran *cobra.Command, args []string) bool {
	if slices.Contains(args, "--json") {
		return true
	}
	if ran == nil {
		return false
	}
	out := ran.Flags().Lookup("output")
	return out != nil && out.Changed && strings.HasSuffix(out.Value.String(), "json")
}

// report prints err to stderr.
func (g *globals) report(err error, asJSON bool) {
	var exit *exitError
	if err == nil || errors.As(err, &exit) && exit.err == nil {
		return
	}
	var usage *usageError
	isUsage := errors.As(err, &usage)
	if asJSON {
		code := engine.CodeOf(err)
		if isUsage {
			code = engine.CodeInvalid
		}
		_ = json.NewEncoder(g.Err).Encode(map[string]any{
			"error": map[string]any{"code": code, "message": inWords(err)},
		})
		return
	}
	fmt.Fprintf(g.Err, "sideb: %s\n", inWords(err))
	if isUsage && usage.usage != "" {
		fmt.Fprintf(g.Err, "usage: %s\n", usage.usage)
	}
}

// inWords is err for a person. A bare context error has no words of its own; one
// that is wrapped does.
func inWords(err error) string {
	if err == context.Canceled || err == context.DeadlineExceeded {
		return "interrupted"
	}
	return err.Error()
}
