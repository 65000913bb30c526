package engine

// hand adds to c the copies of files of one thread to another, and returns what
// they are there (runtime §8).
func (e *Engine) hand(c *Commit, from ThreadID, to *Thread, files []FileRecord) []Attachment {
	var refs []Attachment
	for i := range files {
		f := files[i]
		op := FileOp{Kind: FileCopy, Thread: to.ID, Path: e.copyPath(f.Name, f.MimeType), Source: from, From: f.Path}
		c.Files, c.Events = append(c.Files, op), append(c.Events, op.event(to))
		f.Path = op.Path
		refs = append(refs, e.reference(&f))
	}
	return refs
}

// pin keeps files where they are until c, which copies them, is durable.
func (x *execution) pin(c *Commit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range c.Files {
		if op := &c.Files[i]; op.Kind == FileCopy && op.Source == x.snap.thread.ID {
			if x.pins == nil {
				x.pins = map[string]bool{}
			}
			x.pins[op.From] = true
		}
	}
}

// unpinLocked does so once it is.
func (x *execution) unpinLocked(c *Commit) {
	for i := range c.Files {
		if c.Files[i].Kind == FileCopy {
			delete(x.pins, c.Files[i].From)
		}
	}
}

func (x *execution) checkPins(path string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	for p := range x.pins {
		if below(p, path) {
			return Errorf(CodeBusy, "change file", "%s is being copied to a subagent; change it when that call is done", p)
		}
	}
	return nil
}
