package engine

import (
	"context"
	"encoding/json"
	"fmt"
)

// FileRecord is one file or directory of a thread (authoring surface §12.5). Size
// is in bytes, Width and Height are an image's in pixels, times are in
// milliseconds since the Unix epoch.
type FileRecord struct {
	Path        string          `json:"path"`
	Name        string          `json:"name"`
	MimeType    string          `json:"mimeType"`
	Storage     string          `json:"storage"` // "local"
	Size        int64           `json:"size"`
	IsDirectory bool            `json:"isDirectory"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	Width       int             `json:"width,omitempty"`
	Height      int             `json:"height,omitempty"`
	CreatedAt   int64           `json:"createdAt"`
	UpdatedAt   int64           `json:"updatedAt"`
	Content     ContentID       `json:"-"` // what its bytes are now; never used again for others
}

// StorageLocal is where all files are: in the store itself.
const StorageLocal = "local"

// Chunks is how many pieces of FileChunk bytes a file has; an empty file has one,
// which is empty.
func (f *FileRecord) Chunks() int { return int(max(1, (f.Size+FileChunk-1)/FileChunk)) }

// FileTotals is what a thread's files come to; Size is in bytes.
type FileTotals struct {
	Files       int   `json:"fileCount"`
	Directories int   `json:"directoryCount"`
	Size        int64 `json:"totalSize"`
}

// FileStore reads the files of threads; Commit.Files changes them. Paths are as
// CleanPath gives them.
type FileStore interface {
	// File finds a file or directory; CodeNotFound where there is none. The root
	// "/" is always there.
	File(ctx context.Context, thread ThreadID, path string) (*FileRecord, error)
	// Files lists a directory by name, or with deep everything below it by path.
	// A file in place of the directory is CodeConflict.
	Files(ctx context.Context, thread ThreadID, dir string, deep bool) ([]FileRecord, error)
	// FileData reads n bytes from at, fewer at the end. CodeNotFound where the
	// content that f had isn't there any more: it was replaced or removed.
	FileData(ctx context.Context, f *FileRecord, at, n int64) ([]byte, error)
	// FileTotals counts what a thread has.
	FileTotals(ctx context.Context, thread ThreadID) (FileTotals, error)
}

// FileOpKind is what a FileOp does.
type FileOpKind string

const (
	FilePut    FileOpKind = "put"    // writes Path whole; a file that is there is replaced and keeps its creation time
	FileMkdir  FileOpKind = "mkdir"  // makes the directory Path; one that is there stays
	FileRemove FileOpKind = "remove" // removes the file Path
	FileRmdir  FileOpKind = "rmdir"  // removes the directory Path, which must be empty
	FileMove   FileOpKind = "move"   // gives From, a file or a whole directory, the path Path; a file may replace a file
	FileCopy   FileOpKind = "copy"   // copies the file From of the thread Source to Path
)

// FileOp is one change of the files of Thread. Directories on the way to Path are
// made. What isn't there fails the commit with CodeNotFound, and a file where a
// directory would have to be (or the other way round) with CodeConflict, so that
// no message ever names a path that nothing is behind.
type FileOp struct {
	Kind   FileOpKind
	Thread ThreadID
	Path   string
	From   string
	Source ThreadID   // of a copy: whose file From is
	File   FileRecord // of a put: type, size in pixels, metadata
	Data   []byte     // of a put
}

func (op *FileOp) event(t *Thread) Event {
	p := UpdatePayload{Kind: UpdateFile, Name: clip(op.Path, EventPreview), Text: string(op.Kind),
		Deleted: op.Kind == FileRemove || op.Kind == FileRmdir}
	return threadEvent(t, EventThreadUpdated, "", p)
}

// checkRoom applies the caps on a thread's files before size more bytes in n more
// files come.
func (e *Engine) checkRoom(ctx context.Context, thread ThreadID, n int, size int64) error {
	const op = "store file"
	totals, err := e.c.Store.FileTotals(ctx, thread)
	switch {
	case err != nil:
		return err
	case totals.Files+totals.Directories+n > MaxFiles:
		return Errorf(CodeLimit, op, "the thread has %d files and directories; the limit is %d, so remove some first", totals.Files+totals.Directories, MaxFiles)
	case totals.Size+size > MaxFilesSize:
		return Errorf(CodeLimit, op, "the thread's files have %d bytes and %d more would pass the limit of %d; remove some first", totals.Size, size, MaxFilesSize)
	}
	return nil
}

func checkFileSize(path string, size int) error {
	if size > MaxFileSize {
		return Errorf(CodeLimit, "store file", "%s would have %d bytes; the limit for one file is %d", path, size, MaxFileSize)
	}
	return nil
}

// describeFile is one line about a file for people and models.
func describeFile(path, mimeType string, size int64, width, height int) string {
	s := fmt.Sprintf("%s (%s, %d bytes", path, mimeType, size)
	if width > 0 && height > 0 {
		s += fmt.Sprintf(", %d×%d pixels", width, height)
	}
	return s + ")"
}
