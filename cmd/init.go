package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type initOptions struct {
	*globals
	json bool
}

func newInit(g *globals) *cobra.Command {
	o := &initOptions{globals: g}
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a small working project (default: here)",
		Args:  cobra.MaximumNArgs(1),
		RunE:  action(o.run),
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *initOptions) run(_ context.Context, args []string) error {
	dir := "."
	if len(args) == 1 {
		dir = args[0]
	}
	files, err := writeTemplate(projectTemplate(), dir)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, map[string]any{"project": dir, "files": files})
	}
	for _, f := range files {
		fmt.Fprintln(o.Out, filepath.Join(dir, f))
	}
	fmt.Fprintf(o.Err, "done; try: sideb --project %s\n", dir)
	return nil
}

// writeTemplate copies tree to dir, all or nothing as far as existing files go:
// it looks for them before it writes the first.
func writeTemplate(tree fs.FS, dir string) ([]string, error) {
	var files, taken []string
	err := fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files = append(files, filepath.FromSlash(path))
		if _, err := os.Lstat(filepath.Join(dir, path)); !errors.Is(err, fs.ErrNotExist) {
			taken = append(taken, filepath.Join(dir, path))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(taken) > 0 {
		return nil, engine.Errorf(engine.CodeConflict, "init", "nothing was written, because these exist: %s", strings.Join(taken, ", "))
	}
	for _, f := range files {
		if err := writeNew(tree, f, filepath.Join(dir, f)); err != nil {
			return nil, engine.Errorf(engine.CodeInvalid, "init", "%w", err)
		}
	}
	return files, nil
}

func writeNew(tree fs.FS, from, to string) error {
	text, err := fs.ReadFile(tree, filepath.ToSlash(from))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
