package worker

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWorkerDoesNotOutliveAKilledHost(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	host := exec.Command(exe)
	host.Env = append(os.Environ(), hostEnv+"=1")
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	worker, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Skip("no pidfd: ", err)
	}
	defer unix.Close(worker)
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait() // it was killed
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(worker), Events: unix.POLLIN}}, 30_000)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n != 1 {
			t.Fatal("the worker lives on", err)
		}
		return
	}
}
