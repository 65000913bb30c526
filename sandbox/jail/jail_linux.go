package jail

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// openFiles is how many files a confined process may have open: its pipes and
// what the Go runtime polls them with.
const openFiles = 16

// Attributes are for starting a child that Confine will confine. It is killed
// when the thread that started it ends. With namespaces it has a network of its
// own, without any interface; where the system refuses that, start it without.
func Attributes(namespaces bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if !namespaces {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWNET | unix.CLONE_NEWIPC
	if os.Geteuid() != 0 {
		a.Cloneflags |= unix.CLONE_NEWUSER
	}
	return a
}

// Jail is this process once it is confined.
type Jail struct {
	Report Report
	status *os.File // of this process; opened before the filesystem is taken away
}

// Confine takes from this process, for good, what it doesn't need. It is called
// once, before the process reads what it doesn't trust.
func Confine(namespaces bool) *Jail {
	j := &Jail{Report: Report{Platform: runtime.GOOS + "/" + runtime.GOARCH, Environment: environment()}}
	r := &j.Report
	status, statusErr := os.Open("/proc/self/status")
	j.status = status
	limit := func(what int, n uint64) bool {
		return unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}) == nil
	}
	files := limit(unix.RLIMIT_NOFILE, openFiles) && limit(unix.RLIMIT_CORE, 0) && limit(unix.RLIMIT_FSIZE, 0)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // its memory isn't readable by others either
	abi, err := ll.LandlockGetABIVersion()
	if err == nil {
		err = landlock.V11.BestEffort().Restrict()
	}
	r.Filesystem = Measure{Note: "this kernel has no Landlock"}
	if err == nil && abi > 0 {
		r.Filesystem = Measure{Enforced: true, By: fmt.Sprintf("Landlock ABI %d, no path", abi)}
	}
	r.Network = network(namespaces, abi)
	r.Memory = Measure{Enforced: statusErr == nil, By: "RLIMIT_DATA and a watch of the heap"}
	r.Processes = Measure{Enforced: files && r.Filesystem.Enforced, By: "killed with its parent, can't execute files",
		Note: "system calls are not filtered"}
	return j
}

func network(namespaces bool, abi int) Measure {
	switch {
	case namespaces:
		return Measure{Enforced: true, By: "a network namespace without interfaces"}
	case abi >= 4:
		return Measure{By: "Landlock, TCP only", Note: "network namespaces are not permitted here"}
	}
	return Measure{Note: "neither network namespaces nor Landlock for TCP are available here"}
}

// LimitData bounds the memory of this process to extra bytes more than it has
// now. The bound may be changed again.
func (j *Jail) LimitData(extra int64) error {
	used, err := j.data()
	if err != nil {
		return err
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &now); err != nil {
		return err
	}
	now.Cur = min(used+uint64(extra), now.Max)
	return unix.Setrlimit(unix.RLIMIT_DATA, &now)
}

// Bound bounds the memory of this process, which isn't confined otherwise, to
// extra bytes more than it has now.
func Bound(extra int64) error {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return err
	}
	defer func() { _ = status.Close() }()
	return (&Jail{status: status}).LimitData(extra)
}

// data is how much of what RLIMIT_DATA counts this process has.
func (j *Jail) data() (uint64, error) {
	buf := make([]byte, 4096)
	n, err := j.status.ReadAt(buf, 0)
	if n == 0 {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(buf[:n]), "VmData:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, errors.New("the process's status has no VmData")
	}
	kib, err := strconv.ParseUint(fields[0], 10, 64)
	return kib << 10, err
}

// Resident is 0: LimitData suffices here.
func (j *Jail) Resident() int64 { return 0 }

// Cell is nothing here: the child confines itself.
type Cell struct{}

// Adopt does nothing here.
func Adopt(*os.Process, int64) (*Cell, error) { return &Cell{}, nil }

// Close does nothing here.
func (*Cell) Close() {}
