package cmd

import (
	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newTools(g *globals) *cobra.Command {
	l := &listing{globals: g}
	l.asJSON = func(d *engine.Definitions) any { return sorted(d.Tools) }
	l.table = func(d *engine.Definitions) *table {
		t := &table{header: []string{"TOOL", "FILE", "DESCRIPTION"}, empty: "the project has no tools"}
		for _, tool := range sorted(d.Tools) {
			t.add(tool.Name, tool.File, oneLine(tool.Description, 200))
		}
		return t
	}
	return l.command("tools", "List the tools that the project defines")
}
