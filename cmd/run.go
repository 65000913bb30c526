package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
)

type runOptions struct {
	*globals
	thread   string
	output   string
	maxSteps int
	timeout  time.Duration
	detach   bool
	attach   attachFlag
}

// The forms of `run --output`.
const (
	outputText   = "text"
	outputJSON   = "json"
	outputStream = "stream-json"
)

func newRun(g *globals) *cobra.Command {
	o := &runOptions{globals: g}
	c := &cobra.Command{
		Use:   "run [AGENT] [MESSAGE|-]",
		Short: "Run one turn and print the answer",
		Long: `Run one turn and print the answer.

AGENT may be left out where the project has only one (the built-in project's is
tour). MESSAGE - reads stdin. With --thread the turn goes to that thread and its
agent; without a MESSAGE then, what is open or queued there is finished.

Output: text prints the answer only; json prints one object {threadId, turnId,
status, text, usage, cost, steps}; stream-json prints one event a line as they
are committed.

Exit codes: 0 done, 1 failed, 2 usage, 3 stopped by a limit, 4 needs a decision,
130 interrupted.`,
		Example: `  sideb run tour "What can you do?"
  git diff | sideb run reviewer - --output json`,
		Args:              cobra.MaximumNArgs(2),
		ValidArgsFunction: g.completeAgents,
		RunE:              action(o.run),
	}
	f := c.Flags()
	f.StringVar(&o.thread, "thread", "", "continue the thread with this `ID`")
	g.completeThreadFlag(c)
	f.StringVar(&o.output, "output", outputText, "`FORM` of the output: text, json or stream-json")
	f.IntVar(&o.maxSteps, "max-steps", 0, "stop after `N` steps (default: the agent's own limit)")
	f.DurationVar(&o.timeout, "timeout", 0, "interrupt the turn after `D`, for example 90s (default: no limit)")
	o.attach.add(c)
	f.BoolVar(&o.detach, "detach", false, "don't wait for child threads that still work")
	return c
}

func (o *runOptions) check() error {
	switch o.output {
	case outputText, outputJSON, outputStream:
	default:
		return usagef("unknown output %q; there are text, json and stream-json", o.output)
	}
	switch {
	case o.maxSteps < 0:
		return usagef("--max-steps must be at least 1")
	case o.timeout < 0:
		return usagef("--timeout must be longer than 0")
	}
	return nil
}

func (o *runOptions) run(ctx context.Context, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	switch {
	case o.thread != "":
		return o.continueThread(ctx, args)
	case len(args) == 0:
		return usagef("there is no MESSAGE; give one, or - to read it from stdin")
	}
	return o.newThread(ctx, args)
}

func (o *runOptions) newThread(ctx context.Context, args []string) error {
	w, err := o.openHost(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	agent, arg, err := chooseAgent(w.control.Definitions(), args)
	if err != nil {
		return err
	}
	text, err := o.message(arg)
	if err != nil {
		return err
	}
	files, err := o.attach.uploads()
	if err != nil {
		return err
	}
	t, err := w.control.CreateThread(ctx, engine.CreateThread{Agent: agent})
	if err != nil {
		return err
	}
	return o.submit(ctx, w, t, text, files)
}

func (o *runOptions) continueThread(ctx context.Context, args []string) error {
	w, err := o.openReader(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	t, err := w.thread(ctx, o.thread)
	if err != nil {
		return err
	}
	if err := w.becomeHost(ctx, t); err != nil {
		return err
	}
	arg := o.argsOfThread(w, t, args)
	files, err := o.attach.uploads()
	if err != nil {
		return err
	}
	if arg == "" && len(files) > 0 {
		return usagef("--attach needs a MESSAGE that the files go with")
	}
	if arg == "" {
		return o.resume(ctx, w, t)
	}
	text, err := o.message(arg)
	if err != nil {
		return err
	}
	return o.submit(ctx, w, t, text, files)
}

// argsOfThread finds the message among the arguments of a run that continues a
// thread. The agent is the one that the thread has.
func (o *runOptions) argsOfThread(w *world, t *engine.ThreadRead, args []string) string {
	note := func(agent string) {
		if agent != t.Agent {
			fmt.Fprintf(o.Err, "note: the thread goes on with its agent %s, not with %s\n", t.Agent, agent)
		}
	}
	switch {
	case len(args) == 2:
		note(args[0])
		return args[1]
	case len(args) == 1 && w.control.Definitions().Agents[args[0]] != nil:
		note(args[0])
		return ""
	case len(args) == 1:
		return args[0]
	}
	return ""
}

// submit hosts the thread, submits text as a turn and sees it through.
func (o *runOptions) submit(ctx context.Context, w *world, t *engine.ThreadRead, text string, files []engine.Upload) error {
	after, err := w.sequence(ctx, t.SessionID)
	if err != nil {
		return err
	}
	if err := w.host(ctx, t.SessionID); err != nil {
		return err
	}
	turn, err := w.control.SubmitTurn(ctx, engine.SubmitTurn{
		ThreadID: t.ThreadID,
		Content:  text,
		Uploads:  files,
		Options:  engine.TurnOptions{MaxSteps: o.maxSteps},
	})
	if err != nil {
		return err
	}
	return o.finish(ctx, w, turn, after, false)
}

// resume finishes what is open or queued. Where nothing is, the last turn is
// told again, so that a script may run it after any end of an earlier one.
func (o *runOptions) resume(ctx context.Context, w *world, t *engine.ThreadRead) error {
	after, err := w.sequence(ctx, t.SessionID)
	if err != nil {
		return err
	}
	turn, err := w.newestTurn(ctx, t.ThreadID)
	if err != nil {
		return err
	}
	if turn == nil || turn.Status.Ended() {
		fmt.Fprintln(o.Err, "nothing is open or queued")
		if turn == nil || o.output == outputStream {
			return nil
		}
		return o.tell(ctx, w, turn, "")
	}
	if err := w.host(ctx, t.SessionID); err != nil {
		return err
	}
	if _, err := w.control.ResumeThread(ctx, t.ThreadID); err != nil {
		return err
	}
	return o.finish(ctx, w, turn, after, true)
}

// finish waits for turn, prints as it goes, and then what it came to.
func (o *runOptions) finish(ctx context.Context, w *world, turn *engine.TurnRead, after int64, submitted bool) error {
	watch := o.watch(ctx, w, turn, after, submitted)
	defer watch.stop()
	ended, why, err := w.await(ctx, turn, o.timeout)
	if err != nil {
		return err
	}
	watch.drain(ctx, w, ended)
	if why == "" && ended.Status == engine.TurnCompleted && !o.detach {
		if err := o.settle(ctx, w, ended); err != nil {
			return err
		}
	}
	return o.tell(ctx, w, ended, why)
}

// settle waits for the child threads that the turn left working.
func (o *runOptions) settle(ctx context.Context, w *world, turn *engine.TurnRead) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	err := w.control.WaitSettled(ctx, turn.SessionID)
	if ctx.Err() == context.DeadlineExceeded {
		return engine.Errorf(engine.CodeLimit, "", "the time limit has passed and child threads still work; `sideb run --thread %s` goes on", turn.ThreadID)
	}
	return err
}
