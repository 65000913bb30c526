package cmd

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tidwall/gjson"

	"github.com/sideb-dev/sideb/sandbox/worker"
)

// patience ends a test that waits for what never comes.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	worker.MainIfAsked()
	testscript.Main(m, map[string]func(){
		"sideb": func() { os.Exit(Main()) },
	})
}

// TestScripts runs testdata/script/*.txt against the real program: the commands,
// their exit codes and the shapes of their JSON. Besides testscript's own
// commands there are:
//
//	exits CODE PROGRAM ARG…    run it and demand this exit code
//	json PATH [VALUE]          demand a value (or only existence) in stdout
//	keys PATH NAME…            demand exactly these keys of an object in stdout
//	lines PATH VALUE           some line of stdout has this value
//	grab VARIABLE PATH         set a variable from stdout
//	openai FILE                serve FILE's answers as an OpenAI-compatible server
//	held · release             wait until the server holds a request; let it go
//	requests N · visits N      demand that the server had N requests for answers, for its page
//	start NAME ARG…            run sideb in the background
//	signal NAME INT|TERM|KILL  send it a signal
//	finish NAME CODE           wait for it; its output is NAME.out and NAME.err
//
// PATH is a gjson path; @this is the whole. Every script finds a copy of
// testdata/project as p.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    cmdExits,
			"json":     cmdJSON,
			"keys":     cmdKeys,
			"lines":    cmdLines,
			"grab":     cmdGrab,
			"openai":   cmdOpenAI,
			"held":     cmdHeld,
			"release":  cmdRelease,
			"requests": cmdRequests,
			"visits":   cmdVisits,
			"start":    cmdStart,
			"signal":   cmdSignal,
			"finish":   cmdFinish,
		},
	})
}

// scriptState is what one script has running.
type scriptState struct {
	server  *fakeOpenAI
	running map[string]*exec.Cmd
}

type stateKey struct{}

func setupScript(e *testscript.Env) error {
	st := &scriptState{running: map[string]*exec.Cmd{}}
	e.Values[stateKey{}] = st
	e.Defer(func() {
		for _, c := range st.running {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		if st.server != nil {
			st.server.close()
		}
	})
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	e.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	e.Setenv("XDG_RUNTIME_DIR", "")
	e.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(e.WorkDir, "p"), os.DirFS(filepath.Join("testdata", "project")))
}

func stateOf(ts *testscript.TestScript) *scriptState {
	return ts.Value(stateKey{}).(*scriptState)
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := codeOf(ts, ts.Exec(args[1], args[2:]...)); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func codeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return 0
}

func query(ts *testscript.TestScript, path string) gjson.Result {
	out := ts.ReadFile("stdout")
	if !gjson.Valid(out) {
		ts.Fatalf("stdout isn't JSON: %s", out)
	}
	return gjson.Get(out, path)
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 && len(args) != 2 {
		ts.Fatalf("usage: json PATH [VALUE]")
	}
	got := query(ts, args[0])
	if len(args) == 1 {
		if got.Exists() == neg {
			ts.Fatalf("%s exists: %v", args[0], got.Exists())
		}
		return
	}
	if (asText(got) == args[1]) == neg {
		ts.Fatalf("%s is %s, wanted %s", args[0], asText(got), args[1])
	}
}

// asText is a JSON value as scripts write it: strings bare, null as null.
func asText(r gjson.Result) string {
	switch {
	case !r.Exists():
		return "(missing)"
	case r.Type == gjson.String:
		return r.Str
	default:
		return r.Raw
	}
}

func cmdKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keys PATH NAME…")
	}
	var got []string
	query(ts, args[0]).ForEach(func(k, _ gjson.Result) bool {
		got = append(got, k.Str)
		return true
	})
	want := slices.Clone(args[1:])
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		ts.Fatalf("keys of %s:\n got %v\nwant %v", args[0], got, want)
	}
}

func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: lines PATH VALUE")
	}
	found := false
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if !gjson.Valid(line) {
			ts.Fatalf("this line isn't JSON: %s", line)
		}
		found = found || asText(gjson.Get(line, args[0])) == args[1]
	}
	if found == neg {
		ts.Fatalf("a line with %s = %s: %v", args[0], args[1], found)
	}
}

func cmdGrab(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grab VARIABLE PATH")
	}
	v := query(ts, args[1])
	if !v.Exists() {
		ts.Fatalf("stdout has no %s", args[1])
	}
	ts.Setenv(args[0], v.String())
}

// passedOn are the variables that a program in the background gets of a script.
var passedOn = []string{
	"HOME", "PATH", "TMPDIR", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
	"SIDEB_DATA_DIR", "OPENAI_API_KEY", "OPENAI_BASE_URL", "SYSTEMROOT", "LOCALAPPDATA",
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME ARG…")
	}
	exe, err := os.Executable()
	ts.Check(err)
	c := exec.Command(exe)
	c.Args = append([]string{"sideb"}, args[1:]...)
	c.Dir = ts.MkAbs(".")
	for _, name := range passedOn {
		if v := ts.Getenv(name); v != "" {
			c.Env = append(c.Env, name+"="+v)
		}
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	defer errs.Close()
	c.Stdout, c.Stderr = out, errs
	ts.Check(c.Start())
	stateOf(ts).running[args[0]] = c
}

func background(ts *testscript.TestScript, name string) *exec.Cmd {
	c := stateOf(ts).running[name]
	if c == nil {
		ts.Fatalf("nothing called %s was started", name)
	}
	return c
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill}
	if neg || len(args) != 2 || signals[args[1]] == nil {
		ts.Fatalf("usage: signal NAME INT|TERM|KILL")
	}
	ts.Check(background(ts, args[0]).Process.Signal(signals[args[1]]))
}

func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: finish NAME CODE")
	}
	c := background(ts, args[0])
	delete(stateOf(ts).running, args[0])
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	err := c.Wait()
	late.Stop()
	ts.Logf("[%s]\n%s%s", args[0], ts.ReadFile(args[0]+".out"), ts.ReadFile(args[0]+".err"))
	if got := fmt.Sprint(codeOf(ts, err)); got != args[1] {
		ts.Fatalf("%s exited with %s, want %s", args[0], got, args[1])
	}
}
