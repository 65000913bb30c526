package engine

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanPath(t *testing.T) {
	for in, want := range map[string]string{
		"/a/b":             "/a/b",
		"a/b":              "/a/b",
		"//a///b/":         "/a/b",
		"/./a/./b":         "/a/b",
		"/":                "/",
		".":                "/",
		"/a..b/..c/d..":    "/a..b/..c/d..",
		"/é/日本 x":          "/é/日本 x",
		"/...":             "/...",
		`/a\b`:             `/a\b`,
		"/a/b/..":          "",
		"..":               "",
		"/../etc/passwd":   "",
		"/a/../b":          "",
		"":                 "",
		"/a\x00b":          "",
		"/a\nb":            "",
		"/\xff":            "",
		"/" + long(256):    "",
		long(300) + "/../": "",
	} {
		got, err := CleanPath(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("CleanPath(%q) = %q, %v", in, got, err)
		}
		if err != nil && CodeOf(err) != CodeInvalid && CodeOf(err) != CodeLimit {
			t.Errorf("CleanPath(%q): %v", in, err)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// FuzzCleanPath: what comes out is absolute, clean, within the caps, and its own
// clean form; nothing climbs out of a directory.
func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"/a/b", "a//b/./c/", "/..", "/a/../../b", "...", "/a\x00", "//", "\xff", "/%2e%2e/x", "/a/.. /b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := CleanPath(s)
		if err != nil {
			return
		}
		if p[0] != '/' || path.Clean(p) != p || len(p) > MaxFilePath || !utf8.ValidString(p) || strings.Contains(p+"/", "/../") {
			t.Fatalf("CleanPath(%q) = %q", s, p)
		}
		if again, err := CleanPath(p); err != nil || again != p {
			t.Fatalf("CleanPath(%q) = %q, %v", p, again, err)
		}
		stem, ext := splitName(p, "")
		name := stem + "-01234567" + ext
		if clean, err := CleanPath(attachmentDir + "/" + name); err != nil || clean != attachmentDir+"/"+name || len(stem) > 64 {
			t.Fatalf("the copy of %q would be named %q: %v", p, name, err)
		}
	})
}

func TestSplitName(t *testing.T) {
	for _, c := range []struct{ name, mime, stem, ext string }{
		{"photo.png", "", "photo", ".png"},
		{"/a/b/My Photo (1).JPG", "", "My-Photo-1", ".JPG"},
		{`C:\dir\x.txt`, "", "x", ".txt"},
		{"noext", "image/webp", "noext", ".webp"},
		{"noext", "text/x-unknown; charset=utf-8", "noext", ".txt"},
		{".hidden", "application/json", ".hidden", ".json"},
		{"", "", "file", ".bin"},
		{"日本", "image/png", "file", ".png"},
		{long(100) + ".md", "", long(64), ".md"},
	} {
		if stem, ext := splitName(c.name, c.mime); stem != c.stem || ext != c.ext {
			t.Errorf("splitName(%q, %q) = %q, %q", c.name, c.mime, stem, ext)
		}
	}
}
