package engine

import "context"

// File finds a file or directory of a thread; CodeNotFound where there is none.
func (c *ControlPlane) File(ctx context.Context, thread ThreadID, path string) (*FileRecord, error) {
	path, err := CleanPath(path)
	if err != nil {
		return nil, err
	}
	return c.e.c.Store.File(ctx, thread, path)
}

// Files lists a directory of a thread by name, or everything below it by path.
func (c *ControlPlane) Files(ctx context.Context, thread ThreadID, dir string, deep bool) ([]FileRecord, error) {
	dir, err := CleanPath(dir)
	if err != nil {
		return nil, err
	}
	return c.e.c.Store.Files(ctx, thread, dir, deep)
}

// ReadFile gives a file's content to write, FileChunk bytes at a time.
func (c *ControlPlane) ReadFile(ctx context.Context, f *FileRecord, write func(chunk []byte) error) error {
	for at := int64(0); at < f.Size || at == 0; at += FileChunk {
		data, err := c.e.c.Store.FileData(ctx, f, at, FileChunk)
		if err != nil {
			return err
		}
		if err := write(data); err != nil {
			return err
		}
	}
	return nil
}
