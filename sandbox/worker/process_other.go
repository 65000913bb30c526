//go:build !linux

package worker

import "syscall"

// attributes are none: the worker ends when its stdin does.
func attributes() *syscall.SysProcAttr { return nil }
