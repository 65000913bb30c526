package engine

import (
	"context"
	"strings"
	"testing"
)

// full is a store whose threads have so many files.
type full struct {
	Store
	totals FileTotals
}

func (s full) FileTotals(context.Context, ThreadID) (FileTotals, error) { return s.totals, nil }

func TestCapsOnFiles(t *testing.T) {
	room := func(totals FileTotals, n int, size int64) error {
		return New(Config{Store: full{totals: totals}}).checkRoom(t.Context(), "t", n, size)
	}
	for _, c := range []struct {
		what string
		err  error
		code Code
	}{
		{"as many as fit", room(FileTotals{Files: MaxFiles - 3, Directories: 1}, 2, 0), ""},
		{"one too many", room(FileTotals{Files: MaxFiles - 3, Directories: 1}, 3, 0), CodeLimit},
		{"as much as fits", room(FileTotals{Size: MaxFilesSize - 10}, 1, 10), ""},
		{"a byte too much", room(FileTotals{Size: MaxFilesSize - 10}, 1, 11), CodeLimit},
		{"the largest file", checkWrite("/f", make([]byte, MaxFileSize), "", FileOptions{}), ""},
		{"a larger file", checkWrite("/f", make([]byte, MaxFileSize+1), "", FileOptions{}), CodeLimit},
		{"large metadata", checkWrite("/f", nil, "", FileOptions{Metadata: []byte(`{"k":"` + strings.Repeat("x", MaxFileMetadata) + `"}`)}), CodeLimit},
		{"metadata that is no object", checkWrite("/f", nil, "", FileOptions{Metadata: []byte(`[1]`)}), CodeInvalid},
		{"a negative size", checkWrite("/f", nil, "", FileOptions{Width: -1}), CodeInvalid},
		{"a type of two lines", checkWrite("/f", nil, "text/plain\nx", FileOptions{}), CodeInvalid},
	} {
		if c.err == nil && c.code != "" || c.err != nil && CodeOf(c.err) != c.code {
			t.Errorf("%s: %v, want the code %q", c.what, c.err, c.code)
		}
	}
}

// Images are shown newest first as far as there is room, each loaded once.
func TestPicturesOfARequest(t *testing.T) {
	image := func(role Role, path string, size int64) *Message {
		return &Message{Role: role, Attachments: []Attachment{{Path: path, MimeType: "image/png", Size: size}}}
	}
	loads := map[string]int{}
	v := view{prompt: &Prompt{RecentImageThreshold: 6}, image: func(a *Attachment) []byte {
		loads[a.Path]++
		if a.Path == "/gone" {
			return nil
		}
		return make([]byte, a.Size)
	}}
	shown := v.pictures([]*Message{
		image(RoleUser, "/old", 10), image(RoleUser, "/big", MaxImageSize), image(RoleUser, "/small", 10), image(RoleUser, "/gone", 10),
		image(RoleAssistant, "/own", 10), image(RoleTool, "/huge", MaxImageSize+1), image(RoleUser, "/small", 10)})
	if len(shown) != 2 || shown["/small"] == nil || shown["/big"] == nil {
		t.Errorf("shown are %d images", len(shown))
	}
	if loads["/small"] != 1 || loads["/old"]+loads["/own"]+loads["/huge"] != 0 {
		t.Errorf("loaded: %v", loads)
	}
	v.prompt.RecentImageThreshold = 0
	if v.pictures([]*Message{image(RoleUser, "/small", 10)}) != nil {
		t.Error("an image is shown where none is to be")
	}
}
