package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode/utf8"
)

// attachmentDir is where the files of messages are. It can't be a file.
const attachmentDir = "/attachments"

// CleanPath is the one form of a path of a thread's files: absolute, without
// empty or "." segments. A path without a leading slash begins at the root. ".."
// isn't followed but refused with CodeInvalid, as are control characters; what is
// too long is CodeLimit.
func CleanPath(p string) (string, error) {
	const op = "read path"
	switch {
	case p == "":
		return "", Errorf(CodeInvalid, op, "the path is empty")
	case len(p) > MaxFilePath:
		return "", Errorf(CodeLimit, op, "the path has %d bytes; the limit is %d", len(p), MaxFilePath)
	case !utf8.ValidString(p):
		return "", Errorf(CodeInvalid, op, "the path %q isn't UTF-8", p)
	}
	for _, r := range p {
		if r < ' ' || r == 0x7f {
			return "", Errorf(CodeInvalid, op, "the path %q has a control character", p)
		}
	}
	for s := range strings.SplitSeq(p, "/") {
		if s == ".." {
			return "", Errorf(CodeInvalid, op, "the path %q has a '..' segment; name the file from the root", p)
		}
		if len(s) > MaxFileName {
			return "", Errorf(CodeLimit, op, "a name in the path has %d bytes; the limit is %d", len(s), MaxFileName)
		}
	}
	clean := path.Clean("/" + p)
	if len(clean) > MaxFilePath {
		return "", Errorf(CodeLimit, op, "the path has %d bytes; the limit is %d", len(clean), MaxFilePath)
	}
	return clean, nil
}

// filePath is CleanPath for what a file is to be written to.
func filePath(p string) (string, error) {
	clean, err := CleanPath(p)
	switch {
	case err != nil:
		return "", err
	case clean == "/":
		return "", Errorf(CodeConflict, "read path", "/ is the root directory")
	case clean == attachmentDir:
		return "", Errorf(CodeConflict, "read path", "%s is the directory of attachments", attachmentDir)
	}
	return clean, nil
}

// below reports whether p is dir or anything under it.
func below(p, dir string) bool {
	return dir == "/" || p == dir || strings.HasPrefix(p, dir+"/")
}

// splitName cuts a file name into what goes into the name of a copy: a stem of at
// most 64 bytes of plain characters, and the extension with its dot.
func splitName(name, mimeType string) (stem, ext string) {
	name = path.Base("/" + strings.ReplaceAll(name, "\\", "/"))
	ext = path.Ext(name)
	stem = strings.TrimSuffix(name, ext)
	if stem == "" {
		stem, ext = ext, ""
	}
	if stem = plainName(stem, 64); stem == "" {
		stem = "file"
	}
	if ext = plainName(ext, 16); len(ext) < 2 {
		ext = extensionOf(mimeType)
	}
	return stem, ext
}

// plainName keeps letters, digits and . _ - and puts - in place of anything else.
func plainName(s string, n int) string {
	out := make([]byte, 0, min(len(s), n))
	for i := 0; i < len(s) && len(out) < n; i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != '-':
			out = append(out, '-')
		}
	}
	return strings.TrimRight(string(out), "-")
}

// hex8 makes eight hexadecimal digits of a new id.
func (e *Engine) hex8() string {
	sum := sha256.Sum256([]byte(e.c.NewID()))
	return hex.EncodeToString(sum[:4])
}

// copyPath is where a copy of a file goes in another thread: by the copied
// file's name, made unique.
func (e *Engine) copyPath(name, mimeType string) string {
	stem, ext := splitName(name, mimeType)
	return attachmentDir + "/" + stem + "-" + e.hex8() + ext
}
