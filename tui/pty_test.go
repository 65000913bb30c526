//go:build unix

package tui

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is the interface running in a process of its own on a pseudo-terminal.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	more *sync.Cond
	out  bytes.Buffer
	done bool
}

func startTerminal(t *testing.T, mode string) *terminal {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TUI_TEST_PROCESS="+mode, "TERM=xterm-256color")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	p := &terminal{t: t, cmd: cmd, tty: tty}
	p.more = sync.NewCond(&p.mu)
	go p.read()
	hung := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		hung.Stop()
		_ = cmd.Process.Kill()
		_ = tty.Close()
	})
	return p
}

func (p *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := p.tty.Read(buf)
		p.mu.Lock()
		p.out.Write(buf[:n])
		p.done = err != nil
		p.more.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await waits until text was written since the last await; it fails when the
// process ends before.
func (p *terminal) await(text string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if i := bytes.Index(p.out.Bytes(), []byte(text)); i >= 0 {
			p.out.Next(i + len(text))
			return
		}
		if p.done {
			p.t.Fatalf("the process ended without %q:\n%q", text, p.out.String())
		}
		p.more.Wait()
	}
}

func (p *terminal) write(s string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(s); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the process and returns its exit code and what it wrote last.
func (p *terminal) exit() (int, string) {
	err := p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.done {
		p.more.Wait()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), p.out.String()
	}
	return 0, p.out.String()
}

// whole checks that the terminal was given back.
func (p *terminal) whole(out string) {
	p.t.Helper()
	for what, seq := range map[string]string{
		"the alternate screen":   "\x1b[?1049l",
		"the mouse":              "\x1b[?1002l",
		"bracketed paste":        "\x1b[?2004l",
		"the cursor, it is gone": "\x1b[?25h",
	} {
		if !strings.Contains(out, seq) {
			p.t.Errorf("%s wasn't given back: %q", what, out)
		}
	}
}

func TestPtyChatAndLeave(t *testing.T) {
	p := startTerminal(t, "empty")
	p.await("write a message")
	p.write("hello\r")
	p.await("1.2k tok")
	p.write("\x03")
	code, out := p.exit()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	p.whole(out)
}

func TestPtyTerminalIsWholeAfterAPanic(t *testing.T) {
	p := startTerminal(t, "panic")
	p.await("write a message")
	p.write("go\r")
	code, out := p.exit()
	if code != 1 || !strings.Contains(out, "the fake was told to panic") {
		t.Errorf("exit code %d: %q", code, out)
	}
	p.whole(out)
}

func TestPtyTerminalIsWholeAfterSIGTERM(t *testing.T) {
	p := startTerminal(t, "slow")
	p.await("write a message")
	p.write("go\r")
	p.await("two three")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, out := p.exit()
	p.whole(out)
}
