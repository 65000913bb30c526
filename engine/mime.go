package engine

import (
	"bytes"
	"strings"
)

// types are the media types that are known by a file's extension. The first
// extension of a type is the one that new files get.
func mediaTypes() [][2]string {
	return [][2]string{
		{".png", "image/png"}, {".jpg", "image/jpeg"}, {".jpeg", "image/jpeg"}, {".gif", "image/gif"}, {".webp", "image/webp"},
		{".svg", "image/svg+xml"}, {".pdf", "application/pdf"}, {".txt", "text/plain"}, {".md", "text/markdown"},
		{".html", "text/html"}, {".css", "text/css"}, {".csv", "text/csv"}, {".xml", "text/xml"}, {".json", "application/json"},
		{".js", "text/javascript"}, {".ts", "text/typescript"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
		{".zip", "application/zip"}, {".mp3", "audio/mpeg"}, {".wav", "audio/wav"}, {".mp4", "video/mp4"},
		{".go", "text/plain"}, {".py", "text/plain"}, {".log", "text/plain"}, {".toml", "text/plain"}, {".sh", "text/plain"},
		{".bin", "application/octet-stream"},
	}
}

func extensionOf(mimeType string) string {
	mimeType = baseType(mimeType)
	for _, t := range mediaTypes() {
		if t[1] == mimeType {
			return t[0]
		}
	}
	if strings.HasPrefix(mimeType, "text/") {
		return ".txt"
	}
	return ".bin"
}

// typeOf is the media type of a file by what it begins with where that is an
// image's, else by its extension, else by whether it is text.
func typeOf(name string, data []byte) string {
	if t := imageType(data); t != "" {
		return t
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		ext := strings.ToLower(name[i:])
		for _, t := range mediaTypes() {
			if t[0] == ext && !strings.HasPrefix(t[1], "image/") || t[0] == ext && ext == ".svg" {
				return t[1]
			}
		}
	}
	if bytes.HasPrefix(data, []byte("%PDF-")) {
		return "application/pdf"
	}
	if isText(data) {
		return "text/plain"
	}
	return "application/octet-stream"
}

// imageType tells the images that models take from their first bytes; "" where
// data is none.
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	default:
		return ""
	}
}

// baseType is a media type without its parameters.
func baseType(mimeType string) string {
	t, _, _ := strings.Cut(mimeType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// seenByModels reports whether a model that sees images takes this type.
func seenByModels(mimeType string) bool {
	switch baseType(mimeType) {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	default:
		return false
	}
}

// searchable reports whether files of a type are text that grep looks through.
func searchable(mimeType string) bool {
	t := baseType(mimeType)
	if strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+json") || strings.HasSuffix(t, "+xml") {
		return true
	}
	switch t {
	case "application/json", "application/xml", "application/javascript", "application/typescript", "application/yaml",
		"application/x-yaml", "application/toml", "application/sql", "application/x-sh", "application/x-ndjson":
		return true
	default:
		return false
	}
}
