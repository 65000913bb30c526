package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newPrompts(g *globals) *cobra.Command {
	l := &listing{globals: g}
	l.asJSON = func(d *engine.Definitions) any { return sorted(d.Prompts) }
	l.table = func(d *engine.Definitions) *table {
		t := &table{header: []string{"PROMPT", "MODEL", "TOOLS", "DESCRIPTION"}, empty: "the project has no prompts"}
		for _, p := range sorted(d.Prompts) {
			tools := make([]string, len(p.Tools))
			for i, e := range p.Tools {
				tools[i] = e.Name
			}
			t.add(p.Name, p.Model, oneLine(strings.Join(tools, ", "), 40), oneLine(p.ToolDescription, 200))
		}
		return t
	}
	return l.command("prompts", "List the prompts that the project defines")
}
