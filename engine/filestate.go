package engine

import (
	"context"
	"encoding/json"
	"strings"
)

// FileOptions are the options of writeFile. The size of an image that is known is
// read from its bytes; Width and Height are for others.
type FileOptions struct {
	Metadata json.RawMessage `json:"metadata"`
	Width    int             `json:"width"`
	Height   int             `json:"height"`
}

// FilePiece is one chunk of a file that is streamed.
type FilePiece struct {
	Data        []byte    `json:"data"`
	Index       int       `json:"index"`
	TotalChunks int       `json:"totalChunks"`
	IsLast      bool      `json:"isLast"`
	Content     ContentID `json:"content"` // to ask for the next piece of the same content
}

// WriteFile writes a file of the thread whole, in place of one that is there, and
// makes the directories that it is in. An empty mimeType is found out.
func (s *ThreadState) WriteFile(ctx context.Context, path string, data []byte, mimeType string, o FileOptions) (*FileRecord, error) {
	leave, err := s.f.enter("write file")
	if err != nil {
		return nil, err
	}
	defer leave()
	if path, err = filePath(path); err != nil {
		return nil, err
	}
	if err := checkWrite(path, data, mimeType, o); err != nil {
		return nil, err
	}
	x := s.f.x
	if err := x.e.checkRoom(ctx, x.snap.thread.ID, 1, int64(len(data))); err != nil {
		return nil, err
	}
	op := FileOp{Kind: FilePut, Path: path, Data: data, File: fileOf(path, mimeType, data)}
	op.File.Metadata = o.Metadata
	if string(o.Metadata) == "null" {
		op.File.Metadata = nil
	}
	if op.File.Width == 0 {
		op.File.Width, op.File.Height = o.Width, o.Height
	}
	return s.changeFile(ctx, op)
}

// fileOf is what is known of a file by its bytes.
func fileOf(path, mimeType string, data []byte) FileRecord {
	if mimeType = strings.TrimSpace(mimeType); mimeType == "" {
		mimeType = typeOf(path, data)
	}
	f := FileRecord{MimeType: mimeType, Size: int64(len(data))}
	f.Width, f.Height = imageSize(data)
	return f
}

func checkWrite(path string, data []byte, mimeType string, o FileOptions) error {
	const op = "write file"
	var object jsonObject
	switch {
	case o.Width < 0 || o.Height < 0:
		return Errorf(CodeInvalid, op, "the size of %s in pixels is negative", path)
	case len(mimeType) > MaxFileName || strings.ContainsFunc(mimeType, func(r rune) bool { return r < ' ' || r > '~' }):
		return Errorf(CodeInvalid, op, "%q is no media type", clip(mimeType, EventPreview))
	case len(o.Metadata) > MaxFileMetadata:
		return Errorf(CodeLimit, op, "the metadata of %s has %d bytes of JSON; the limit is %d", path, len(o.Metadata), MaxFileMetadata)
	case len(o.Metadata) > 0 && json.Unmarshal(o.Metadata, &object) != nil:
		return Errorf(CodeInvalid, op, "the metadata of %s isn't a JSON object", path)
	}
	return checkFileSize(path, len(data))
}

// changeFile commits one change of the thread's own files, and returns what is at
// its path then.
func (s *ThreadState) changeFile(ctx context.Context, op FileOp) (*FileRecord, error) {
	x := s.f.x
	op.Thread = x.snap.thread.ID
	gone := op.Path
	if op.Kind == FileMove {
		gone = op.From
	}
	if op.Kind == FileMove || op.Kind == FileRemove {
		if err := x.checkPins(gone); err != nil {
			return nil, err
		}
	}
	if err := x.record(ctx, &Commit{Files: []FileOp{op}, Events: []Event{op.event(&x.snap.thread)}}); err != nil {
		return nil, err
	}
	x.forgetImages()
	if op.Kind == FileRemove || op.Kind == FileRmdir {
		return nil, nil
	}
	return x.e.c.Store.File(ctx, op.Thread, op.Path)
}

// existing finds a file; nil where there is none.
func (s *ThreadState) existing(ctx context.Context, path string) (*FileRecord, error) {
	path, err := CleanPath(path)
	if err != nil {
		return nil, err
	}
	f, err := s.f.x.e.c.Store.File(ctx, s.f.x.snap.thread.ID, path)
	if err != nil && CodeOf(err) == CodeNotFound {
		return nil, nil
	}
	return f, err
}

// ReadFile reads a file whole; nil where there is none.
func (s *ThreadState) ReadFile(ctx context.Context, path string) ([]byte, error) {
	leave, err := s.f.enter("read file")
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := s.existing(ctx, path)
	if err != nil || f == nil {
		return nil, err
	}
	return s.f.x.e.c.Store.FileData(ctx, f, 0, f.Size)
}

// ReadFileStream reads one piece of a file, of FileChunk bytes but for the last;
// nil where there is no such file. The first has the index 0 and the content 0;
// for the next the content is that of the piece before, so that all are of one
// content: a file that is replaced meanwhile is an error.
func (s *ThreadState) ReadFileStream(ctx context.Context, path string, content ContentID, index int) (*FilePiece, error) {
	const op = "read file"
	leave, err := s.f.enter(op)
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := s.existing(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case content != 0 && (f == nil || f.Content != content):
		return nil, Errorf(CodeConflict, op, "%s was changed or removed while it was read", path)
	case f == nil:
		return nil, nil
	case index < 0 || index >= f.Chunks():
		return nil, Errorf(CodeInvalid, op, "%s has %d chunks, and no chunk %d", path, f.Chunks(), index)
	}
	data, err := s.f.x.e.c.Store.FileData(ctx, f, int64(index)*FileChunk, FileChunk)
	if err != nil {
		return nil, err
	}
	return &FilePiece{Data: data, Index: index, TotalChunks: f.Chunks(), IsLast: index == f.Chunks()-1, Content: f.Content}, nil
}

// StatFile finds a file or directory; nil where there is none.
func (s *ThreadState) StatFile(ctx context.Context, path string) (*FileRecord, error) {
	leave, err := s.f.enter("find file")
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.existing(ctx, path)
}

// ReaddirFile lists a directory by name.
func (s *ThreadState) ReaddirFile(ctx context.Context, path string) ([]FileRecord, error) {
	leave, err := s.f.enter("list directory")
	if err != nil {
		return nil, err
	}
	defer leave()
	if path, err = CleanPath(path); err != nil {
		return nil, err
	}
	return s.f.x.e.c.Store.Files(ctx, s.f.x.snap.thread.ID, path, false)
}

// MkdirFile makes a directory with those that it is in; one that is there stays.
func (s *ThreadState) MkdirFile(ctx context.Context, path string) (*FileRecord, error) {
	leave, err := s.f.enter("make directory")
	if err != nil {
		return nil, err
	}
	defer leave()
	if path, err = CleanPath(path); err != nil {
		return nil, err
	}
	x := s.f.x
	if f, err := s.existing(ctx, path); err != nil || f != nil && f.IsDirectory {
		return f, err
	}
	if err := x.e.checkRoom(ctx, x.snap.thread.ID, 1, 0); err != nil {
		return nil, err
	}
	return s.changeFile(ctx, FileOp{Kind: FileMkdir, Path: path})
}

// RmdirFile removes an empty directory.
func (s *ThreadState) RmdirFile(ctx context.Context, path string) error {
	return s.removeFile(ctx, FileRmdir, path)
}

// UnlinkFile removes a file.
func (s *ThreadState) UnlinkFile(ctx context.Context, path string) error {
	return s.removeFile(ctx, FileRemove, path)
}

func (s *ThreadState) removeFile(ctx context.Context, kind FileOpKind, path string) error {
	leave, err := s.f.enter("remove file")
	if err != nil {
		return err
	}
	defer leave()
	if path, err = CleanPath(path); err != nil {
		return err
	}
	if path == "/" {
		return Errorf(CodeConflict, "remove file", "/ is the root directory, which stays")
	}
	_, err = s.changeFile(ctx, FileOp{Kind: kind, Path: path})
	return err
}

// MoveFile gives a file or a whole directory another path. A file may replace a
// file; nothing replaces a directory.
func (s *ThreadState) MoveFile(ctx context.Context, from, to string) (*FileRecord, error) {
	leave, err := s.f.enter("move file")
	if err != nil {
		return nil, err
	}
	defer leave()
	if from, err = CleanPath(from); err != nil {
		return nil, err
	}
	if from == "/" {
		return nil, Errorf(CodeConflict, "move file", "/ is the root directory, which stays")
	}
	if to, err = filePath(to); err != nil {
		return nil, err
	}
	return s.changeFile(ctx, FileOp{Kind: FileMove, From: from, Path: to})
}

// FileStats counts the thread's files.
func (s *ThreadState) FileStats(ctx context.Context) (FileTotals, error) {
	leave, err := s.f.enter("count files")
	if err != nil {
		return FileTotals{}, err
	}
	defer leave()
	return s.f.x.e.c.Store.FileTotals(ctx, s.f.x.snap.thread.ID)
}

// FileThumbnail makes a small form of an image, PNG or JPEG; nil where the file
// isn't there or isn't an image that can be read. CodeLimit where its pixels would
// take too much memory.
func (s *ThreadState) FileThumbnail(ctx context.Context, path string) ([]byte, error) {
	leave, err := s.f.enter("make thumbnail")
	if err != nil {
		return nil, err
	}
	defer leave()
	f, err := s.existing(ctx, path)
	if err != nil || f == nil || f.IsDirectory {
		return nil, err
	}
	e := s.f.x.e
	head, err := e.c.Store.FileData(ctx, f, 0, 16)
	if err != nil || imageType(head) == "" {
		return nil, err
	}
	data, err := e.c.Store.FileData(ctx, f, 0, f.Size)
	if err != nil {
		return nil, err
	}
	e.thumbs.Lock() // one at a time: a decoded image may be large
	defer e.thumbs.Unlock()
	small, err := thumbnail(data)
	if err != nil && CodeOf(err) != CodeLimit {
		e.c.Logf("thread %s: thumbnail of %s: %v", s.f.x.snap.thread.ID, f.Path, err)
		return nil, nil
	}
	return small, err
}
