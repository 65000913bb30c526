package storage

import (
	"github.com/sideb-dev/sideb/engine"
)

// checkFiles fails with CodeInvalid where a path isn't in its one form: it would
// be another file than the one that is meant.
func checkFiles(ops []engine.FileOp) error {
	for i := range ops {
		paths := []string{ops[i].Path}
		if ops[i].Kind == engine.FileMove || ops[i].Kind == engine.FileCopy {
			paths = append(paths, ops[i].From)
		}
		for _, p := range paths {
			clean, err := engine.CleanPath(p)
			if err != nil {
				return err
			}
			if clean != p || p == "/" {
				return engine.Errorf(engine.CodeInvalid, "change files", "%q isn't the clean path of a file", p)
			}
		}
	}
	return nil
}

// applyFiles changes files, in the order of the list.
func (ch *change) applyFiles(t *tx, _ *threadRow) error {
	for i := range ch.Files {
		op := &ch.Files[i]
		r, err := t.thread(op.Thread)
		if err != nil {
			return err
		}
		w := fileWriter{t: t, thread: r.num, now: int64(t.s.timeOf(ch.Now)) / 1000}
		if err := w.do(op); err != nil {
			return err
		}
	}
	return nil
}

// fileWriter changes the files of one thread.
type fileWriter struct {
	t      *tx
	thread int64
	now    int64 // milliseconds
}

func (w *fileWriter) do(op *engine.FileOp) error {
	switch op.Kind {
	case engine.FilePut:
		return w.put(op)
	case engine.FileMkdir:
		return w.mkdir(op.Path)
	case engine.FileRemove:
		return w.remove(op.Path)
	case engine.FileRmdir:
		return w.rmdir(op.Path)
	case engine.FileMove:
		return w.move(op.From, op.Path)
	case engine.FileCopy:
		return w.copy(op)
	default:
		return engine.Errorf(engine.CodeInvalid, "change files", "there is no change %q", op.Kind)
	}
}

func (w *fileWriter) find(p string) (*fileRow, error) { return findFile(w.t.c, w.thread, p) }

// put writes a file whole.
func (w *fileWriter) put(op *engine.FileOp) error {
	num, err := w.t.c.insert(`INSERT INTO file_contents DEFAULT VALUES`)
	if err != nil {
		return err
	}
	for at := 0; at < len(op.Data); at += engine.FileChunk {
		data := op.Data[at:min(at+engine.FileChunk, len(op.Data))]
		if _, err := w.t.c.exec(`INSERT INTO file_chunks (content, chunk, data) VALUES (?, ?, ?)`, num, at/engine.FileChunk, data); err != nil {
			return err
		}
	}
	f := op.File
	f.Content, f.Size = engine.ContentID(num), int64(len(op.Data))
	return w.place("write file", op.Path, &f)
}

// place gives a content the path p, in place of the file that was there.
func (w *fileWriter) place(op, p string, f *engine.FileRecord) error {
	old, err := w.find(p)
	switch {
	case err != nil:
		return err
	case old != nil && old.IsDirectory:
		return isDirectory(op, p)
	case old != nil:
		_, err = w.t.c.exec(`UPDATE files SET content = ?, mime = ?, size = ?, width = ?, height = ?, metadata = ?, updated = ? WHERE num = ?`,
			int64(f.Content), f.MimeType, f.Size, f.Width, f.Height, textOrNil(f.Metadata), w.now, old.num)
		return err
	}
	dir, name := splitPath(p)
	if err := w.mkdir(dir); err != nil {
		return err
	}
	_, err = w.t.c.exec(`INSERT INTO files (thread, dir, name, content, mime, size, width, height, metadata, created, updated)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, w.thread, dir, name,
		int64(f.Content), f.MimeType, f.Size, f.Width, f.Height, textOrNil(f.Metadata), w.now, w.now)
	return err
}

// mkdir makes a directory with those that it is in.
func (w *fileWriter) mkdir(p string) error {
	f, err := w.find(p)
	switch {
	case err != nil:
		return err
	case f != nil && !f.IsDirectory:
		return notDirectory("make directory", p)
	case f != nil:
		return nil
	}
	dir, name := splitPath(p)
	if err := w.mkdir(dir); err != nil {
		return err
	}
	_, err = w.t.c.exec(`INSERT INTO files (thread, dir, name, mime, size, width, height, created, updated) VALUES (?, ?, ?, '', 0, 0, 0, ?, ?)`,
		w.thread, dir, name, w.now, w.now)
	return err
}

func (w *fileWriter) remove(p string) error {
	const op = "remove file"
	f, err := w.find(p)
	switch {
	case err != nil:
		return err
	case f == nil:
		return noFile(op, p)
	case f.IsDirectory:
		return engine.Errorf(engine.CodeConflict, op, "%s is a directory; remove it as one", p)
	}
	return w.drop(f)
}

func (w *fileWriter) drop(f *fileRow) error {
	_, err := w.t.c.exec(`DELETE FROM files WHERE num = ?`, f.num)
	return err
}

func (w *fileWriter) rmdir(p string) error {
	const op = "remove directory"
	f, err := w.find(p)
	switch {
	case err != nil:
		return err
	case f == nil:
		return engine.Errorf(engine.CodeNotFound, op, "there is no directory %s", p)
	case !f.IsDirectory:
		return notDirectory(op, p)
	}
	n, err := w.t.c.integer(`SELECT count(*) FROM files WHERE thread = ? AND dir = ?`, w.thread, p)
	if err != nil {
		return err
	}
	if n > 0 {
		return engine.Errorf(engine.CodeConflict, op, "the directory %s isn't empty: it has %d entries", p, n)
	}
	return w.drop(f)
}

// move gives a file or a whole directory another path.
func (w *fileWriter) move(from, to string) error {
	const op = "move file"
	f, err := w.find(from)
	if err != nil {
		return err
	}
	if f == nil {
		return noFile(op, from)
	}
	if from == to {
		return nil
	}
	if err := w.clear(op, f, to); err != nil {
		return err
	}
	dir, name := splitPath(to)
	if f.IsDirectory && (dir == from || len(dir) > len(from) && dir[:len(from)+1] == from+"/") {
		return engine.Errorf(engine.CodeConflict, op, "%s can't be moved into itself", from)
	}
	if err := w.mkdir(dir); err != nil {
		return err
	}
	if _, err := w.t.c.exec(`UPDATE files SET dir = ?, name = ?, updated = ? WHERE num = ?`, dir, name, w.now, f.num); err != nil {
		return err
	}
	if !f.IsDirectory {
		return nil
	}
	_, err = w.t.c.exec(`UPDATE files SET dir = ?2 || substr(dir, length(?3) + 1)
		WHERE thread = ?1 AND (dir = ?3 OR dir >= ?3 || '/' AND dir < ?3 || '0')`, w.thread, to, from)
	return err
}

// clear takes the file away that a moved file replaces.
func (w *fileWriter) clear(op string, f *fileRow, to string) error {
	there, err := w.find(to)
	switch {
	case err != nil || there == nil:
		return err
	case there.IsDirectory:
		return engine.Errorf(engine.CodeConflict, op, "there is a directory %s already", to)
	case f.IsDirectory:
		return engine.Errorf(engine.CodeConflict, op, "there is a file %s already; a directory can't replace it", to)
	}
	return w.drop(there)
}

// copy gives the content of another thread's file a path here too.
func (w *fileWriter) copy(op *engine.FileOp) error {
	const what = "copy file"
	source, err := w.t.thread(op.Source)
	if err != nil {
		return err
	}
	f, err := findFile(w.t.c, source.num, op.From)
	switch {
	case err != nil:
		return err
	case f == nil:
		return noFile(what, op.From)
	case f.IsDirectory:
		return isDirectory(what, op.From)
	}
	return w.place(what, op.Path, &f.FileRecord)
}
