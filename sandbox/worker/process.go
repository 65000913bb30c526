package worker

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// process is a worker process from outside.
type process struct {
	out    *frameWriter
	done   chan struct{}
	child  *os.Process
	killed atomic.Bool
}

// startProcess starts the executable as a worker. handle is called with each of
// its frames on one goroutine; ended once, when the process is gone and all of
// its frames have been handled, before done is closed.
func startProcess(o Options, kind string, handle func(frame) error, ended func(*Died)) (*process, error) {
	return startProcessAs(launch{exe: o.Exe, dir: o.Dir, args: []string{kind}, env: o.Env, sys: attributes(), maxFrame: maxFrame}, handle, ended)
}

// launch is how a worker is started.
type launch struct {
	exe, dir string
	args     []string // after Arg
	env      []string
	sys      *syscall.SysProcAttr
	maxFrame int // a longer one from the worker ends it
}

func startProcessAs(l launch, handle func(frame) error, ended func(*Died)) (*process, error) {
	cmd := exec.Command(l.exe, append([]string{Arg}, l.args...)...)
	cmd.Dir = l.dir
	cmd.Env = append(baseEnv(), l.env...)
	cmd.SysProcAttr = l.sys
	tail := &tail{}
	cmd.Stderr = tail
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &process{out: &frameWriter{out: in}, done: make(chan struct{})}
	started, read := make(chan error), make(chan struct{})
	go func() {
		// The system kills the child when the thread that started it ends: so
		// this thread stays until the child is gone. It does nothing else, since
		// a goroutine that is bound to a thread is slow to wake.
		runtime.LockOSThread()
		err := cmd.Start()
		p.child = cmd.Process
		started <- err
		if err != nil {
			return
		}
		<-read
		err = cmd.Wait()
		ended(&Died{Reason: reason(err, p.killed.Load(), tail.String()), Stderr: tail.String()})
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	go func() {
		defer close(read)
		if broken := readFramesUpTo(out, l.maxFrame, handle); broken != io.EOF && broken != io.ErrUnexpectedEOF {
			p.kill() // it speaks nonsense
		}
	}()
	return p, nil
}

func (p *process) kill() {
	p.killed.Store(true)
	_ = p.child.Kill() // fails only when it has ended already
}

// baseEnv is what the Go runtime of a worker needs.
func baseEnv() []string {
	env := []string{"GOTRACEBACK=single"}
	if root, ok := os.LookupEnv("SYSTEMROOT"); ok && runtime.GOOS == "windows" {
		env = append(env, "SYSTEMROOT="+root) // sockets don't work without it
	}
	return env
}

// reason says in one line why the process ended.
func reason(err error, killed bool, stderr string) string {
	exit, _ := err.(*exec.ExitError)
	switch {
	case strings.Contains(stderr, "stack exceeds"), strings.Contains(stderr, "stack overflow"):
		return "the stack overflowed: code or data is nested too deeply"
	case strings.Contains(stderr, "out of memory"), strings.Contains(stderr, "cannot allocate memory"):
		return "out of memory"
	case killed:
		return "it was killed"
	case err == nil:
		return "it exited"
	case strings.Contains(err.Error(), "signal: killed"):
		return "the system killed it, perhaps for want of memory"
	case exit != nil && exit.ExitCode() >= 0 && stderr != "":
		line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
		return fmt.Sprintf("it exited with code %d: %s", exit.ExitCode(), line)
	default:
		return err.Error()
	}
}

const (
	tailHead = 4 << 10
	tailSize = 64 << 10
)

// tail keeps the first 4 KB and the last 60 KB of what is written to it: a crash
// says why at the start.
type tail struct {
	mu   sync.Mutex
	head []byte
	rest []byte
	cut  bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if room := tailHead - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head, b = append(t.head, b[:k]...), b[k:]
	}
	t.rest = append(t.rest, b...)
	if over := len(t.rest) - (tailSize - tailHead); over > 0 {
		t.rest, t.cut = append([]byte(nil), t.rest[over:]...), true
	}
	return n, nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut {
		return string(t.head) + "\n…\n" + string(t.rest)
	}
	return string(t.head) + string(t.rest)
}
