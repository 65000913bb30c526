package storage

import (
	"testing"

	"github.com/sideb-dev/sideb/engine"
)

// TestContentGoesWithItsLastFile: bytes that no file has any more take no room.
func TestContentGoesWithItsLastFile(t *testing.T) {
	s := openHere(t, nil)
	commit := func(c engine.Commit) {
		t.Helper()
		if _, err := s.Commit(t.Context(), &c); err != nil {
			t.Fatal(err)
		}
	}
	chunks := func(want int64) {
		t.Helper()
		var n int64
		err := s.read(t.Context(), "count", func(c *conn) (err error) {
			n, err = c.integer(`SELECT count(*) FROM file_chunks`)
			return err
		})
		if err != nil || n != want {
			t.Fatalf("%d chunks are stored, not %d (%v)", n, want, err)
		}
	}
	put := func(thread engine.ThreadID, path string, size int) engine.FileOp {
		return engine.FileOp{Kind: engine.FilePut, Thread: thread, Path: path, Data: make([]byte, size)}
	}
	commit(engine.Commit{Create: []engine.Thread{{ID: "a", SessionID: "s"}, {ID: "b", SessionID: "s", ParentID: "a"}}})
	commit(engine.Commit{Files: []engine.FileOp{put("a", "/x", 2*engine.FileChunk), put("a", "/y", 1), put("b", "/z", 1)}})
	chunks(4)
	commit(engine.Commit{Files: []engine.FileOp{{Kind: engine.FileCopy, Thread: "b", Path: "/x", Source: "a", From: "/x"}}})
	chunks(4)
	commit(engine.Commit{Files: []engine.FileOp{put("a", "/x", 1)}})
	chunks(5)
	commit(engine.Commit{Files: []engine.FileOp{{Kind: engine.FileMove, Thread: "a", From: "/x", Path: "/y"}}})
	chunks(4)
	commit(engine.Commit{Files: []engine.FileOp{{Kind: engine.FileRemove, Thread: "b", Path: "/x"}}})
	chunks(2)
	commit(engine.Commit{Delete: []engine.ThreadID{"a"}})
	chunks(1)
	commit(engine.Commit{Delete: []engine.ThreadID{"b"}})
	chunks(0)
}
