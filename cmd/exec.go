package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox"
	"github.com/sideb-dev/sideb/sandbox/value"
)

type execOptions struct {
	*globals
	fn      string
	args    string
	imports []string
	memory  string
	timeout time.Duration
	json    bool
}

func newExec(g *globals) *cobra.Command {
	o := &execOptions{globals: g}
	c := &cobra.Command{
		Use:   "exec FILE",
		Short: "Run a TypeScript file in the sandbox",
		Long: `Run a TypeScript or JavaScript file in the same sandbox as a tool's runCode: a
process of its own without files, network and environment. The result is the
default export, or that of --fn, called with --args when it is a function. FILE
may be - for stdin. It needs no project and leaves no trace.`,
		Args: cobra.ExactArgs(1),
		RunE: action(o.run),
	}
	f := c.Flags()
	f.StringVar(&o.fn, "fn", "", "`NAME` of the export to run (default: default)")
	f.StringVar(&o.args, "args", "", "arguments of the export, a `JSON` array")
	f.StringArrayVar(&o.imports, "import", nil, "module that the file may import, as `NAME=FILE`, such as ./util=util.ts")
	f.StringVar(&o.memory, "memory", "", "`SIZE` of memory it may use (default: 64 MiB; at most 512 MiB)")
	f.DurationVar(&o.timeout, "timeout", 0, "terminate it after this `DURATION` (default: never)")
	jsonFlag(c, &o.json)
	return c
}

func (o *execOptions) run(ctx context.Context, args []string) error {
	source, options, err := o.options(args[0])
	if err != nil {
		return err
	}
	e := sandbox.Run(ctx, source, options)
	defer e.Close()
	if o.timeout > 0 {
		timer := time.AfterFunc(o.timeout, func() { e.Terminate(fmt.Sprintf("it ran longer than %s", o.timeout)) })
		defer timer.Stop()
	}
	r, err := e.Wait(context.WithoutCancel(ctx)) // Run ends it with ctx
	if err != nil {
		return err
	}
	if err := o.print(r); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{code: exitInterrupted}
	case r.Status != sandbox.Success:
		return &exitError{code: exitFailed}
	}
	return nil
}

func (o *execOptions) options(file string) (string, sandbox.Options, error) {
	options := sandbox.Options{Execute: sandbox.Execute{Fn: o.fn}, Filename: filepath.Base(file), Modules: map[string]string{}, Packages: map[string]string{},
		Report: func(any) {}}
	source, err := o.source(file)
	if err != nil {
		return "", options, err
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".js", ".mjs":
		options.Language = sandbox.JavaScript
	}
	if file == "-" {
		options.Filename = "stdin.ts"
	}
	if o.memory != "" {
		n, err := humanize.ParseBytes(o.memory)
		if err != nil || n == 0 || n > 1<<50 {
			return "", options, usagef("--memory must be a size such as 64MiB, not %q", o.memory)
		}
		options.MemoryLimitBytes = int64(n)
	}
	if err := o.arguments(&options); err != nil {
		return "", options, err
	}
	return source, options, o.modules(&options)
}

func (o *execOptions) arguments(options *sandbox.Options) error {
	if o.args == "" {
		return nil
	}
	v, err := value.FromJSON([]byte(o.args), nil)
	list, ok := v.(*value.Array)
	if err != nil || !ok {
		return usagef("--args must be a JSON array such as '[1, \"two\"]'")
	}
	options.Execute.Args = list.Items
	return nil
}

// modules reads the files of --import.
func (o *execOptions) modules(options *sandbox.Options) error {
	for _, pair := range o.imports {
		name, file, ok := strings.Cut(pair, "=")
		if !ok || name == "" || file == "" {
			return usagef("--import must be NAME=FILE, not %q", pair)
		}
		text, err := readSource(file)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
			options.Modules[name] = text
		} else {
			options.Packages[name] = text
		}
	}
	return nil
}

func (o *execOptions) source(file string) (string, error) {
	if file == "-" {
		return o.readStdin()
	}
	return readSource(file)
}

func readSource(file string) (string, error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > sandbox.MaxSource {
		return "", engine.Errorf(engine.CodeInvalid, "read source", "%s has %s, more than %s", file, humanize.IBytes(uint64(info.Size())), humanize.IBytes(sandbox.MaxSource))
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", engine.Errorf(engine.CodeInvalid, "read source", "%w", err)
	}
	return string(b), nil
}

// execResult is what --json prints.
type execResult struct {
	Status     sandbox.Status    `json:"status"`
	Result     json.RawMessage   `json:"result,omitempty"` // tagged JSON
	Error      *sandbox.Error    `json:"error,omitempty"`
	Logs       []execLog         `json:"logs"`
	Reports    []json.RawMessage `json:"reports"`
	DurationMs float64           `json:"durationMs"`
}

type execLog struct {
	Level     string            `json:"level"`
	Args      []json.RawMessage `json:"args"`
	Timestamp int64             `json:"timestamp"`
}

func (o *execOptions) print(r *sandbox.Result) error {
	if o.json {
		return o.printJSON(r)
	}
	for _, l := range r.Logs {
		var words []string
		for _, a := range l.Args {
			words = append(words, shown(a))
		}
		fmt.Fprintln(o.Err, strings.Join(words, " "))
	}
	if r.Err != nil {
		fmt.Fprintln(o.Err, execErrorLine(r))
		return nil
	}
	if _, none := r.Value.(value.Undefined); !none {
		fmt.Fprintln(o.Out, shown(r.Value))
	}
	return nil
}

func execErrorLine(r *sandbox.Result) string {
	place := ""
	if r.Err.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d: ", r.Err.Filename, r.Err.Line, r.Err.Column)
	}
	return fmt.Sprintf("%s%s: %s", place, r.Err.Name, r.Err.Message)
}

// shown is a value for people: a string as it is, else tagged JSON.
func shown(v any) string {
	if s, ok := v.(string); ok {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return string(taggedJSON(v))
}

func taggedJSON(v any) json.RawMessage {
	raw, err := value.AppendJSON(nil, v, "result", names{})
	if err != nil {
		raw, _ = json.Marshal("[" + err.Error() + "]") // a string always marshals
	}
	return raw
}

// names prints functions: they can't be called from a shell.
type names struct{}

func (names) Handle(*value.Func) (uint64, bool)        { return 0, false }
func (names) Remote(_ uint64, name string) *value.Func { return &value.Func{Name: name} }
func (names) Own(uint64) *value.Func                   { return nil }

func (o *execOptions) printJSON(r *sandbox.Result) error {
	out := execResult{Status: r.Status, Error: r.Err, Logs: []execLog{}, Reports: tagged(r.Reports), DurationMs: float64(r.Duration.Microseconds()) / 1000}
	if r.Err == nil {
		out.Result = taggedJSON(r.Value)
	}
	for _, l := range r.Logs {
		out.Logs = append(out.Logs, execLog{Level: l.Level, Args: tagged(l.Args), Timestamp: l.Timestamp})
	}
	return printJSON(o.Out, out)
}

func tagged(list []any) []json.RawMessage {
	out := []json.RawMessage{}
	for _, v := range list {
		out = append(out, taggedJSON(v))
	}
	return out
}
