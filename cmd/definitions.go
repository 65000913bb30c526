package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

// listing is one of the commands that print a kind of definition.
type listing struct {
	*globals
	json   bool
	asJSON func(*engine.Definitions) any
	table  func(*engine.Definitions) *table
}

func (l *listing) command(use, short string) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: action(l.run)}
	jsonFlag(c, &l.json)
	return c
}

func (l *listing) run(ctx context.Context, _ []string) error {
	defs, done, err := l.loadDefinitions(ctx)
	if err != nil {
		return err
	}
	defer done()
	if l.json {
		err = printJSON(l.Out, l.asJSON(defs))
	} else {
		l.table(defs).write(l.globals)
	}
	if n := countErrors(defs.Problems); n > 0 {
		fmt.Fprintf(l.Err, "%s left out or incomplete; `sideb check` says what is wrong\n", plural(n, "definition"))
	}
	return err
}

// loadDefinitions reads the project and nothing else.
func (g *globals) loadDefinitions(ctx context.Context) (*engine.Definitions, func(), error) {
	w, err := g.newWorld()
	if err != nil {
		return nil, nil, err
	}
	dir, err := g.chosenProject()
	if err == nil {
		err = w.openProject(ctx, dir)
	}
	if err != nil {
		w.close()
		return nil, nil, err
	}
	return w.project.Definitions(), w.close, nil
}

func countErrors(problems []engine.Problem) int {
	n := 0
	for _, p := range problems {
		if p.Severity == engine.SeverityError {
			n++
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// sorted returns the values of m in the order of their names.
func sorted[T any](m map[string]*T) []*T {
	out := make([]*T, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[name])
	}
	return out
}
