package agents

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// fileArgs are the arguments of the methods that concern files, as glue/files.ts
// sends them.
type fileArgs struct {
	Path     string             `json:"path"`
	To       string             `json:"to"`
	Text     *string            `json:"text"` // content that is text
	Data     []byte             `json:"data"` // content that isn't
	MimeType string             `json:"mimeType"`
	Options  engine.FileOptions `json:"options"`
	Pattern  string             `json:"pattern"`
	Content  engine.ContentID   `json:"content"`
	Index    int                `json:"index"`
}

// fileMethod finds a method that concerns files; nil for any other.
func (h threadHost) fileMethod(ctx context.Context, method string) func(fileArgs) (any, error) {
	s := h.s
	switch method {
	case "writeFile":
		return func(a fileArgs) (any, error) { return h.writeFile(ctx, a) }
	case "readFile":
		return func(a fileArgs) (any, error) { return s.ReadFile(ctx, a.Path) }
	case "readFileStream":
		return func(a fileArgs) (any, error) { return s.ReadFileStream(ctx, a.Path, a.Content, a.Index) }
	case "statFile":
		return func(a fileArgs) (any, error) { return s.StatFile(ctx, a.Path) }
	case "readdirFile":
		return func(a fileArgs) (any, error) { return listed(s.ReaddirFile(ctx, a.Path)) }
	case "mkdirFile":
		return func(a fileArgs) (any, error) { return s.MkdirFile(ctx, a.Path) }
	case "rmdirFile":
		return func(a fileArgs) (any, error) { return nil, s.RmdirFile(ctx, a.Path) }
	case "unlinkFile":
		return func(a fileArgs) (any, error) { return nil, s.UnlinkFile(ctx, a.Path) }
	case "moveFile":
		return func(a fileArgs) (any, error) { return s.MoveFile(ctx, a.Path, a.To) }
	case "getFileStats":
		return func(fileArgs) (any, error) { return s.FileStats(ctx) }
	case "grepFiles":
		return func(a fileArgs) (any, error) { return s.GrepFiles(ctx, a.Pattern) }
	case "findFiles":
		return func(a fileArgs) (any, error) { return s.FindFiles(ctx, a.Pattern) }
	case "getFileThumbnail":
		return func(a fileArgs) (any, error) { return s.FileThumbnail(ctx, a.Path) }
	default:
		return nil
	}
}

func (h threadHost) writeFile(ctx context.Context, a fileArgs) (any, error) {
	data, mimeType := a.Data, a.MimeType
	if a.Text != nil {
		data = []byte(*a.Text)
	}
	return h.s.WriteFile(ctx, a.Path, data, mimeType, a.Options)
}

// listed is a list that is [] where nothing is in it.
func listed(files []engine.FileRecord, err error) (any, error) {
	if files == nil {
		files = []engine.FileRecord{}
	}
	return files, err
}
