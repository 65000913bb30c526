package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newModels(g *globals) *cobra.Command {
	l := &listing{globals: g}
	l.asJSON = func(d *engine.Definitions) any { return sorted(d.Models) }
	l.table = func(d *engine.Definitions) *table {
		t := &table{header: []string{"NAME", "PROVIDER", "MODEL", "IN/OUT $ PER 1M", "FALLBACKS"}, empty: "the project has no models"}
		for _, m := range sorted(d.Models) {
			t.add(m.Name, m.Provider, m.Model, price(m.InputPrice)+"/"+price(m.OutputPrice), strings.Join(m.Fallbacks, ", "))
		}
		return t
	}
	return l.command("models", "List the models that the project defines")
}

func price(p *float64) string {
	if p == nil {
		return "?"
	}
	return fmt.Sprintf("%g", *p)
}
