package cmd

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type threadsFilesOptions struct {
	*globals
	json   bool
	output string
}

func newThreadsFiles(g *globals) *cobra.Command {
	o := &threadsFilesOptions{globals: g}
	c := &cobra.Command{
		Use:   "files THREAD [PATH]",
		Short: "List the files of a thread, or get one",
		Long: `List the files of a thread, or get one.

Without a PATH, and for a directory, the files below are listed. A file's content
goes to stdout, or with --output into a file.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: action(o.run),

		ValidArgsFunction: g.completeThreads,
	}
	jsonFlag(c, &o.json)
	c.Flags().StringVarP(&o.output, "output", "o", "", "write the content to `FILE`")
	return c
}

func (o *threadsFilesOptions) run(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, args[0])
	if err != nil {
		return err
	}
	path := "/"
	if len(args) == 2 {
		path = args[1]
	}
	f, err := w.control.File(ctx, t.ThreadID, path)
	if err != nil {
		return err
	}
	if !f.IsDirectory && !o.json {
		return o.get(ctx, w, f)
	}
	list := []engine.FileRecord{*f}
	if f.IsDirectory {
		if list, err = w.control.Files(ctx, t.ThreadID, path, true); err != nil {
			return err
		}
	}
	return o.print(list)
}

func (o *threadsFilesOptions) get(ctx context.Context, w *world, f *engine.FileRecord) error {
	if o.output == "" {
		return w.control.ReadFile(ctx, f, func(b []byte) error {
			_, err := o.Out.Write(b)
			return err
		})
	}
	out, err := os.Create(o.output)
	if err != nil {
		return usagef("write %s: %w", o.output, err)
	}
	err = w.control.ReadFile(ctx, f, func(b []byte) error {
		_, err := out.Write(b)
		return err
	})
	if end := out.Close(); err == nil {
		err = end
	}
	return err
}

func (o *threadsFilesOptions) print(list []engine.FileRecord) error {
	if o.json {
		if list == nil {
			list = []engine.FileRecord{}
		}
		return printJSON(o.Out, list)
	}
	for i := range list {
		if f := &list[i]; !f.IsDirectory {
			fmt.Fprintf(o.Out, "%10d  %-24s %s\n", f.Size, f.MimeType, f.Path)
		}
	}
	return nil
}
