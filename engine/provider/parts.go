package provider

import (
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// keptParts drops empty text, and files where the model can't see them. A message
// that only had files keeps a word about them, since it can't be empty.
func keptParts(parts []engine.ContentPart, images bool) []engine.ContentPart {
	kept := make([]engine.ContentPart, 0, len(parts))
	dropped := 0
	for _, p := range parts {
		switch {
		case p.MediaType == "" && p.Text != "", p.MediaType != "" && images && len(p.Data) > 0:
			kept = append(kept, p)
		case p.MediaType != "":
			dropped++
		}
	}
	if len(kept) == 0 && dropped > 0 {
		kept = append(kept, engine.ContentPart{Text: "(an attachment that this model can't read)"})
	}
	return kept
}

// splitParts joins the text and returns the files beside it.
func splitParts(parts []engine.ContentPart, images bool) (string, []engine.ContentPart) {
	if len(parts) == 1 && parts[0].MediaType == "" {
		return parts[0].Text, nil
	}
	var text strings.Builder
	var files []engine.ContentPart
	for _, p := range parts {
		switch {
		case p.MediaType == "":
			text.WriteString(p.Text)
		case images && len(p.Data) > 0:
			files = append(files, p)
		}
	}
	return text.String(), files
}

// writeUserParts writes a user message of the chat completions form; nothing for
// no parts.
func writeUserParts(w *jsonWriter, parts []engine.ContentPart) {
	if len(parts) == 0 {
		return
	}
	w.open('{')
	w.str("role", "user")
	if len(parts) == 1 && parts[0].MediaType == "" {
		w.str("content", parts[0].Text)
		w.close('}')
		return
	}
	w.keyOpen("content", '[')
	for i := range parts {
		writePart(w, &parts[i])
	}
	w.close(']')
	w.close('}')
}

func writePart(w *jsonWriter, p *engine.ContentPart) {
	w.open('{')
	switch {
	case p.MediaType == "":
		w.str("type", "text")
		w.str("text", p.Text)
	case strings.HasPrefix(p.MediaType, "image/"):
		w.str("type", "image_url")
		w.keyOpen("image_url", '{')
		w.dataURL("url", p.MediaType, p.Data)
		w.close('}')
	default:
		w.str("type", "file")
		w.keyOpen("file", '{')
		if p.Name != "" {
			w.str("filename", p.Name)
		}
		w.dataURL("file_data", p.MediaType, p.Data)
		w.close('}')
	}
	w.close('}')
}
