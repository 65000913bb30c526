//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A watch shows what another process does, and leaves the terminal as it was.
func TestWatchFollowsARunOfAnotherProcess(t *testing.T) {
	x := startTerminal(t, "watch")
	x.until("no threads yet")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(exe)
	run.Args = []string{"sideb", "run", "studio", "write about the sea"}
	run.Dir, run.Env = x.cmd.Dir, x.cmd.Env
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "seven tenths") {
		t.Fatalf("run: %v\n%s", err, out)
	}
	x.until("writing_pair")
	x.press("q")
	if code, out := x.end(); code != 0 || !strings.Contains(out, "\x1b[?1049l") {
		t.Errorf("exit code %d: %q", code, out)
	}
}
