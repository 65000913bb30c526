package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"strconv"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// picture is a PNG of w by h pixels.
func picture(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err) // it's written to memory
	}
	return b.Bytes()
}

// fileData is what a scenario writes: text, or with image=WxH a picture.
func fileData(p part, at int) []byte {
	w, h, ok := strings.Cut(p.option("image"), "x")
	if !ok {
		return []byte(p.arg(at))
	}
	width, _ := strconv.Atoi(w)
	height, _ := strconv.Atoi(h)
	return picture(width, height)
}

// actFile does one thing to the thread's files; it reports false for any other.
//
//	write PATH TEXT|image=WxH, read PATH, unlink PATH, move FROM TO, files, attach-message PATH
func actFile(ctx context.Context, state *engine.ThreadState, p part) (out string, err error, known bool) {
	switch p[0] {
	case "write":
		f, err := state.WriteFile(ctx, p.arg(1), fileData(p, 2), "", engine.FileOptions{})
		if err != nil {
			return "", err, true
		}
		return fmt.Sprintf("wrote %s %s %dx%d", f.Path, f.MimeType, f.Width, f.Height), nil, true
	case "read":
		b, err := state.ReadFile(ctx, p.arg(1))
		if b == nil && err == nil {
			return p.arg(1) + " isn't there", nil, true
		}
		return fmt.Sprintf("%s has %q", p.arg(1), b), err, true
	case "unlink":
		return "", state.UnlinkFile(ctx, p.arg(1)), true
	case "move":
		_, err := state.MoveFile(ctx, p.arg(1), p.arg(2))
		return "", err, true
	case "files":
		found, err := state.FindFiles(ctx, "**")
		return strings.Join(found, " "), err, true
	case "attach-message":
		_, err := state.InjectMessage(ctx, engine.NewMessage{Role: engine.RoleUser, Content: "see", Attachments: []engine.Attachment{{Path: p.arg(1)}}})
		return "", err, true
	default:
		return "", nil, false
	}
}

// attachment is what a tool returns with its result: "attach NAME TEXT|image=WxH"
// is a new file, "attach-file PATH" one that is there.
func attachment(p part) engine.NewAttachment {
	if p[0] == "attach-file" {
		return engine.NewAttachment{Attachment: engine.Attachment{Path: p.arg(1)}}
	}
	return engine.NewAttachment{Attachment: engine.Attachment{Name: p.arg(1)}, Data: fileData(p, 2)}
}

// uploads are the files of a say directive: attach=NAME with text in it, or with
// image=WxH a picture.
func uploads(d part) []engine.Upload {
	name := d.option("attach")
	if name == "" {
		return nil
	}
	data := []byte("the text of " + name)
	if d.option("image") != "" {
		data = fileData(d, 0)
	}
	return []engine.Upload{{Name: name, Data: data}}
}

// printFiles shows attachments by name and what is known of them: paths are random.
func printFiles(list []engine.Attachment) string {
	s := ""
	for _, a := range list {
		s += fmt.Sprintf(" +%s(%s %d", a.Name, a.MimeType, a.Size)
		if a.Width > 0 {
			s += fmt.Sprintf(" %dx%d", a.Width, a.Height)
		}
		s += ")"
	}
	return s
}

func printImages(parts []engine.ContentPart) string {
	s := ""
	for _, p := range parts {
		if p.MediaType != "" {
			s += " +" + p.MediaType
		}
	}
	return s
}

// checkFiles: no message names a file that isn't there, in any thread of the
// session.
func (w *world) checkFiles() {
	w.Helper()
	ctx := context.Background()
	page, err := w.store.Threads(ctx, engine.ThreadQuery{Session: w.session, Limit: 1000})
	if err != nil {
		w.Fatal(err)
	}
	for i := range page.Threads {
		id := page.Threads[i].ThreadID
		messages, err := w.store.Messages(ctx, engine.MessageQuery{Thread: id, Limit: -1, IncludeSilent: true, MaxDepth: -1})
		if err != nil {
			w.Fatal(err)
		}
		queue, err := w.store.Queue(ctx, id)
		if err != nil {
			w.Fatal(err)
		}
		list := messages.Messages
		for _, item := range queue {
			list = append(list, item.Preface...)
			if item.Message != nil {
				list = append(list, *item.Message)
			}
			if item.Delivery != nil {
				list = append(list, engine.Message{ID: "delivery", Attachments: item.Delivery.Attachments})
			}
		}
		for _, m := range list {
			for _, a := range m.Attachments {
				f, err := w.store.File(ctx, id, a.Path)
				if err != nil || f.Size != a.Size {
					w.Errorf("message %s of thread %s names the file %s: %+v, %v", m.ID, id, a.Path, f, err)
				}
			}
		}
	}
}
