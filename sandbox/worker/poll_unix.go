//go:build unix

package worker

import (
	"os"
	"syscall"
)

// polled makes reads of f wait in the runtime's poller. A read that blocks its
// thread would keep the processor from the goroutine that the last frame woke.
func polled(f *os.File) *os.File {
	fd := int(f.Fd())
	if syscall.SetNonblock(fd, true) != nil {
		return f
	}
	return os.NewFile(uintptr(fd), f.Name())
}
