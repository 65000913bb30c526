package cmd

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

// envOptions are shared by the commands of `sideb env`.
type envOptions struct {
	*globals
	thread string
	json   bool
	secret bool
}

func newEnv(g *globals) *cobra.Command {
	o := &envOptions{globals: g}
	c := &cobra.Command{
		Use:   "env [list|set|unset|provide]",
		Short: "Set the variables that tools and providers read",
		Long: `Set the variables that tools and providers read: for every thread, or with
--thread for one. Values of secret variables are encrypted at rest and never
printed.`,
		Args: cobra.NoArgs,
		RunE: action(o.list),
	}
	c.PersistentFlags().StringVar(&o.thread, "thread", "", "only for the thread with this `ID`")
	c.PersistentFlags().BoolVar(&o.json, "json", false, "print JSON")
	set := &cobra.Command{
		Use:   "set NAME=VALUE… | NAME [VALUE]",
		Short: "Set variables; without a value it is asked for, or read from stdin",
		Args:  cobra.MinimumNArgs(1),
		RunE:  action(o.set),
	}
	set.Flags().BoolVar(&o.secret, "secret", false, "encrypt the value at rest and never show it")
	c.AddCommand(set, newEnvProvide(o),
		&cobra.Command{Use: "list", Short: "List the variables that are set", Args: cobra.NoArgs, RunE: action(o.list)},
		&cobra.Command{Use: "unset NAME…", Short: "Unset variables", Args: cobra.MinimumNArgs(1), RunE: action(o.unset)},
	)
	return c
}

// scope resolves --thread.
func (o *envOptions) scope(ctx context.Context, w *world) (engine.EnvScope, engine.ThreadID, error) {
	if o.thread == "" {
		return engine.EnvInstance, "", nil
	}
	t, err := w.thread(ctx, o.thread)
	if err != nil {
		return "", "", err
	}
	return engine.EnvThread, t.ThreadID, nil
}

func (o *envOptions) list(ctx context.Context, _ []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	scope, thread, err := o.scope(ctx, w)
	if err != nil {
		return err
	}
	values, err := w.control.Env(ctx, scope, thread)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, envJSON(values))
	}
	t := table{header: []string{"NAME", "TYPE", "SCOPE", "VALUE"}, empty: "no variable is set"}
	for _, v := range values {
		t.add(v.Name, string(v.Type), string(v.Scope), maskedValue(v))
	}
	t.write(o.globals)
	return nil
}

type envValueJSON struct {
	Name  string              `json:"name"`
	Type  engine.VariableType `json:"type"`
	Scope engine.EnvScope     `json:"scope"`
	Value *string             `json:"value"` // null for a secret
}

func envJSON(values []engine.EnvValue) []envValueJSON {
	out := make([]envValueJSON, len(values))
	for i, v := range values {
		out[i] = envValueJSON{Name: v.Name, Type: v.Type, Scope: v.Scope}
		if v.Type == engine.VariableText {
			out[i].Value = &v.Value
		}
	}
	return out
}

func maskedValue(v engine.EnvValue) string {
	if v.Type != engine.VariableText {
		return "••••••••"
	}
	return oneLine(v.Value, 200)
}

func (o *envOptions) set(ctx context.Context, args []string) error {
	values, err := o.parse(args)
	if err != nil {
		return err
	}
	return o.store(ctx, values)
}

func (o *envOptions) unset(ctx context.Context, args []string) error {
	values := make([]engine.EnvValue, len(args))
	for i, name := range args {
		if err := checkName(name); err != nil {
			return err
		}
		values[i] = engine.EnvValue{Name: name, Delete: true}
	}
	return o.store(ctx, values)
}

func (o *envOptions) store(ctx context.Context, values []engine.EnvValue) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	scope, thread, err := o.scope(ctx, w)
	if err != nil {
		return err
	}
	for i := range values {
		values[i].Scope, values[i].ThreadID = scope, thread
	}
	return w.control.SetEnv(ctx, values)
}

// parse reads NAME=VALUE…, NAME VALUE, or NAME with the value from elsewhere.
func (o *envOptions) parse(args []string) ([]engine.EnvValue, error) {
	typ := engine.VariableText
	if o.secret {
		typ = engine.VariableSecret
	}
	if !strings.Contains(args[0], "=") {
		if len(args) > 2 {
			return nil, usagef("one NAME and VALUE, or several NAME=VALUE")
		}
		if err := checkName(args[0]); err != nil {
			return nil, err
		}
		value, err := o.value(args)
		return []engine.EnvValue{{Name: args[0], Value: value, Type: typ}}, err
	}
	set, err := pairs(args)
	if err != nil {
		return nil, err
	}
	values := make([]engine.EnvValue, 0, len(set))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		values = append(values, engine.EnvValue{Name: name, Value: set[name], Type: typ})
	}
	return values, nil
}

// value is the second argument, else what is typed unseen at a terminal, else
// stdin: a secret need not stand in the shell's history.
func (o *envOptions) value(args []string) (string, error) {
	if len(args) == 2 && args[1] != "-" {
		return args[1], nil
	}
	if !o.InTTY || len(args) == 2 {
		text, err := o.readStdin()
		return trimNewline(text), err
	}
	return o.ReadSecret(fmt.Sprintf("value of %s (not shown): ", args[0]))
}

func checkName(name string) error {
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name) {
		return usagef("%q isn't a variable name: letters, digits and _, not starting with a digit", name)
	}
	return nil
}
