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
	findings = append(findings, o.projectFinding(ctx)...)
	findings = append(findings, o.worker(ctx), o.keys(), o.terminal())
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
		secretsFinding(ctx, w.store),
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
			return nil //nolint:nilerr // a file that goes meanwhile has no size
		}
		if info, err := d.Info(); err == nil {
			total += uint64(max(info.Size(), 0))
		}
		return nil
	})
	return total
}

func (o *doctorOptions) projectFinding(ctx context.Context) []finding {
	defs, done, err := o.loadDefinitions(ctx)
	if err != nil {
		return []finding{broken("project", err)}
	}
	defer done()
	f := found("project", "%s: %s, %s", projectName(defs.Dir), plural(len(defs.Agents), "agent"), plural(len(defs.Problems), "problem"))
	if len(defs.Problems) > 0 {
		f.Status = findingWarning
		f.Detail += "; `sideb check` prints them"
	}
	return append([]finding{f}, o.models(defs)...)
}

// models says of each provider that the project uses whether its key is set.
func (o *doctorOptions) models(defs *engine.Definitions) []finding {
	var findings []finding
	seen := map[string]bool{}
	for _, m := range sorted(defs.Models) {
		if m.Script || seen[m.Provider] {
			continue
		}
		seen[m.Provider] = true
		findings = append(findings, o.provider(m.Provider))
	}
	return findings
}

func (o *doctorOptions) provider(name string) finding {
	keys := providerKeys(name)
	if len(keys) == 0 {
		return found("model", "%s needs no key", name)
	}
	for _, k := range keys {
		if o.env(k) != "" {
			return found("model", "%s: %s is set", name, k)
		}
	}
	return finding{Name: "model", Status: findingWarning, Detail: fmt.Sprintf(
		"%s: %s isn't set in the environment; set it, or `sideb env set --secret %s`", name, strings.Join(keys, " or "), keys[0])}
}

func (o *doctorOptions) worker(ctx context.Context) finding {
	began := time.Now()
	if err := testWorker(ctx); err != nil {
		return broken("worker", err)
	}
	return found("worker", "JavaScript runs in a process of its own; it started in %d ms", time.Since(began).Milliseconds())
}

// keys says which provider keys the environment has, whatever the project uses.
func (o *doctorOptions) keys() finding {
	var set []string
	for _, p := range providerNames() {
		for _, k := range providerKeys(p) {
			if o.env(k) != "" {
				set = append(set, k)
			}
		}
	}
	if len(set) == 0 {
		return found("keys", "no provider key in the environment; the built-in project needs none")
	}
	return found("keys", "set: %s", strings.Join(set, ", "))
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
