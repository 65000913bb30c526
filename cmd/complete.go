package cmd

import (
	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

// completeAgents offers the project's agents for the first argument.
func (g *globals) completeAgents(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defs, done, err := g.loadDefinitions(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer done()
	var words []cobra.Completion
	for _, a := range sorted(defs.Agents) {
		words = append(words, cobra.CompletionWithDesc(a.Name, oneLine(firstOf(a.Description, a.Title), 60)))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeThreads offers the threads that were active last.
func (g *globals) completeThreads(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	const few = 30
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	w, err := g.openReader(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer w.close()
	page, err := w.control.Threads(c.Context(), engine.ThreadQuery{Limit: few})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := make([]cobra.Completion, len(page.Threads))
	for i := range page.Threads {
		t := &page.Threads[i]
		words[i] = cobra.CompletionWithDesc(string(t.ThreadID), t.Agent+": "+oneLine(titleOf(t), 60))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeThreadFlag binds completeThreads to --thread.
func (g *globals) completeThreadFlag(c *cobra.Command) {
	// The flag exists: the caller has just made it.
	_ = c.RegisterFlagCompletionFunc("thread", func(c *cobra.Command, _ []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return g.completeThreads(c, nil, start)
	})
}
