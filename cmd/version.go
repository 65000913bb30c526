package cmd

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in releases; elsewhere the build tells it.
var version string

type versionOptions struct {
	*globals
	json bool
}

func newVersion(g *globals) *cobra.Command {
	o := &versionOptions{globals: g}
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  action(o.run),
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *versionOptions) run(context.Context, []string) error {
	v := buildVersion()
	if o.json {
		return printJSON(o.Out, map[string]string{
			"version": v, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(o.Out, "sideb %s (%s, %s/%s)\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	return info.Main.Version
}
