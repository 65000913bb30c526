package engine

import (
	"context"
	"strings"
)

// pictures are the images of a request: what their attachments show, by path.
type pictures map[string][]byte

// pictures chooses the images that a model gets to see: those of the last
// recentImageThreshold messages, the newest first as far as MaxImagesSize goes.
// Older ones are only described (authoring surface §13).
func (v view) pictures(visible []*Message) pictures {
	if v.image == nil || v.prompt.RecentImageThreshold <= 0 {
		return nil
	}
	shown, room := pictures{}, MaxImagesSize
	recent := visible[max(0, len(visible)-v.prompt.RecentImageThreshold):]
	for i := len(recent) - 1; i >= 0; i-- {
		if recent[i].Role == RoleAssistant && v.own(recent[i]) || recent[i].Role == RoleUser && v.own(recent[i]) {
			continue // no provider takes images of the model itself
		}
		for j := range recent[i].Attachments {
			a := &recent[i].Attachments[j]
			if !seenByModels(a.MimeType) || a.Size > MaxImageSize || shown[a.Path] != nil {
				continue
			}
			if data := v.image(a); len(data) > 0 && len(data) <= room {
				shown[a.Path], room = data, room-len(data)
			}
		}
	}
	return shown
}

// parts is the text of a message followed by its files: images that are shown, and
// a line on each file that the text doesn't name already, so that tools can be
// given its path.
func (p pictures) parts(m *Message, shows bool) []ContentPart {
	text := m.Text()
	var lines []string
	var shown []ContentPart
	for i := range m.Attachments {
		a := &m.Attachments[i]
		data := p[a.Path]
		line := describeFile(a.Path, a.MimeType, a.Size, a.Width, a.Height)
		if shows && data != nil {
			shown = append(shown, ContentPart{MediaType: imageType(data), Data: data, Name: a.Path})
		} else if seenByModels(a.MimeType) {
			line += ", an image that isn't shown here"
		}
		if a.Description != "" {
			line += ": " + oneLine(a.Description)
		}
		if !strings.Contains(text, a.Path) {
			lines = append(lines, "- "+line)
		}
	}
	if len(lines) > 0 {
		text = strings.TrimLeft(text+"\n\n", "\n") + "Attached files:\n" + strings.Join(lines, "\n")
	}
	if text == "" {
		return shown
	}
	return append(TextParts(text), shown...)
}

// imageData loads an image once for as long as the execution runs; nil where it
// isn't there any more or isn't what it was said to be.
func (x *execution) imageData(ctx context.Context, a *Attachment) []byte {
	x.mu.Lock()
	data, known := x.images[a.Path]
	x.mu.Unlock()
	if known {
		return data
	}
	f, err := x.e.c.Store.File(ctx, x.snap.thread.ID, a.Path)
	if err == nil && !f.IsDirectory && f.Size <= MaxImageSize {
		data, err = x.e.c.Store.FileData(ctx, f, 0, f.Size)
	}
	if err != nil && CodeOf(err) != CodeNotFound {
		x.e.c.Logf("thread %s: load image %s: %v", x.snap.thread.ID, a.Path, err)
		return nil
	}
	if imageType(data) == "" {
		data = nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.images == nil || x.imagesSize+len(data) > 2*MaxImagesSize {
		x.images, x.imagesSize = pictures{}, 0
	}
	x.images[a.Path] = data
	x.imagesSize += len(data)
	return data
}

// forgetImages is for when files change.
func (x *execution) forgetImages() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.images, x.imagesSize = nil, 0
}
