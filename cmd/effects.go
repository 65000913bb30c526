package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type effectsOptions struct {
	*globals
	json   bool
	thread string
}

func newEffects(g *globals) *cobra.Command {
	o := &effectsOptions{globals: g}
	c := &cobra.Command{
		Use:   "effects [list|cancel|run]",
		Short: "List scheduled effects, cancel them, make them due",
		Args:  cobra.NoArgs,
		RunE:  action(o.list),
	}
	c.PersistentFlags().StringVar(&o.thread, "thread", "", "only those of the thread with this `ID`")
	c.PersistentFlags().BoolVar(&o.json, "json", false, "print JSON")
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List scheduled effects, the next one first", Args: cobra.NoArgs, RunE: action(o.list)},
		&cobra.Command{Use: "cancel EFFECT…", Short: "Take effects off the schedule", Args: cobra.MinimumNArgs(1), RunE: action(o.cancel)},
		&cobra.Command{Use: "run EFFECT…", Short: "Make effects due now, dead ones too; the next host runs them", Args: cobra.MinimumNArgs(1), RunE: action(o.now)},
	)
	return c
}

func (o *effectsOptions) list(ctx context.Context, _ []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	return o.print(ctx, w)
}

func (o *effectsOptions) print(ctx context.Context, w *world) error {
	var thread engine.ThreadID
	if o.thread != "" {
		t, err := w.thread(ctx, o.thread)
		if err != nil {
			return err
		}
		thread = t.ThreadID
	}
	effects, err := w.control.Effects(ctx, thread)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(o.Out, orEmpty(effects))
	}
	t := table{header: []string{"EFFECT", "NAME", "STATE", "DUE", "TRIES", "ERROR"}, empty: "nothing is scheduled"}
	for _, e := range effects {
		t.add(string(e.ID), e.Name, string(e.State), e.At.Time().Local().Format(time.DateTime), fmt.Sprint(e.Attempts), oneLine(e.Error, 200))
	}
	t.write(o.globals)
	return nil
}

func (o *effectsOptions) cancel(ctx context.Context, args []string) error {
	return o.each(ctx, args, (*engine.ControlPlane).CancelEffect)
}

func (o *effectsOptions) now(ctx context.Context, args []string) error {
	return o.each(ctx, args, (*engine.ControlPlane).RunEffect)
}

func (o *effectsOptions) each(ctx context.Context, ids []string, change func(*engine.ControlPlane, context.Context, engine.ScheduleID) error) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	for _, id := range ids {
		if err := change(w.control, ctx, engine.ScheduleID(id)); err != nil {
			return err
		}
	}
	if o.json {
		return o.print(ctx, w)
	}
	return nil
}
