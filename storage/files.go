package storage

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

const fileColumns = `f.num, f.dir, f.name, f.content, f.mime, f.size, f.width, f.height, f.metadata, f.created, f.updated`

// fileRow is a row of files; num is 0 for the root directory, which has none.
type fileRow struct {
	num int64
	engine.FileRecord
}

func scanFile(r row) fileRow {
	f := fileRow{num: r.int(0), FileRecord: engine.FileRecord{
		Path: path.Join(r.text(1), r.text(2)), Name: r.text(2), Storage: engine.StorageLocal, IsDirectory: r[3] == nil,
		Content: engine.ContentID(r.int(3)), MimeType: r.text(4), Size: r.int(5), Width: int(r.int(6)), Height: int(r.int(7)),
		Metadata: r.blob(8), CreatedAt: r.int(9), UpdatedAt: r.int(10)}}
	return f
}

func rootDir() *fileRow {
	return &fileRow{FileRecord: engine.FileRecord{Path: "/", Storage: engine.StorageLocal, IsDirectory: true}}
}

// findFile reads the row of a path, nil where there is none.
func findFile(c *conn, thread int64, p string) (f *fileRow, err error) {
	if p == "/" {
		return rootDir(), nil
	}
	dir, name := splitPath(p)
	_, err = c.one(`SELECT `+fileColumns+` FROM files f WHERE f.thread = ? AND f.dir = ? AND f.name = ?`, func(r row) error {
		row := scanFile(r)
		f = &row
		return nil
	}, thread, dir, name)
	return f, err
}

func splitPath(p string) (dir, name string) { return path.Dir(p), path.Base(p) }

func noFile(op, p string) error {
	return engine.Errorf(engine.CodeNotFound, op, "there is no file %s", p)
}

func isDirectory(op, p string) error {
	return engine.Errorf(engine.CodeConflict, op, "%s is a directory", p)
}

func notDirectory(op, p string) error {
	return engine.Errorf(engine.CodeConflict, op, "%s is a file, not a directory", p)
}

// threadOf finds the number of a thread for a read.
func threadOf(c *conn, op string, id engine.ThreadID) (int64, error) {
	num, err := c.integer(`SELECT num FROM threads WHERE id = ?`, string(id))
	if err == nil && num == 0 {
		err = notThere(op, id)
	}
	return num, err
}

// File finds a file or directory of a thread.
func (s *Store) File(ctx context.Context, thread engine.ThreadID, p string) (*engine.FileRecord, error) {
	const op = "find file"
	var f *fileRow
	err := s.read(ctx, op, func(c *conn) error {
		num, err := threadOf(c, op, thread)
		if err == nil {
			f, err = findFile(c, num, p)
		}
		if err == nil && f == nil {
			err = noFile(op, p)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &f.FileRecord, nil
}

// Files lists a directory, or with deep everything below it.
func (s *Store) Files(ctx context.Context, thread engine.ThreadID, dir string, deep bool) ([]engine.FileRecord, error) {
	const op = "list directory"
	var list []engine.FileRecord
	err := s.readTogether(ctx, op, func(c *conn) error {
		num, err := threadOf(c, op, thread)
		if err != nil {
			return err
		}
		f, err := findFile(c, num, dir)
		switch {
		case err != nil:
			return err
		case f == nil:
			return engine.Errorf(engine.CodeNotFound, op, "there is no directory %s", dir)
		case !f.IsDirectory:
			return notDirectory(op, dir)
		}
		where, args := `f.dir = ?`, []any{num, dir}
		if deep {
			where, args = belowDir(num, dir)
		}
		return c.query(`SELECT `+fileColumns+` FROM files f WHERE f.thread = ? AND `+where+` ORDER BY f.dir, f.name`, func(r row) error {
			list = append(list, scanFile(r).FileRecord)
			return nil
		}, args...)
	})
	if deep {
		slices.SortFunc(list, func(a, b engine.FileRecord) int { return strings.Compare(a.Path, b.Path) })
	}
	return list, err
}

// belowDir selects what is in a directory or deeper. The bounds are those of the
// texts that begin with the path and a slash: '0' follows '/'.
func belowDir(thread int64, dir string) (string, []any) {
	if dir == "/" {
		return `f.dir >= ?`, []any{thread, "/"}
	}
	return `(f.dir = ?2 OR f.dir >= ?3 AND f.dir < ?4)`, []any{thread, dir, dir + "/", dir + "0"}
}

// FileData reads a range of a file's bytes.
func (s *Store) FileData(ctx context.Context, f *engine.FileRecord, at, n int64) ([]byte, error) {
	const op = "read file"
	if f.IsDirectory {
		return nil, isDirectory(op, f.Path)
	}
	if at < 0 || n < 0 {
		return nil, engine.Errorf(engine.CodeInvalid, op, "the range begins or ends before the file")
	}
	n = max(0, min(n, f.Size-at))
	data := make([]byte, 0, n)
	err := s.readTogether(ctx, op, func(c *conn) error {
		there, err := c.integer(`SELECT 1 FROM file_contents WHERE num = ?`, int64(f.Content))
		if err != nil || n == 0 && there != 0 {
			return err
		}
		if there == 0 {
			return engine.Errorf(engine.CodeNotFound, op, "%s was changed or removed while it was read", f.Path)
		}
		first, last := at/engine.FileChunk, (at+n-1)/engine.FileChunk
		return c.query(`SELECT chunk, data FROM file_chunks WHERE content = ? AND chunk BETWEEN ? AND ? ORDER BY chunk`, func(r row) error {
			b, begin := r.blob(1), int64(0)
			if r.int(0) == first {
				begin = at - first*engine.FileChunk
			}
			data = append(data, b[min(begin, int64(len(b))):]...)
			return nil
		}, int64(f.Content), first, last)
	})
	if err != nil {
		return nil, err
	}
	if int64(len(data)) < n {
		return nil, engine.Errorf(engine.CodeCorrupt, op, "%s is stored with %d bytes too few", f.Path, n-int64(len(data)))
	}
	return data[:n], nil
}

// FileTotals counts what a thread has.
func (s *Store) FileTotals(ctx context.Context, thread engine.ThreadID) (totals engine.FileTotals, err error) {
	err = s.read(ctx, "count files", func(c *conn) error {
		const query = `SELECT count(content), count(*) - count(content), ifnull(sum(size), 0)
			FROM files WHERE thread = (SELECT num FROM threads WHERE id = ?)`
		_, err := c.one(query, func(r row) error {
			totals = engine.FileTotals{Files: int(r.int(0)), Directories: int(r.int(1)), Size: r.int(2)}
			return nil
		}, string(thread))
		return err
	})
	return totals, err
}
