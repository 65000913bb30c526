package cmd

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// Main runs the command line of this process and returns its exit code.
func Main() int {
	// A closed reader must not kill a process that hosts threads; the streams
	// turn the write error into silence. Handled rather than ignored, so that
	// child processes get the default back.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	quickStart()
	return execute(context.Background(), systemStreams(), os.Args[1:])
}

// quickStart lets the garbage of a start lie, unless the user has a wish of their
// own: a short command ends before a collection would be worth its time.
func quickStart() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const usual, start = 100, 800 // percent, of a heap of 4 MB at first
	debug.SetGCPercent(start)
	time.AfterFunc(2*time.Second, func() { debug.SetGCPercent(usual) })
}

// execute runs args on streams: what Main does, without this process's globals.
func execute(ctx context.Context, s *streams, args []string) int {
	g := &globals{streams: s}
	root := newRoot(g)
	root.SetArgs(args)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	ran, err := root.ExecuteContextC(ctx)
	err = g.classify(ran, err)
	g.report(err, jsonWanted(ran, args))
	return exitCode(err)
}

// newRoot builds the whole command tree.
func newRoot(g *globals) *cobra.Command {
	root := newSideb(g)
	root.AddCommand(
		newChat(g), newRun(g), newSend(g), newWatch(g),
		newThreads(g), newQueue(g),
		newAgents(g), newPrompts(g), newModels(g), newTools(g),
		newCheck(g), newInit(g), newEnv(g), newEffects(g),
		newExec(g), newDoctor(g), newVersion(g),
	)
	return root
}
