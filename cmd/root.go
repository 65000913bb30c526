package cmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
)

// globals are the flags that every command has, and where it reads and writes.
type globals struct {
	*streams
	project string
	dataDir string
	noColor bool
	logFile string

	started bool // a command began: what fails from here on isn't usage
}

func newSideb(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "sideb",
		Short: "Run Standard Agents in your terminal",
		Long: `sideb runs Standard Agents in your terminal: chat with an agent as its side B,
or script a run from a shell.

Without a command it opens the terminal interface on the nearest project, or on
the built-in one.`,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			g.started = true
		},
		RunE: func(c *cobra.Command, _ []string) error {
			return openTUI(c.Context(), g, tuiTarget{})
		},
	}
	c.CompletionOptions.HiddenDefaultCmd = false
	f := c.PersistentFlags()
	f.StringVar(&g.project, "project", "", "project `DIR` (default: the nearest parent with agents/agents, else the built-in project)")
	f.StringVar(&g.dataDir, "data-dir", "", "data `DIR` (default: $SIDEB_DATA_DIR, else $XDG_DATA_HOME/sideb, else ~/.local/share/sideb)")
	f.BoolVar(&g.noColor, "no-color", false, "no colour")
	f.StringVar(&g.logFile, "log-file", "", "append diagnostics to `FILE`")
	return c
}

// jsonFlag binds --json.
func jsonFlag(c *cobra.Command, to *bool) {
	c.Flags().BoolVar(to, "json", false, "print JSON")
}

// action makes a RunE of a method that doesn't want the command itself.
func action(run func(context.Context, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return run(c.Context(), args) }
}

// color reports whether Out takes colour.
func (g *globals) color() bool {
	return g.OutTTY && !g.noColor && g.env("NO_COLOR") == "" && g.env("TERM") != "dumb"
}

// maxStdin bounds what is read from a pipe: far above any message, far below
// what would exhaust memory.
const maxStdin = 16 << 20

// readStdin reads all of stdin for `-`.
func (g *globals) readStdin() (string, error) {
	b, err := io.ReadAll(io.LimitReader(g.In, maxStdin+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxStdin {
		return "", usagef("stdin is longer than 16 MiB")
	}
	return string(b), nil
}

var errNoMessage = errors.New("the message is empty")

// message resolves a MESSAGE argument: `-` is stdin without its last newline.
func (g *globals) message(arg string) (string, error) {
	if arg != "-" {
		if arg == "" {
			return "", &usageError{err: errNoMessage}
		}
		return arg, nil
	}
	text, err := g.readStdin()
	if err != nil {
		return "", err
	}
	text = trimNewline(text)
	if text == "" {
		return "", &usageError{err: errNoMessage}
	}
	return text, nil
}

func trimNewline(s string) string {
	if n := len(s); n > 0 && s[n-1] == '\n' {
		s = s[:n-1]
	}
	if n := len(s); n > 0 && s[n-1] == '\r' {
		s = s[:n-1]
	}
	return s
}
