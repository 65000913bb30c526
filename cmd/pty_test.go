//go:build unix

package cmd

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is the real program at a pseudo terminal.
type terminal struct {
	t      *testing.T
	cmd    *exec.Cmd
	pty    *os.File
	chunks chan []byte
	seen   bytes.Buffer // since the last key
}

func startTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	c := exec.Command(exe)
	c.Args = append([]string{"sideb"}, args...)
	c.Dir = home
	c.Env = []string{"HOME=" + home, "TERM=xterm-256color", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	f, err := pty.StartWithSize(c, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, cmd: c, pty: f, chunks: make(chan []byte, 100)}
	go x.read()
	t.Cleanup(func() { _ = c.Process.Kill(); _ = f.Close() })
	return x
}

func (x *terminal) read() {
	defer close(x.chunks)
	for {
		b := make([]byte, 32<<10)
		n, err := x.pty.Read(b)
		if n > 0 {
			x.chunks <- b[:n]
		}
		if err != nil {
			return
		}
	}
}

// until waits for text on the screen.
func (x *terminal) until(text string) {
	x.t.Helper()
	late := time.After(patience)
	for !strings.Contains(x.seen.String(), text) {
		select {
		case b, ok := <-x.chunks:
			if !ok {
				x.t.Fatalf("the program ended before it showed %q:\n%q", text, x.seen.String())
			}
			x.seen.Write(b)
		case <-late:
			x.t.Fatalf("the screen never showed %q:\n%q", text, x.seen.String())
		}
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	x.seen.Reset()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// end waits for the program and returns its exit code and its last output.
func (x *terminal) end() (int, string) {
	x.t.Helper()
	for b := range x.chunks {
		x.seen.Write(b)
	}
	err := x.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		x.t.Fatal(err)
	}
	return x.cmd.ProcessState.ExitCode(), x.seen.String()
}

const leaveAltScreen = "\x1b[?1049l"

func TestTerminalConversation(t *testing.T) {
	x := startTerminal(t)
	x.until("tour")
	x.press("hello\r")
	x.until("Welcome")
	x.press("\x03")
	code, last := x.end()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(last, leaveAltScreen) {
		t.Errorf("the terminal isn't given back: %q", last)
	}
}

func TestTerminalIsWholeAfterSIGTERM(t *testing.T) {
	x := startTerminal(t, "chat", "tour")
	x.until("tour")
	x.seen.Reset()
	if err := x.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	code, last := x.end()
	if code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	if !strings.Contains(last, leaveAltScreen) {
		t.Errorf("the terminal isn't given back: %q", last)
	}
}

func TestTerminalUnknownAgentIsToldOnACleanScreen(t *testing.T) {
	x := startTerminal(t, "chat", "nobody")
	code, last := x.end()
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	if _, after, _ := strings.Cut(last, leaveAltScreen); !strings.Contains(after, "tour") {
		t.Errorf("the error doesn't list the agents: %q", last)
	}
}

func TestSecretIsAskedForUnseen(t *testing.T) {
	x := startTerminal(t, "env", "set", "--secret", "TOKEN")
	x.until("not shown")
	x.press("abc-hidden\r")
	code, last := x.end()
	if code != 0 || strings.Contains(last, "abc-hidden") {
		t.Errorf("exit code %d, screen %q", code, last)
	}
}
