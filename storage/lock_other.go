//go:build !unix

package storage

func isNoLocks(error) bool { return false }
