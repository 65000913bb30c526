package engine

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestGlobs(t *testing.T) {
	paths := []string{"/a.md", "/docs/b.md", "/docs/deep/c.md", "/docs/c.txt", "/docs/[x].md", "/x,y", "/a+b.md", "/é.md"}
	for glob, want := range map[string]string{
		"*.md":          "/a.md /docs/b.md /docs/deep/c.md /docs/[x].md /a+b.md /é.md",
		"/*.md":         "/a.md /a+b.md /é.md",
		"?.md":          "/a.md /docs/b.md /docs/deep/c.md /é.md",
		"docs/*":        "/docs/b.md /docs/c.txt /docs/[x].md",
		"/docs/**":      "/docs/b.md /docs/deep/c.md /docs/c.txt /docs/[x].md",
		"/docs/**/*.md": "/docs/b.md /docs/deep/c.md /docs/[x].md",
		"**/c.*":        "/docs/deep/c.md /docs/c.txt",
		"[ab].md":       "/a.md /docs/b.md",
		"[!ab].md":      "/docs/deep/c.md /é.md",
		"[a-b].md":      "/a.md /docs/b.md",
		"c.{md,txt}":    "/docs/deep/c.md /docs/c.txt",
		"x,y":           "/x,y",
		`\[x\].md`:      "/docs/[x].md",
		"a+b.md":        "/a+b.md",
		"[x].md":        "",
		"{a":            "",
		"/**":           strings.Join(paths, " "),
	} {
		expr, err := globExpr(glob)
		if err != nil {
			t.Errorf("%q: %v", glob, err)
			continue
		}
		got := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !expr.MatchString(p) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %v, not %s (%s)", glob, got, want, expr)
		}
	}
}

// FuzzGlobs: any text is a glob or a clear error, and one without special
// characters finds the file of that path.
func FuzzGlobs(f *testing.F) {
	for _, s := range []string{"*.md", "[!a-", "{a,{b,c}", "[]]", "[^]", "\\", "**/**", "}{", "[a-\\]", "[[:alpha:]]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		expr, err := globExpr(s)
		if err != nil {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		if p, err := CleanPath(s); err == nil && p == s && !strings.ContainsAny(s, `*?[]{},\`) && s != "/" && !expr.MatchString(p) {
			t.Fatalf("%q doesn't find itself: %s", s, expr)
		}
	})
}

func TestGrepLines(t *testing.T) {
	text := "one\r\ntwo\n\nthree two\xff\nlast two"
	got := grep(regexp.MustCompile("two"), text, 2)
	if want := []string{"2: two", "4: three two\uFFFD"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPathLists(t *testing.T) {
	for args, want := range map[string]string{
		`{}`:                         "",
		`{"f":null}`:                 "",
		`{"f":[]}`:                   "",
		`{"f":""}`:                   "",
		`{"f":"/a"}`:                 "/a",
		`{"f":["/a"," /b "]}`:        "/a /b",
		`{"f":{"path":"/a"}}`:        "/a",
		`{"f":[{"path":"/a"},"/b"]}`: "/a /b",
		`{"f":3}`:                    "error",
		`{"f":[{"name":"x"}]}`:       "error",
		`{"f":[["/a"]]}`:             "error",
		`{"other":"/a"}`:             "",
		`not json`:                   "",
	} {
		list, err := pathList(json.RawMessage(args), "f")
		got := strings.Join(list, " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}
