package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Upload is a new file that comes with a message. An empty MimeType is found out.
type Upload struct {
	Name     string
	MimeType string
	Data     []byte
}

// reference is a file as messages refer to it.
func (e *Engine) reference(f *FileRecord) Attachment {
	return Attachment{ID: AttachmentID(e.c.NewID()), Type: "file", Path: f.Path, Name: f.Name, MimeType: f.MimeType,
		Size: f.Size, Width: f.Width, Height: f.Height}
}

// upload makes the change that stores a new file of a message, and the reference
// to it: /attachments/{ms}-{8hex}.{ext}.
func (e *Engine) upload(thread ThreadID, u Upload) (FileOp, Attachment, error) {
	name := strings.TrimSpace(u.Name)
	f := fileOf(name, u.MimeType, u.Data)
	_, ext := splitName(name, f.MimeType)
	f.Path = fmt.Sprintf("%s/%d-%s%s", attachmentDir, e.c.Now().UnixMilli(), e.hex8(), ext)
	if f.Name = clip(oneLine(name), MaxFileName-4); f.Name == "" {
		f.Name = strings.TrimPrefix(f.Path, attachmentDir+"/")
	}
	if err := checkWrite(f.Name, u.Data, u.MimeType, FileOptions{}); err != nil {
		return FileOp{}, Attachment{}, err
	}
	return FileOp{Kind: FilePut, Thread: thread, Path: f.Path, Data: u.Data, File: f}, e.reference(&f), nil
}

// uploads does so for several, with the caps.
func (e *Engine) uploads(ctx context.Context, thread ThreadID, list []Upload) ([]FileOp, []Attachment, error) {
	var ops []FileOp
	var refs []Attachment
	size := int64(0)
	for _, u := range list {
		op, ref, err := e.upload(thread, u)
		if err != nil {
			return nil, nil, err
		}
		ops, refs, size = append(ops, op), append(refs, ref), size+ref.Size
	}
	if len(ops) == 0 {
		return nil, nil, nil
	}
	return ops, refs, e.checkRoom(ctx, thread, len(ops), size)
}

// findFiles finds files by path; a path that nothing is behind is CodeNotFound, a
// directory CodeInvalid.
func (e *Engine) findFiles(ctx context.Context, thread ThreadID, paths []string) ([]FileRecord, error) {
	const op = "find attachment"
	if len(paths) > MaxAttachments {
		return nil, Errorf(CodeLimit, op, "there are %d attachments; the limit is %d", len(paths), MaxAttachments)
	}
	var files []FileRecord
	for _, p := range paths {
		clean, err := CleanPath(p)
		if err != nil {
			return nil, err
		}
		f, err := e.c.Store.File(ctx, thread, clean)
		switch {
		case err != nil && CodeOf(err) == CodeNotFound:
			return nil, Errorf(CodeNotFound, op, "there is no file %s in this thread", clean)
		case err != nil:
			return nil, err
		case f.IsDirectory:
			return nil, Errorf(CodeInvalid, op, "%s is a directory; attach its files", clean)
		}
		if !slices.ContainsFunc(files, func(o FileRecord) bool { return o.Path == f.Path }) {
			files = append(files, *f)
		}
	}
	return files, nil
}

// checkAttachments makes references of what a caller attaches: the files must be
// there, and what is said of them is what they are (decision A24).
func (e *Engine) checkAttachments(ctx context.Context, thread ThreadID, list []Attachment) ([]Attachment, error) {
	paths := make([]string, len(list))
	for i := range list {
		paths[i] = list[i].Path
	}
	files, err := e.findFiles(ctx, thread, paths)
	if err != nil {
		return nil, err
	}
	refs := e.references(files)
	for i := range refs {
		for _, a := range list {
			if clean, err := CleanPath(a.Path); err != nil || clean != refs[i].Path {
				continue
			}
			if a.ID != "" {
				refs[i].ID = a.ID
			}
			if a.Name != "" {
				refs[i].Name = a.Name
			}
			refs[i].Description = a.Description
		}
	}
	return refs, nil
}

func (e *Engine) references(files []FileRecord) []Attachment {
	var refs []Attachment
	for i := range files {
		refs = append(refs, e.reference(&files[i]))
	}
	return refs
}

// pathList reads the paths that an argument names: one, several, or references to
// files. Without the argument there are none.
func pathList(args json.RawMessage, property string) ([]string, error) {
	var o jsonObject
	if property == "" || json.Unmarshal(args, &o) != nil || len(o[property]) == 0 || string(o[property]) == "null" {
		return nil, nil
	}
	items := []json.RawMessage{o[property]}
	if o[property][0] == '[' {
		if err := json.Unmarshal(o[property], &items); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, item := range items {
		var path string
		var ref struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(item, &path) != nil {
			if json.Unmarshal(item, &ref) != nil || ref.Path == "" {
				return nil, Errorf(CodeInvalid, "read attachments", "%s must name files by their paths", property)
			}
			path = ref.Path
		}
		if path = strings.TrimSpace(path); path != "" || len(items) > 1 {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// attached finds the files that a call's argument names in this thread.
func (x *execution) attached(ctx context.Context, args json.RawMessage, property string) ([]FileRecord, error) {
	paths, err := pathList(args, property)
	if err != nil {
		return nil, err
	}
	return x.e.findFiles(ctx, x.snap.thread.ID, paths)
}

// keepAttachments makes what a tool returned with its result files of the thread:
// new ones are stored by c, others must be there. Where that fails the call has
// failed.
func (x *execution) keepAttachments(ctx context.Context, c *Commit, res *ToolResult) *ToolResult {
	if len(res.Attachments) == 0 {
		return res
	}
	refs, ops, err := x.resolve(ctx, res.Attachments)
	out := *res
	if err != nil {
		out.Status, out.Attachments = ToolError, nil
		out.Error = strings.TrimSpace("the tool ran, but what it attached can't be kept: " + err.Error() + "\n" + res.Error)
		return &out
	}
	c.Files = append(c.Files, ops...)
	for i := range ops {
		c.Events = append(c.Events, ops[i].event(&x.snap.thread))
	}
	out.Attachments = refs
	return &out
}

func (x *execution) resolve(ctx context.Context, list []NewAttachment) ([]NewAttachment, []FileOp, error) {
	if len(list) > MaxAttachments {
		return nil, nil, Errorf(CodeLimit, "attach files", "there are %d attachments; the limit is %d", len(list), MaxAttachments)
	}
	thread := x.snap.thread.ID
	var refs []NewAttachment
	var ops []FileOp
	for _, a := range list {
		if len(a.Data) == 0 && a.Path != "" {
			found, err := x.e.checkAttachments(ctx, thread, []Attachment{a.Attachment})
			if err != nil {
				return nil, nil, err
			}
			refs = append(refs, NewAttachment{Attachment: found[0]})
			continue
		}
		made, named, err := x.e.uploads(ctx, thread, []Upload{{Name: a.Name, MimeType: a.MimeType, Data: a.Data}})
		if err != nil {
			return nil, nil, err
		}
		if named[0].Width == 0 {
			named[0].Width, named[0].Height = max(0, a.Width), max(0, a.Height)
		}
		named[0].Description = a.Description
		refs, ops = append(refs, NewAttachment{Attachment: named[0]}), append(ops, made...)
	}
	return refs, ops, nil
}

// knownAttachments leaves out what a hook attached to a message and isn't there.
func (x *execution) knownAttachments(ctx context.Context, before, after []Attachment) []Attachment {
	return slices.DeleteFunc(after, func(a Attachment) bool {
		if slices.ContainsFunc(before, func(o Attachment) bool { return o.Path == a.Path }) {
			return false
		}
		_, err := x.e.findFiles(ctx, x.snap.thread.ID, []string{a.Path})
		if err != nil {
			x.e.c.Logf("thread %s: a hook attached %s to a message: %v", x.snap.thread.ID, a.Path, err)
		}
		return err != nil
	})
}

// keepImages stores the images that a model made as attachments of its answer.
func (x *execution) keepImages(ctx context.Context, c *Commit, m *Message, images []ContentPart) {
	var list []Upload
	for i, p := range images {
		if len(p.Data) == 0 {
			continue
		}
		name := p.Name
		if name == "" {
			name = fmt.Sprintf("image-%d%s", i+1, extensionOf(p.MediaType))
		}
		list = append(list, Upload{Name: name, MimeType: p.MediaType, Data: p.Data})
	}
	ops, refs, err := x.e.uploads(ctx, x.snap.thread.ID, list[:min(len(list), MaxAttachments)])
	if err != nil {
		x.warn(c, "images that the model made couldn't be kept: "+err.Error())
		return
	}
	c.Files, m.Attachments = append(c.Files, ops...), append(m.Attachments, refs...)
	for i := range ops {
		c.Events = append(c.Events, ops[i].event(&x.snap.thread))
	}
}

// bindAttachments applies attachmentsProperty of a lifecycle tool: the files that
// the call names go with its result to the parent. A path that nothing is behind
// makes the call an error, so that the execution goes on (authoring surface §14.3).
func (x *execution) bindAttachments(ctx context.Context, call ToolCall, res *ToolResult) *ToolResult {
	side := x.snap.agent.Side(x.snap.state.Side)
	if side == nil || res.Status != ToolSuccess {
		return res
	}
	for _, b := range []*SessionBinding{side.SessionStop, side.SessionFail} {
		if b == nil || b.Name != call.Name || b.AttachmentsProperty == "" {
			continue
		}
		files, err := x.attached(ctx, json.RawMessage(call.Arguments), b.AttachmentsProperty)
		if err != nil {
			bad := ErrorResult(fmt.Sprintf("%s: %s. Call %s again with paths of files that exist, or with [].", b.AttachmentsProperty, err, call.Name))
			bad.ErrorCode = string(CodeOf(err))
			return bad
		}
		out := *res
		out.Attachments = slices.Clone(res.Attachments)
		for _, ref := range x.e.references(files) {
			out.Attachments = append(out.Attachments, NewAttachment{Attachment: ref})
		}
		return &out
	}
	return res
}

// refs are the stored files of a result.
func (r *ToolResult) refs() []Attachment {
	var out []Attachment
	for _, a := range r.Attachments {
		if len(a.Data) == 0 && a.Path != "" && !slices.ContainsFunc(out, func(o Attachment) bool { return o.Path == a.Path }) {
			out = append(out, a.Attachment)
		}
	}
	return out
}

// nameAttachments adds a line for each file to a tool message.
func nameAttachments(m *Message) {
	var lines []string
	for _, a := range m.Attachments {
		lines = append(lines, attachmentLine(&a))
	}
	if len(lines) > 0 {
		m.SetText(m.Text() + "\n\n" + strings.Join(lines, "\n"))
	}
}

func attachmentLine(a *Attachment) string {
	return "Attachment: " + describeFile(a.Path, a.MimeType, a.Size, a.Width, a.Height)
}
