package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/tui"
)

// attachFlag is the option --attach of the commands that submit a message.
type attachFlag struct{ files []string }

func (a *attachFlag) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&a.files, "attach", nil, "attach `FILE` to the message (may be given several times)")
}

// uploads reads the files.
func (a *attachFlag) uploads() ([]engine.Upload, error) {
	if len(a.files) > engine.MaxAttachments {
		return nil, usagef("a message takes at most %d attachments", engine.MaxAttachments)
	}
	var list []engine.Upload
	for _, name := range a.files {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, usagef("attach %s: %w", name, err)
		case !info.Mode().IsRegular():
			return nil, usagef("attach %s: it isn't a file", name)
		case info.Size() > engine.MaxFileSize:
			return nil, usagef("attach %s: it has %d bytes; the limit is %d", name, info.Size(), engine.MaxFileSize)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("attach %s: %w", name, err)
		}
		list = append(list, engine.Upload{Name: filepath.Base(name), Data: data})
	}
	return list, nil
}

// attachingBackend gives the first message that the interface submits the files.
type attachingBackend struct {
	tui.Backend

	mu      sync.Mutex
	uploads []engine.Upload
}

func (b *attachingBackend) SubmitTurn(ctx context.Context, in engine.SubmitTurn) (*engine.TurnRead, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	in.Uploads = append(in.Uploads, b.uploads...)
	turn, err := b.Backend.SubmitTurn(ctx, in)
	if err == nil {
		b.uploads = nil
	}
	return turn, err
}
