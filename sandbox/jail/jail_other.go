//go:build !linux && !windows

package jail

import (
	"os"
	"runtime"
	"syscall"
)

// Attributes are none here: the child ends when its stdin does.
func Attributes(bool) *syscall.SysProcAttr { return nil }

// Jail is this process once it is confined.
type Jail struct{ Report Report }

// Confine takes from this process, for good, what it doesn't need: here that is
// core files and open files only.
func Confine(bool) *Jail {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 16, Max: 16})
	return &Jail{Report: Report{
		Platform:    runtime.GOOS + "/" + runtime.GOARCH,
		Environment: environment(),
		Filesystem:  Measure{Note: "no file functions exist in the sandbox, but nothing outside it forbids them"},
		Network:     Measure{Note: "no network functions exist in the sandbox, but nothing outside it forbids them"},
		Memory:      Measure{By: "a watch of the heap and of the resident memory, from inside"},
		Processes:   Measure{By: "ends when its input does"},
	}}
}

// LimitData does nothing here.
func (j *Jail) LimitData(int64) error { return nil }

// Bound does nothing here: the watch of the heap is all that there is.
func Bound(int64) error { return nil }

// Resident is the most memory that this process has had resident, in bytes.
func (j *Jail) Resident() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) << 10
}

// Cell is nothing here: the child confines itself.
type Cell struct{}

// Adopt does nothing here.
func Adopt(*os.Process, int64) (*Cell, error) { return &Cell{}, nil }

// Close does nothing here.
func (*Cell) Close() {}
