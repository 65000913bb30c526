package enginetest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

func put(thread engine.ThreadID, path, text string) engine.FileOp {
	return engine.FileOp{Kind: engine.FilePut, Thread: thread, Path: path, Data: []byte(text), File: engine.FileRecord{MimeType: "text/plain"}}
}

func (w *storeWorld) files(ops ...engine.FileOp) {
	w.Helper()
	w.commit(engine.Commit{Files: ops})
}

func (w *storeWorld) file(thread engine.ThreadID, path string) *engine.FileRecord {
	w.Helper()
	f, err := w.File(w.ctx, thread, path)
	if err != nil {
		w.Fatalf("File %s: %v", path, err)
	}
	return f
}

// content reads a whole file, "none" where there is none.
func (w *storeWorld) content(thread engine.ThreadID, path string) string {
	w.Helper()
	f, err := w.File(w.ctx, thread, path)
	if err != nil {
		wantCode(w.T, err, engine.CodeNotFound)
		return "none"
	}
	b, err := w.FileData(w.ctx, f, 0, f.Size)
	if err != nil {
		w.Fatalf("FileData %s: %v", path, err)
	}
	return string(b)
}

// tree lists everything of a thread, directories with a slash.
func (w *storeWorld) tree(thread engine.ThreadID, dir string, deep bool) string {
	w.Helper()
	list, err := w.Files(w.ctx, thread, dir, deep)
	if err != nil {
		w.Fatalf("Files %s: %v", dir, err)
	}
	var out []string
	for _, f := range list {
		p := f.Path
		if f.IsDirectory {
			p += "/"
		}
		out = append(out, p)
	}
	return strings.Join(out, " ")
}

func testFiles(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	op := put("t1", "/a/b/c.png", "hello")
	op.File = engine.FileRecord{MimeType: "image/png", Width: 3, Height: 4, Metadata: []byte(`{"k":[1]}`)}
	began := w.now
	w.files(op)
	f := w.file("t1", "/a/b/c.png")
	if f.Content == 0 || f.IsDirectory || string(f.Metadata) != `{"k":[1]}` {
		t.Fatalf("%+v", f)
	}
	f.Content, f.Metadata = 0, nil
	ms := began.UnixMilli()
	want := engine.FileRecord{Path: "/a/b/c.png", Name: "c.png", MimeType: "image/png", Storage: engine.StorageLocal, Size: 5,
		Width: 3, Height: 4, CreatedAt: ms, UpdatedAt: ms}
	equal(t, "record", fmt.Sprintf("%+v", *f), fmt.Sprintf("%+v", want))
	equal(t, "content", w.content("t1", "/a/b/c.png"), "hello")
	equal(t, "of another thread", w.content("t2", "/a/b/c.png"), "none")
	equal(t, "a parent is a directory", w.file("t1", "/a/b").IsDirectory, true)
	equal(t, "the root", w.file("t2", "/").IsDirectory, true)

	old := w.file("t1", "/a/b/c.png")
	w.now = w.now.Add(time.Minute)
	w.files(put("t1", "/a/b/c.png", ""))
	f = w.file("t1", "/a/b/c.png")
	equal(t, "replaced", fmt.Sprint(f.Size, f.MimeType, f.Width, f.CreatedAt, f.UpdatedAt), fmt.Sprint(0, "text/plain", 0, ms, ms+60_000))
	equal(t, "empty", w.content("t1", "/a/b/c.png"), "")
	_, err := w.FileData(w.ctx, old, 0, old.Size)
	wantCode(t, err, engine.CodeNotFound)

	w.files(put("t1", "/d", "12345678"))
	totals, err := w.FileTotals(w.ctx, "t1")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "totals", totals, engine.FileTotals{Files: 2, Directories: 2, Size: 8})
	w.close()
	w = w.second()
	equal(t, "after reopening", w.content("t1", "/d"), "12345678")
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t1"}})
	_, err = w.File(w.ctx, "t1", "/d")
	wantCode(t, err, engine.CodeNotFound)
	w.create("t1")
	equal(t, "a new thread of the id", w.tree("t1", "/", true), "")
}

func testFileChunks(t *testing.T, w *storeWorld) {
	w.create("t1")
	data := make([]byte, 2*engine.FileChunk+100)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	w.files(engine.FileOp{Kind: engine.FilePut, Thread: "t1", Path: "/big", Data: data},
		engine.FileOp{Kind: engine.FilePut, Thread: "t1", Path: "/whole", Data: data[:engine.FileChunk]})
	f := w.file("t1", "/big")
	equal(t, "chunks", f.Chunks(), 3)
	equal(t, "chunks of a whole one", w.file("t1", "/whole").Chunks(), 1)
	for _, r := range [][2]int64{{0, f.Size}, {0, 1}, {engine.FileChunk - 1, 2}, {engine.FileChunk, engine.FileChunk}, {5, 2 * engine.FileChunk},
		{f.Size - 1, 1}, {f.Size - 1, 100}, {f.Size, 1}, {f.Size + 5, 1}, {10, 0}} {
		b, err := w.FileData(w.ctx, f, r[0], r[1])
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		begin := min(r[0], f.Size)
		if want := data[begin:min(begin+r[1], f.Size)]; !bytes.Equal(b, want) {
			t.Errorf("the range %v has %d bytes, not the %d right ones", r, len(b), len(want))
		}
	}
	_, err := w.FileData(w.ctx, f, -1, 1)
	wantCode(t, err, engine.CodeInvalid)
}

func testFileTree(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.files(put("t1", "/b/y", ""), put("t1", "/b/x/deep", ""), put("t1", "/b0", ""), put("t1", "/b-", ""), put("t1", "/a", ""),
		engine.FileOp{Kind: engine.FileMkdir, Thread: "t1", Path: "/empty/inner"}, engine.FileOp{Kind: engine.FileMkdir, Thread: "t1", Path: "/b"})
	equal(t, "root", w.tree("t1", "/", false), "/a /b/ /b- /b0 /empty/")
	equal(t, "directory", w.tree("t1", "/b", false), "/b/x/ /b/y")
	equal(t, "deep", w.tree("t1", "/b", true), "/b/x/ /b/x/deep /b/y")
	equal(t, "all", w.tree("t1", "/", true), "/a /b/ /b- /b/x/ /b/x/deep /b/y /b0 /empty/ /empty/inner/")
	equal(t, "empty", w.tree("t1", "/empty/inner", true), "")
	_, err := w.Files(w.ctx, "t1", "/none", false)
	wantCode(t, err, engine.CodeNotFound)
	_, err = w.Files(w.ctx, "t1", "/a", false)
	wantCode(t, err, engine.CodeConflict)
	_, err = w.Files(w.ctx, "none", "/", false)
	wantCode(t, err, engine.CodeNotFound)
	w.files(engine.FileOp{Kind: engine.FileRmdir, Thread: "t1", Path: "/empty/inner"}, engine.FileOp{Kind: engine.FileRmdir, Thread: "t1", Path: "/empty"},
		engine.FileOp{Kind: engine.FileRemove, Thread: "t1", Path: "/b/x/deep"})
	equal(t, "after removing", w.tree("t1", "/", true), "/a /b/ /b- /b/x/ /b/y /b0")
}

func testFileMoves(t *testing.T, w *storeWorld) {
	w.create("t1")
	move := func(from, to string) engine.FileOp {
		return engine.FileOp{Kind: engine.FileMove, Thread: "t1", From: from, Path: to}
	}
	w.files(put("t1", "/d/f", "f"), put("t1", "/d/e/é/g", "g"), put("t1", "/d0", "other"), put("t1", "/x", "x"))
	w.files(move("/x", "/new/x"))
	equal(t, "moved", w.content("t1", "/new/x"), "x")
	equal(t, "gone", w.content("t1", "/x"), "none")
	w.files(move("/new/x", "/d/f"))
	equal(t, "replaced", w.content("t1", "/d/f"), "x")
	w.files(move("/d", "/p/q"))
	equal(t, "a directory", w.tree("t1", "/", true), "/d0 /new/ /p/ /p/q/ /p/q/e/ /p/q/e/é/ /p/q/e/é/g /p/q/f")
	equal(t, "deep", w.content("t1", "/p/q/e/é/g"), "g")
	w.files(move("/p/q", "/p/q"))
	for _, c := range [][2]string{{"/p", "/p/inside"}, {"/p/q", "/p/q/e/x"}, {"/d0", "/p"}, {"/p", "/d0"}, {"/p", "/d0/x"}} {
		w.refuse(engine.CodeConflict, engine.Commit{Files: []engine.FileOp{move(c[0], c[1])}})
	}
	w.refuse(engine.CodeNotFound, engine.Commit{Files: []engine.FileOp{move("/none", "/d0")}})
	equal(t, "still there", w.content("t1", "/d0"), "other")
}

// testFileCopies: what was copied is the destination's own.
func testFileCopies(t *testing.T, w *storeWorld) {
	w.create("t1")
	op := put("t1", "/in/a", "first")
	op.File = engine.FileRecord{MimeType: "image/gif", Width: 1, Height: 2}
	w.files(op)
	copied := func(from, to string) engine.FileOp {
		return engine.FileOp{Kind: engine.FileCopy, Thread: "t2", Path: to, Source: "t1", From: from}
	}
	// To a thread that the same commit makes.
	w.commit(engine.Commit{Create: []engine.Thread{{ID: "t2", SessionID: "s-t1", ParentID: "t1", Project: "/p", CreatedAt: 1}},
		Files: []engine.FileOp{copied("/in/a", "/attachments/a-1")}})
	f := w.file("t2", "/attachments/a-1")
	equal(t, "record", fmt.Sprintln(f.MimeType, f.Size, f.Width, f.Height), "image/gif 5 1 2\n")
	w.files(put("t1", "/in/a", "second"))
	equal(t, "after the source changed", w.content("t2", "/attachments/a-1"), "first")
	w.files(copied("/in/a", "/attachments/a-1"))
	equal(t, "replaced", w.content("t2", "/attachments/a-1"), "second")
	w.files(engine.FileOp{Kind: engine.FileRemove, Thread: "t1", Path: "/in/a"})
	equal(t, "after the source went", w.content("t2", "/attachments/a-1"), "second")
	w.commit(engine.Commit{Delete: []engine.ThreadID{"t1"}})
	equal(t, "after the source's thread went", w.content("t2", "/attachments/a-1"), "second")
}

// testFileErrors: nothing of a commit with a change that can't be made is stored.
func testFileErrors(t *testing.T, w *storeWorld) {
	w.create("t1")
	w.create("t2")
	w.files(put("t1", "/f", "f"), put("t1", "/d/x", "x"))
	before := w.tree("t1", "/", true)
	for _, c := range []struct {
		code engine.Code
		op   engine.FileOp
	}{
		{engine.CodeConflict, put("t1", "/d", "")},
		{engine.CodeConflict, put("t1", "/f/below", "")},
		{engine.CodeConflict, put("t1", "/f/far/below", "")},
		{engine.CodeConflict, engine.FileOp{Kind: engine.FileMkdir, Thread: "t1", Path: "/f"}},
		{engine.CodeConflict, engine.FileOp{Kind: engine.FileRmdir, Thread: "t1", Path: "/d"}},
		{engine.CodeConflict, engine.FileOp{Kind: engine.FileRmdir, Thread: "t1", Path: "/f"}},
		{engine.CodeConflict, engine.FileOp{Kind: engine.FileRemove, Thread: "t1", Path: "/d"}},
		{engine.CodeNotFound, engine.FileOp{Kind: engine.FileRmdir, Thread: "t1", Path: "/none"}},
		{engine.CodeNotFound, engine.FileOp{Kind: engine.FileRemove, Thread: "t1", Path: "/none"}},
		{engine.CodeNotFound, engine.FileOp{Kind: engine.FileCopy, Thread: "t2", Path: "/c", Source: "t1", From: "/none"}},
		{engine.CodeNotFound, engine.FileOp{Kind: engine.FileCopy, Thread: "t2", Path: "/c", Source: "nobody", From: "/f"}},
		{engine.CodeConflict, engine.FileOp{Kind: engine.FileCopy, Thread: "t2", Path: "/c", Source: "t1", From: "/d"}},
		{engine.CodeNotFound, put("nobody", "/f", "")},
		{engine.CodeInvalid, put("t1", "/", "")},
		{engine.CodeInvalid, put("t1", "/a/../b", "")},
		{engine.CodeInvalid, put("t1", "/a//b", "")},
		{engine.CodeInvalid, put("t1", "a", "")},
		{engine.CodeInvalid, engine.FileOp{Kind: engine.FileMove, Thread: "t1", From: "/", Path: "/b"}},
		{engine.CodeInvalid, engine.FileOp{Kind: "burn", Thread: "t1", Path: "/f"}},
	} {
		first := put("t1", "/first", "made before")
		w.refuse(c.code, engine.Commit{Thread: "t1", Files: []engine.FileOp{first, c.op},
			Messages: []engine.Message{message("t1", "m", "names a file")}})
	}
	equal(t, "files", w.tree("t1", "/", true), before)
	equal(t, "of the other", w.tree("t2", "/", true), "")
	equal(t, "messages", w.page(engine.MessageQuery{Thread: "t1"}).Total, 0)
}
