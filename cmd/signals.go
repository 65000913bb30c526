package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// interruptible makes a context that ends at the first SIGINT or SIGTERM. The
// second ends the process at once: by then the user has asked twice.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
