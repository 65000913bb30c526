package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

func newEnvProvide(o *envOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "provide REQUEST [NAME=VALUE…]",
		Short: "Give a subagent the variables that it waits for",
		Long: `Give a subagent the variables that it waits for; it starts at once. What is
missing is asked for, unseen, at a terminal. The request is named in the tool
error of its parent.`,
		Args: cobra.MinimumNArgs(1),
		RunE: action(o.provide),
	}
}

func (o *envOptions) provide(ctx context.Context, args []string) error {
	given, err := pairs(args[1:])
	if err != nil {
		return err
	}
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	request, err := w.control.Request(ctx, engine.RequestID(args[0]))
	if err != nil {
		return err
	}
	if err := o.ask(request.Missing, given); err != nil {
		return err
	}
	parent, err := w.control.Thread(ctx, request.Parent)
	if err != nil {
		return err
	}
	live, err := w.control.LiveHost(ctx, parent.ThreadID)
	if err != nil {
		return err
	}
	// The agent's definition is needed even where another process hosts.
	if err := w.becomeHost(ctx, parent); err != nil {
		return err
	}
	child, err := w.control.ProvideEnv(ctx, request.RequestID, given)
	if err != nil {
		return err
	}
	if o.json {
		err = printJSON(o.Out, map[string]any{"threadId": child})
	} else {
		_, err = fmt.Fprintln(o.Out, child)
	}
	if err != nil || live {
		return err
	}
	return w.settle(ctx, parent)
}

func pairs(args []string) (map[string]string, error) {
	values := make(map[string]string, len(args))
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, usagef("%q has no value; write %s=VALUE", arg, arg)
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		values[name] = value
	}
	return values, nil
}

// ask adds what is missing to given, as far as there is somebody to ask.
func (o *envOptions) ask(missing []string, given map[string]string) error {
	for _, name := range missing {
		if _, ok := given[name]; ok || !o.InTTY {
			continue
		}
		value, err := o.ReadSecret(fmt.Sprintf("value of %s (not shown): ", name))
		if err != nil {
			return err
		}
		given[name] = value
	}
	return nil
}
