package agents

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// kind is what a definition file defines; it is also the name of its directory.
type kind string

const (
	kindAgent    kind = "agents"
	kindPrompt   kind = "prompts"
	kindModel    kind = "models"
	kindTool     kind = "tools"
	kindHook     kind = "hooks"
	kindEffect   kind = "effects"
	kindEndpoint kind = "api"
	kindProvider kind = "providers"
)

// flatKinds are the kinds of which only the directory's top level is read.
var flatKinds = [...]kind{kindAgent, kindPrompt, kindModel, kindTool, kindHook, kindEffect, kindProvider}

// source is one definition file.
type source struct {
	Kind   kind   `json:"kind"`
	Rel    string `json:"rel"`            // relative to the project directory, with slashes
	Name   string `json:"name,omitempty"` // the name that the file name gives: tools, effects
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"` // route of an endpoint
}

// scan lists the definition files of the project that fsys holds (its agents/
// directory is at the root of fsys), sorted by kind and path, and what is wrong
// with their names and places.
func scan(fsys fs.FS) ([]source, []engine.Problem) {
	var out []source
	var problems []engine.Problem
	for _, k := range flatKinds {
		for _, name := range tsFiles(fsys, path.Join("agents", string(k))) {
			if skipped(k, name) {
				continue
			}
			s := source{Kind: k, Rel: path.Join("agents", string(k), name)}
			if k == kindTool || k == kindEffect {
				s.Name = strings.TrimSuffix(name, ".ts")
				problems = append(problems, nameProblems(s)...)
			}
			out = append(out, s)
		}
	}
	out = append(out, scanEndpoints(fsys)...)
	return out, append(problems, unusedDirs(fsys)...)
}

// tsFiles are the names of a directory's own TypeScript modules; none where the
// directory doesn't exist.
func tsFiles(fsys fs.FS, dir string) []string {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if n := e.Name(); !e.IsDir() && strings.HasSuffix(n, ".ts") && !strings.HasSuffix(n, ".d.ts") && !strings.HasSuffix(n, ".test.ts") {
			names = append(names, n)
		}
	}
	return names
}

func skipped(k kind, name string) bool {
	switch k {
	case kindHook:
		return name == "index.ts"
	case kindEffect:
		return strings.HasPrefix(name, "CLAUDE") || strings.HasPrefix(name, "AGENTS") || strings.HasPrefix(name, "_")
	default:
		return false
	}
}

func nameProblems(s source) []engine.Problem {
	if snakeCase(s.Name) {
		return nil
	}
	return []engine.Problem{{
		Severity: engine.SeverityWarning,
		File:     s.Rel,
		Message:  fmt.Sprintf("the name %q, which the file name gives, isn't snake_case", s.Name),
		Hint:     fmt.Sprintf("rename the file to %s.ts and use that name in prompts: models call names such as send_email most reliably", toSnake(s.Name)),
	}}
}

func snakeCase(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

func toSnake(s string) string {
	words := regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`).FindAllString(s, -1)
	return strings.ToLower(strings.Join(words, "_"))
}

// scanEndpoints reads agents/api with its subdirectories.
func scanEndpoints(fsys fs.FS) []source {
	var out []source
	_ = fs.WalkDir(fsys, "agents/api", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".ts") || strings.HasSuffix(p, ".d.ts") {
			return nil // a directory that can't be read has no endpoints
		}
		method, route := routeOf(strings.TrimPrefix(p, "agents/api/"))
		out = append(out, source{Kind: kindEndpoint, Rel: p, Method: method, Path: route})
		return nil
	})
	return out
}

// routeOf reads method and path of an endpoint from its file name below
// agents/api: "users/[id].post.ts" is POST /users/[id].
func routeOf(file string) (method, route string) {
	name := strings.TrimSuffix(file, ".ts")
	method = "GET"
	if dot := strings.LastIndexByte(name, '.'); dot > strings.LastIndexByte(name, '/') {
		suffix := strings.ToUpper(name[dot+1:])
		if slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, suffix) {
			method, name = suffix, name[:dot]
		}
	}
	if name == "index" {
		return method, "/"
	}
	return method, "/" + strings.TrimSuffix(name, "/index")
}

// unusedDirs warns of directories whose files would otherwise be left out
// silently.
func unusedDirs(fsys fs.FS) []engine.Problem {
	why := []struct{ dir, message, hint string }{
		{"packed", "packed packages are not loaded", "import the definitions from TypeScript files of the project for now"},
		{"handlers", "handlers belong to version 0.2 of the specification and are not loaded", "use a prompt or a tool"},
		{"users", "user definitions belong to version 0.2 of the specification and are not loaded", "remove the directory or ignore this"},
		{"skills", "skills belong to version 0.2 of the specification and are not loaded", "put the text into a prompt"},
	}
	var out []engine.Problem
	for _, w := range why {
		dir := path.Join("agents", w.dir)
		if entries, err := fs.ReadDir(fsys, dir); err == nil && len(entries) > 0 {
			out = append(out, engine.Problem{Severity: engine.SeverityWarning, File: dir, Message: w.message, Hint: w.hint})
		}
	}
	return out
}
