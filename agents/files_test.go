package agents_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sideb-dev/sideb/engine"
)

func TestStateUsesFiles(t *testing.T) {
	h := openHouse(t, "files", nil)
	h.play("main", calls([2]string{"exercise", `{}`}), say("done"))
	th := h.thread("main")
	h.turn(th, "go")
	if !strings.Contains(h.lines(th.ThreadID), "tool: used") {
		t.Fatal(h.lines(th.ThreadID))
	}
	var got map[string]any
	h.value(th.ThreadID, "seen", &got)
	type list = []any
	type object = map[string]any
	want := object{
		"note": object{"path": "/notes/first.md", "name": "first.md", "mimeType": "text/markdown", "storage": "local", "size": 24.0,
			"isDirectory": false, "metadata": object{"by": "me", "n": list{1.0}}, "createdAt": "number", "updatedAt": true},
		"text": "# One\r\ntwo three\nTWO é\n", "none": list{nil, nil, nil, nil},
		"image": list{70.0, 1.0, 1.0}, "same": true, "thumbnail": list{true, 255.0}, "noThumbnail": nil,
		"pieces":  list{list{0.0, 3.0, false, 262144.0}, list{1.0, 3.0, false, 262144.0}, list{2.0, 3.0, true, 75712.0}},
		"good":    list{600000.0, true},
		"aborted": "AbortError", "changed": "conflict",
		"entries": list{list{"big.bin", false}, list{"empty", true}, list{"notes", true}, list{"pictures", true}},
		"inner":   list{}, "stats": object{"fileCount": 3.0, "directoryCount": 4.0, "totalSize": 103.0},
		"grep": list{
			list{object{"path": "/notes/first.md", "matches": list{"2: two three"}}},
			list{object{"path": "/notes/first.md", "matches": list{"2: two three", "3: TWO é"}}},
			list{object{"path": "/notes/first.md", "matches": list{"1: # One"}}}, list{}},
		"find": list{object{"paths": list{"/notes/first.md"}}, object{"paths": list{"/notes/first.md", "/pictures/dot.png"}},
			object{"paths": list{"/pictures/dot.png"}}, object{"paths": list{}}},
		"left": list{"/big.bin", "/moved/notes/last.md"},
		"failures": list{
			`invalid: read path: the path "/a/../b" has a '..' segment; name the file from the root`,
			`conflict: write file: /empty is a directory`,
			`conflict: make directory: /big.bin is a file, not a directory`,
			`conflict: read path: /attachments is the directory of attachments`,
			`conflict: remove directory: the directory /empty isn't empty: it has 1 entries`,
			`not_found: remove file: there is no file /none`,
			`conflict: read file: /empty is a directory`,
			`not_found: move file: there is no file /none`,
			`undefined: a file's content must be a string, an ArrayBuffer or a view of one`,
			`undefined: a file's path must be a non-empty string`,
			`not_found: find attachment: there is no file /none in this thread`,
		},
		"told": list{list{"file", "/big.bin", "big.bin", "text/plain", 9.0, "string"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHelpersUseFiles(t *testing.T) {
	h := openHouse(t, "files", nil)
	h.play("main", calls([2]string{"helpers", `{}`}), say("done"))
	th := h.thread("main")
	h.turn(th, "go")
	if !strings.Contains(h.lines(th.ThreadID), "tool: used") {
		t.Fatal(h.lines(th.ThreadID))
	}
	var got map[string]any
	h.value(th.ThreadID, "seen", &got)
	type list = []any
	type object = map[string]any
	want := object{
		"type": "text/plain", "cat": 151.0, "head": "line 1\nline 2", "tail": "line 19\nline 20", "none": list{nil, nil, false, true},
		"image": list{"image/png", 1.0, true}, "linked": "/links/dot.png", "thumbnail": true,
		"far": "https://example.org/x.png isn't a file of this thread: fetch it and write it with writeFile",
		"dir": list{"/dir/old.txt"}, "grep": list{object{"path": "/dir/old.txt", "matches": list{"2: line 2"}}}, "found": list{"/dir/old.txt"},
		"stats": object{"fileCount": 3.0, "directoryCount": 1.0, "totalSize": 210.0}, "read": 80.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// content reads a file of a thread.
func (h *house) content(id engine.ThreadID, path string) []byte {
	h.Helper()
	f, err := h.store.File(context.Background(), id, path)
	if err != nil {
		h.Fatal(err)
	}
	b, err := h.store.FileData(context.Background(), f, 0, f.Size)
	if err != nil {
		h.Fatal(err)
	}
	return b
}

func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// images lists the images of a request by name.
func images(r request) string {
	var out []string
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if p.MediaType != "" {
				out = append(out, string(m.Role)+":"+p.MediaType+":"+p.Name)
			}
		}
	}
	return strings.Join(out, " ")
}

// What a tool attaches is a file of the thread, which the model sees; what isn't
// there makes the call an error.
func TestToolsAttachFiles(t *testing.T) {
	h := openHouse(t, "files", nil)
	h.play("main", calls([2]string{"attach", `{"name":"My dot.png"}`}, [2]string{"broken", `{}`}), say("done"))
	th := h.thread("main")
	h.turn(th, "go")
	var tools []engine.Message
	for _, m := range h.messages(th.ThreadID) {
		if m.Role == engine.RoleTool {
			tools = append(tools, m)
		}
	}
	if len(tools) != 2 || len(tools[0].Attachments) != 2 {
		t.Fatal(h.lines(th.ThreadID))
	}
	dot, note := tools[0].Attachments[0], tools[0].Attachments[1]
	if dot.Name != "My dot.png" || dot.Width != 1 || dot.Size != 70 || note.Path != "/notes/note.txt" || note.MimeType != "text/plain" {
		t.Errorf("%+v", tools[0].Attachments)
	}
	if len(h.content(th.ThreadID, dot.Path)) != 70 {
		t.Error("the file of the attachment is another")
	}
	want := "attached\n\nAttachment: " + dot.Path + " (image/png, 70 bytes, 1×1 pixels)\nAttachment: /notes/note.txt (text/plain, 6 bytes)"
	if tools[0].Text() != want {
		t.Error(tools[0].Text())
	}
	if tools[1].ToolStatus != engine.ToolError || !strings.Contains(tools[1].Text(), "there is no file /attachments/none.png in this thread") {
		t.Error(tools[1].Text())
	}
	if got := images(h.asks("main")[1]); got != "tool:image/png:"+dot.Path {
		t.Error(got)
	}
}

// Files go from parent to child and back as copies (runtime §8).
func TestSubagentsGetAndReturnCopies(t *testing.T) {
	h := openHouse(t, "files", nil)
	th := h.thread("main")
	ctx := context.Background()
	h.play("main", say("received"))
	turn, err := h.c.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: th.ThreadID, Content: "look", Uploads: []engine.Upload{{Name: "My plan.png", Data: picture(t, 30, 20)}}})
	if err == nil {
		_, err = h.c.WaitTurn(ctx, turn.TurnID)
	}
	if err != nil {
		t.Fatal(err)
	}
	upload := h.messages(th.ThreadID)[0].Attachments[0]
	if upload.Name != "My plan.png" || upload.MimeType != "image/png" || upload.Width != 30 || upload.Height != 20 {
		t.Errorf("%+v", upload)
	}
	if got := images(h.asks("main")[0]); got != "user:image/png:"+upload.Path {
		t.Error(got)
	}

	h.play("main", calls([2]string{"artist", `{"task":"draw","files":["/attachments/none.png"]}`},
		[2]string{"artist", `{"task":"draw it","files":["` + upload.Path + `"]}`}), say("thanks"))
	h.play("draw", calls([2]string{"attach", `{"name":"dot.png"}`}), calls([2]string{"finish", `{"summary":"drawn","files":["/attachments/nothing.png"]}`}),
		calls([2]string{"finish", `{"summary":"drawn","files":["/notes/note.txt"]}`}))
	h.turn(th, "go")

	children, err := h.store.Children(ctx, th.ThreadID)
	if err != nil || len(children) != 1 {
		t.Fatalf("%v %v\n%s", children, err, h.lines(th.ThreadID))
	}
	child := children[0].Reference
	said := h.messages(child)
	if len(said) < 2 || !said[0].Silent || len(said[0].Attachments) != 1 || said[1].Text() != "draw it" || len(said[1].Attachments) != 0 {
		t.Fatalf("the child's first messages are\n%s", h.lines(child))
	}
	given := said[0].Attachments[0]
	if given.Path == upload.Path || !strings.HasPrefix(given.Path, "/attachments/") || !strings.Contains(said[0].Text(), given.Path) {
		t.Errorf("%+v in %q", given, said[0].Text())
	}
	if !bytes.Equal(h.content(child, given.Path), picture(t, 30, 20)) {
		t.Error("the child's copy is another file")
	}
	if !strings.Contains(h.lines(child), "Failed to execute tool: files: find attachment: there is no file /attachments/nothing.png") {
		t.Error(h.lines(child))
	}
	var results []engine.Message
	for _, m := range h.messages(th.ThreadID) {
		if m.Role == engine.RoleTool {
			results = append(results, m)
		}
	}
	if len(results) != 2 || results[0].ToolStatus != engine.ToolError || len(results[1].Attachments) != 1 {
		t.Fatal(h.lines(th.ThreadID))
	}
	back := results[1].Attachments[0]
	if !strings.HasPrefix(results[1].Text(), "drawn\n\nAttachment: "+back.Path) || string(h.content(th.ThreadID, back.Path)) != "a note" {
		t.Errorf("%+v in %q", back, results[1].Text())
	}
	if err := h.c.DeleteThread(ctx, th.ThreadID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.File(ctx, child, given.Path); engine.CodeOf(err) != engine.CodeNotFound {
		t.Error("the files of a deleted thread are still there")
	}
}

// A resumable child is created and messaged with attachments, and its report,
// also of a failure, brings its own.
func TestResumableSubagentsExchangeFiles(t *testing.T) {
	h := openHouse(t, "files", nil)
	th := h.thread("main")
	h.play("main",
		calls([2]string{"attach", `{"name":"dot.png"}`}),
		calls([2]string{"subagent_create", `{"agent":"studio","name":"s","message":"begin","attachments":["/notes/gone.txt"]}`},
			[2]string{"subagent_create", `{"agent":"studio","name":"s","message":"begin","attachments":["/notes/note.txt"]}`}),
		say("waiting"))
	h.play("draw", calls([2]string{"attach", `{"name":"own.png"}`}), calls([2]string{"give_up", `{"summary":"no luck","files":"/notes/note.txt"}`}))
	h.turn(th, "go")
	lines := h.lines(th.ThreadID)
	if !strings.Contains(lines, "there is no file /notes/gone.txt in this thread") {
		t.Error(lines)
	}
	var report *engine.Message
	for _, m := range h.messages(th.ThreadID) {
		if m.SubagentID != "" && m.Role == engine.RoleUser {
			report = &m
		}
	}
	if report == nil || len(report.Attachments) != 1 {
		t.Fatal(lines)
	}
	want := "Subagent (reference: " + string(report.SubagentID) + ") has reported a failure:\n\nno luck\n\n" +
		"The subagent also returned the following attachment(s):\n\n" + report.Attachments[0].Path
	if report.Text() != want || string(h.content(th.ThreadID, report.Attachments[0].Path)) != "a note" {
		t.Errorf("%q", report.Text())
	}
	said := h.messages(report.SubagentID)
	if !said[0].Silent || string(h.content(report.SubagentID, said[0].Attachments[0].Path)) != "a note" || said[1].Text() != "begin" {
		t.Error(h.lines(report.SubagentID))
	}
}

// An image is shown for recentImageThreshold messages, and then described.
func TestOlderImagesAreDescribed(t *testing.T) {
	h := openHouse(t, "files", nil)
	th := h.thread("main")
	ctx := context.Background()
	h.play("main", say("1"), say("2"), say("3"))
	turn, err := h.c.SubmitTurn(ctx, engine.SubmitTurn{ThreadID: th.ThreadID, Uploads: []engine.Upload{
		{Name: "a.png", Data: picture(t, 2, 3)}, {Name: "list.csv", Data: []byte("a,b\n")}}})
	if err == nil {
		_, err = h.c.WaitTurn(ctx, turn.TurnID)
	}
	if err != nil {
		t.Fatal(err)
	}
	h.turn(th, "again")
	h.turn(th, "and again")
	asks := h.asks("main")
	files := h.messages(th.ThreadID)[0].Attachments
	listed := "Attached files:\n- " + files[0].Path + " (image/png, " // the size depends on the encoder
	for i, want := range []string{"user:image/png:" + files[0].Path, "user:image/png:" + files[0].Path, ""} {
		if got := images(asks[i]); got != want {
			t.Errorf("request %d shows %q, not %q", i, got, want)
		}
		text := asks[i].Messages[0].Text()
		if !strings.HasPrefix(text, listed) || !strings.Contains(text, "\n- "+files[1].Path+" (text/csv, 4 bytes)") {
			t.Errorf("request %d: %q", i, text)
		}
		if strings.Contains(text, "an image that isn't shown here") != (want == "") {
			t.Errorf("request %d: %q", i, text)
		}
	}
}

// What a tool gives as the data of a file is base64 text in any of its forms;
// anything else is the call's error, not its result.
func TestDataOfAttachments(t *testing.T) {
	h := openHouse(t, "files", nil)
	h.play("main", calls([2]string{"forms", `{"data":"aGk_"}`}, [2]string{"forms", `{"data":"data:text/plain;base64,aGk/\n"}`},
		[2]string{"forms", `{"data":"aGk="}`}, [2]string{"forms", `{"data":"%%%"}`}, [2]string{"forms", `{}`}), say("done"))
	th := h.thread("main")
	h.turn(th, "go")
	var got []string
	for _, m := range h.messages(th.ThreadID) {
		switch {
		case m.Role != engine.RoleTool:
		case len(m.Attachments) == 1:
			got = append(got, string(h.content(th.ThreadID, m.Attachments[0].Path)))
		default:
			got = append(got, m.Text())
		}
	}
	want := []string{"hi?", "hi?", "hi",
		`Failed to execute tool: the data of the attachment "f.txt" isn't base64 text: illegal base64 data at input byte 0`,
		`Failed to execute tool: the data of the attachment "f.txt" isn't a string: it must be base64 text`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
