package worker

import "syscall"

// attributes make the kernel kill the worker when its host dies, however it dies.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
