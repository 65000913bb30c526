package jail

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Attributes start the child without a window.
func Attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{HideWindow: true} }

// Jail is this process once it is confined.
type Jail struct{ Report Report }

// Confine reports what the parent has done with Adopt: a process can't leave its job.
func Confine(bool) *Jail {
	return &Jail{Report: Report{
		Platform:    runtime.GOOS + "/" + runtime.GOARCH,
		Environment: environment(),
		Filesystem:  Measure{Note: "no file functions exist in the sandbox, but nothing outside it forbids them"},
		Network:     Measure{Note: "no network functions exist in the sandbox, but nothing outside it forbids them"},
		Memory:      Measure{Enforced: true, By: "a job object and a watch of the heap"},
		Processes:   Measure{Enforced: true, By: "a job object of one process that ends with its parent"},
	}}
}

// LimitData does nothing here: the job has the limit.
func (j *Jail) LimitData(int64) error { return nil }

// Bound does nothing here: the watch of the heap is all that there is.
func Bound(int64) error { return nil }

// Resident is 0: the job has the limit.
func (j *Jail) Resident() int64 { return 0 }

// Cell is the job object of a child.
type Cell struct{ job windows.Handle }

// Adopt puts a child into a job of its own, before it is given anything: at most
// memory bytes, no children, and it ends when the Cell is closed or its parent ends.
func Adopt(child *os.Process, memory int64) (*Cell, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	c := &Cell{job: job}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE |
		windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS | windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY
	limits.BasicLimitInformation.ActiveProcessLimit = 1
	limits.ProcessMemoryLimit = uintptr(memory)
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = c.assign(child.Pid)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("confine a process in a job object: %w", err)
	}
	return c, nil
}

func (c *Cell) assign(pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(c.job, h)
}

// Close ends the child, if it lives.
func (c *Cell) Close() { _ = windows.CloseHandle(c.job) }
