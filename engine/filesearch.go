package engine

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// FileMatches are the lines of one file that grepFiles found, as
// "<line number>: <text>" (decision A17).
type FileMatches struct {
	Path    string   `json:"path"`
	Matches []string `json:"matches"`
}

// maxMatch is how many bytes of a line are shown.
const maxMatch = 1000

// GrepFiles looks for a regular expression (or, where it is none, for the text
// itself) in the lines of all text files.
func (s *ThreadState) GrepFiles(ctx context.Context, pattern string) ([]FileMatches, error) {
	const op = "search files"
	leave, err := s.f.enter(op)
	if err != nil {
		return nil, err
	}
	defer leave()
	if pattern == "" {
		return nil, Errorf(CodeInvalid, op, "the pattern is empty")
	}
	expr, err := regexp.Compile(pattern)
	if err != nil {
		expr = regexp.MustCompile(regexp.QuoteMeta(pattern))
	}
	store := s.f.x.e.c.Store
	files, err := store.Files(ctx, s.f.x.snap.thread.ID, "/", true)
	if err != nil {
		return nil, err
	}
	found, left := []FileMatches{}, MaxGrepMatches
	for i := range files {
		f := &files[i]
		if f.IsDirectory || !searchable(f.MimeType) || left == 0 {
			continue
		}
		data, err := store.FileData(ctx, f, 0, f.Size)
		if CodeOf(err) == CodeNotFound && err != nil {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if lines := grep(expr, string(data), left); len(lines) > 0 {
			found = append(found, FileMatches{Path: f.Path, Matches: lines})
			left -= len(lines)
		}
	}
	return found, nil
}

func grep(expr *regexp.Regexp, text string, limit int) []string {
	var out []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if len(out) < limit && expr.MatchString(line) {
			out = append(out, strconv.Itoa(n)+": "+clip(strings.ToValidUTF8(line, "\uFFFD"), maxMatch))
		}
	}
	return out
}

// FindFiles lists the paths of the files that a glob matches: * and ? stop at a
// slash, ** doesn't, [abc] and {a,b} are alternatives. A pattern without a slash
// is for names in any directory.
func (s *ThreadState) FindFiles(ctx context.Context, glob string) ([]string, error) {
	leave, err := s.f.enter("find files")
	if err != nil {
		return nil, err
	}
	defer leave()
	expr, err := globExpr(glob)
	if err != nil {
		return nil, err
	}
	files, err := s.f.x.e.c.Store.Files(ctx, s.f.x.snap.thread.ID, "/", true)
	if err != nil {
		return nil, err
	}
	paths := []string{}
	for i := range files {
		if !files[i].IsDirectory && expr.MatchString(files[i].Path) {
			paths = append(paths, files[i].Path)
		}
	}
	return paths, nil
}

// globExpr makes a regular expression over whole paths of a glob.
func globExpr(glob string) (*regexp.Regexp, error) {
	const op = "find files"
	if glob == "" || len(glob) > MaxFilePath {
		return nil, Errorf(CodeInvalid, op, "the glob is empty or longer than %d bytes", MaxFilePath)
	}
	var b strings.Builder
	b.WriteString(`(?s)^/`)
	if !strings.Contains(glob, "/") {
		b.WriteString(`(?:.*/)?`)
	}
	g := globReader{rest: strings.TrimPrefix(glob, "/"), out: &b}
	for g.rest != "" {
		g.next()
	}
	for ; g.open > 0; g.open-- {
		b.WriteString(")")
	}
	b.WriteString("$")
	expr, err := regexp.Compile(b.String())
	if err != nil {
		return nil, Errorf(CodeInvalid, op, "%q is no glob", glob)
	}
	return expr, nil
}

// globReader translates a glob piece by piece.
type globReader struct {
	rest string
	out  *strings.Builder
	open int // braces
}

func (g *globReader) next() {
	for _, p := range [][2]string{{"**/", `(?:.*/)?`}, {"**", `.*`}, {"*", `[^/]*`}, {"?", `[^/]`}} {
		if rest, ok := strings.CutPrefix(g.rest, p[0]); ok {
			g.rest = rest
			g.out.WriteString(p[1])
			return
		}
	}
	c := g.rest[0]
	switch {
	case c == '[' && strings.IndexByte(g.rest, ']') > 1:
		g.class()
		return
	case c == '{' && strings.IndexByte(g.rest, '}') > 0:
		g.open++
		g.out.WriteString("(?:")
	case c == '}' && g.open > 0:
		g.open--
		g.out.WriteString(")")
	case c == ',' && g.open > 0:
		g.out.WriteString("|")
	case c == '\\' && len(g.rest) > 1:
		g.rest = g.rest[1:]
		g.literal()
		return
	default:
		g.literal()
		return
	}
	g.rest = g.rest[1:]
}

func (g *globReader) literal() {
	for i := range g.rest {
		if i > 0 {
			g.out.WriteString(regexp.QuoteMeta(g.rest[:i]))
			g.rest = g.rest[i:]
			return
		}
	}
	g.out.WriteString(regexp.QuoteMeta(g.rest))
	g.rest = ""
}

func (g *globReader) class() {
	end := strings.IndexByte(g.rest, ']')
	body := g.rest[1:end]
	g.rest = g.rest[end+1:]
	not := ""
	if body[0] == '!' || body[0] == '^' {
		not, body = "^/", body[1:]
	}
	if body == "" {
		body = "^"
	}
	body = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(body)
	g.out.WriteString("[" + not + body + "]")
}
