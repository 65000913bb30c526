package cmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type doctorOptions struct {
	*globals
	json bool
}

func newDoctor(g *globals) *cobra.Command {
	o := &doctorOptions{globals: g}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the installation and say what to do about it",
		Long:  "Check the installation and say what to do about it. Exits 1 when something is broken. Values of keys are never printed.",
		Args:  cobra.NoArgs,
		RunE:  action(o.run),
	}
	jsonFlag(c, &o.json)
	return c
}

// finding is one line of the doctor's report.
type finding struct {
	Name   string        `json:"name"`
	Status findingStatus `json:"status"`
	Detail string        `json:"detail"`
}

type findingStatus string

const (
	findingOK      findingStatus = "ok"
	findingWarning findingStatus = "warning"
	findingBroken  findingStatus = "broken"
)

func found(name, format string, args ...any) finding {
	return finding{Name: name, Status: findingOK, Detail: fmt.Sprintf(format, args...)}
}

func broken(name string, err error) finding {
	return finding{Name: name, Status: findingBroken, Detail: err.Error()}
}

func (o *doctorOptions) run(ctx context.Context, _ []string) error {
	var findings []finding
	findings = append(findings, found("version", "sideb %s, %s, %s/%s", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH))
	findings = append(findings, o.data(ctx)...)
	findings = append(findings, o.projectFindings(ctx)...)
	findings = append(findings, o.worker(ctx), o.sandbox(ctx), o.keys(), o.terminal())
	if err := o.print(findings); err != nil {
		return err
	}
	for _, f := range findings {
		if f.Status == findingBroken {
			return &exitError{code: exitFailed}
		}
	}
	return nil
}

func (o *doctorOptions) print(findings []finding) error {
	if o.json {
		ok := true
		for _, f := range findings {
			ok = ok && f.Status != findingBroken
		}
		return printJSON(o.Out, map[string]any{"ok": ok, "findings": findings})
	}
	for _, f := range findings {
		status := string(f.Status)
		if o.color() {
			status = map[findingStatus]string{findingOK: "\x1b[32m", findingWarning: "\x1b[33m", findingBroken: "\x1b[31m"}[f.Status] +
				status + "\x1b[0m" + strings.Repeat(" ", 7-len(status))
		}
		fmt.Fprintf(o.Out, "%-8s %-10s %s\n", status, f.Name, f.Detail)
	}
	return nil
}

func (o *doctorOptions) data(ctx context.Context) []finding {
	dir, err := o.dataDirectory()
	if err != nil {
		return []finding{broken("data", err)}
	}
	w, err := o.openReader(ctx)
	if err != nil {
		return []finding{broken("data", err)}
	}
	defer w.close()
	if err := writable(dir); err != nil {
		return []finding{broken("data", err)}
	}
	page, err := w.control.Threads(ctx, engine.ThreadQuery{Limit: 1})
	if err != nil {
		return []finding{broken("data", err)}
	}
	state := "no threads yet"
	if len(page.Threads) > 0 {
		state = "last active " + ago(time.Now(), page.Threads[0].UpdatedAt)
	}
	return []finding{
		found("data", "%s, %s, %s", dir, humanize.IBytes(size(dir)), state),
		w.secrets(ctx, dir),
	}
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return fmt.Errorf("the data directory isn't writable: %w", err)
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

func size(dir string) uint64 {
	var total uint64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // a file that goes meanwhile has no size
		}
		if info, err := d.Info(); err == nil {
			total += uint64(max(info.Size(), 0))
		}
		return nil
	})
	return total
}

func (o *doctorOptions) projectFindings(ctx context.Context) []finding {
	w, err := o.openHost(ctx)
	if err != nil {
		return []finding{broken("project", err)}
	}
	defer w.close()
	defs := w.project.Definitions()
	f := found("project", "%s: %s, %s", projectName(defs.Dir), plural(len(defs.Agents), "agent"), plural(len(defs.Problems), "problem"))
	if len(defs.Problems) > 0 {
		f.Status = findingWarning
		f.Detail += "; `sideb check` prints them"
	}
	return append([]finding{f}, o.models(ctx, w)...)
}

// models says of each provider that the project uses whether it could be asked,
// as far as that shows without asking.
func (o *doctorOptions) models(ctx context.Context, w *world) []finding {
	var findings []finding
	seen := map[string]bool{}
	for _, m := range sorted(w.project.Definitions().Models) {
		if m.Script || seen[m.Provider] {
			continue
		}
		seen[m.Provider] = true
		if _, err := modelsOf(w.project).Open(ctx, m, w.getenv(ctx)); err != nil {
			findings = append(findings, finding{Name: "provider", Status: findingWarning, Detail: m.Provider + ": " + err.Error()})
			continue
		}
		findings = append(findings, found("provider", "%s has what it needs", m.Provider))
	}
	return findings
}

// getenv reads what is set for every thread, else the process environment.
func (w *world) getenv(ctx context.Context) func(string) (string, bool) {
	set := map[string]string{}
	values, err := w.control.Env(ctx, engine.EnvInstance, "")
	if err != nil {
		w.log.printf("read the instance's variables: %v", err)
	}
	for _, v := range values {
		set[v.Name] = v.Value
	}
	return func(name string) (string, bool) {
		if v, ok := set[name]; ok {
			return v, true
		}
		return w.g.Getenv(name)
	}
}

func (o *doctorOptions) worker(ctx context.Context) finding {
	began := time.Now()
	if err := testWorker(ctx); err != nil {
		return broken("worker", err)
	}
	return found("worker", "JavaScript runs in a process of its own; it started in %d ms", time.Since(began).Milliseconds())
}

// sandbox says what the system enforces for code that nobody trusts.
func (o *doctorOptions) sandbox(ctx context.Context) finding {
	report, err := testSandbox(ctx)
	if err != nil {
		return broken("sandbox", err)
	}
	f := found("sandbox", "%s", strings.ReplaceAll(report.Lines(), "\n", " · "))
	if !report.Filesystem.Enforced || !report.Network.Enforced {
		f.Status = findingWarning
	}
	return f
}

// keys says which of the providers' variables the environment has, whatever the
// project uses; never their values.
func (o *doctorOptions) keys() finding {
	var set []string
	for _, name := range providerVariables() {
		if o.env(name) != "" {
			set = append(set, name)
		}
	}
	if len(set) == 0 {
		return found("keys", "no provider key in the environment; the built-in project needs none")
	}
	return found("keys", "set in the environment: %s", strings.Join(set, ", "))
}

// secrets says where the key is that encrypts secret values.
func (w *world) secrets(ctx context.Context, dir string) finding {
	values, err := w.control.Env(ctx, engine.EnvInstance, "")
	if err != nil {
		return broken("secrets", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "key")); err == nil {
		return found("secrets", "encrypted with the key in %s", filepath.Join(dir, "key"))
	}
	for _, v := range values {
		if v.Type == engine.VariableSecret {
			return found("secrets", "encrypted with a key in the system's keyring")
		}
	}
	return found("secrets", "none is stored; the first one makes a key in the system's keyring, or in %s", filepath.Join(dir, "key"))
}

func (o *doctorOptions) terminal() finding {
	if !o.OutTTY || !o.InTTY {
		return found("terminal", "none; use `sideb run` here")
	}
	term := firstOf(o.env("TERM"), "unknown")
	color := "colour"
	if !o.color() {
		color = "no colour"
	}
	return found("terminal", "%s, %d columns, %s", term, o.Width, color)
}
