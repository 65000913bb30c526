package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type checkOptions struct {
	*globals
	json bool
}

func newCheck(g *globals) *cobra.Command {
	o := &checkOptions{globals: g}
	c := &cobra.Command{
		Use:   "check",
		Short: "Load the project and print everything that is wrong with it",
		Long:  "Load the project and print everything that is wrong with it, as file:line:column. Exits 1 when there are errors.",
		Args:  cobra.NoArgs,
		RunE:  action(o.run),
	}
	jsonFlag(c, &o.json)
	return c
}

func (o *checkOptions) run(ctx context.Context, _ []string) error {
	defs, done, err := o.loadDefinitions(ctx)
	if err != nil {
		return err
	}
	defer done()
	errors := countErrors(defs.Problems)
	if o.json {
		err = printJSON(o.Out, struct {
			Project  string           `json:"project"`
			OK       bool             `json:"ok"`
			Problems []engine.Problem `json:"problems"`
		}{defs.Dir, errors == 0, orEmpty(defs.Problems)})
		if err != nil {
			return err
		}
	} else {
		o.print(defs, errors)
	}
	if errors > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

func (o *checkOptions) print(defs *engine.Definitions, errors int) {
	for _, p := range defs.Problems {
		fmt.Fprintln(o.Out, problemLine(p))
	}
	summary := fmt.Sprintf("%s: %s, %s, %s, %s", projectName(defs.Dir), plural(len(defs.Agents), "agent"),
		plural(len(defs.Prompts), "prompt"), plural(len(defs.Models), "model"), plural(len(defs.Tools), "tool"))
	if n := len(defs.Problems); n > 0 {
		summary += fmt.Sprintf("; %s, %s", plural(errors, "error"), plural(n-errors, "warning"))
	}
	fmt.Fprintln(o.Err, summary)
}

// problemLine prints a problem the way editors and compilers agree on.
func problemLine(p engine.Problem) string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	fmt.Fprintf(&b, ": %s: %s", p.Severity, p.Message)
	if p.Hint != "" {
		fmt.Fprintf(&b, " (%s)", p.Hint)
	}
	return strings.TrimPrefix(b.String(), ": ")
}
