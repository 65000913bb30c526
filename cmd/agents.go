package cmd

import (
	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newAgents(g *globals) *cobra.Command {
	l := &listing{globals: g}
	l.asJSON = func(d *engine.Definitions) any { return sorted(d.Agents) }
	l.table = func(d *engine.Definitions) *table {
		t := &table{header: []string{"AGENT", "TYPE", "PROMPTS", "DESCRIPTION"}, empty: "the project has no agents"}
		for _, a := range sorted(d.Agents) {
			prompts := a.SideA.Prompt
			if b := a.Side(engine.SideB); b != nil {
				prompts += ", " + b.Prompt
			}
			t.add(a.Name, string(a.Type), prompts, oneLine(firstOf(a.Description, a.ToolDescription, a.Title), 200))
		}
		return t
	}
	return l.command("agents", "List the agents that the project defines")
}

// firstOf returns the first string that isn't empty.
func firstOf(s ...string) string {
	for _, v := range s {
		if v != "" {
			return v
		}
	}
	return ""
}
