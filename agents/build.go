package agents

import (
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// build makes a snapshot of what was linked. It runs no JavaScript.
func (p *Project) build(l *linked, old *snapshot) *snapshot {
	_, problems := scan(p.tree.fsys)
	b := &builder{p: p, l: l, old: old, s: &snapshot{files: map[string]*definition{}, programs: map[string]*program{}, print: l.Print}}
	b.byFile = map[string]described{}
	for _, d := range l.Described {
		b.byFile[d.File] = d
	}
	main, models := l.programs()
	var list []*definition
	for _, s := range l.Sources {
		prog := main
		if forModels(s.Kind) {
			prog = models
		}
		d, from := b.definition(s, prog)
		b.s.files[s.Rel], b.s.programs[s.Rel] = d, from
		list = append(list, d)
	}
	defs := assemble(list)
	defs.Problems = append(append(defs.Problems, problems...), b.diagnostics()...)
	defs.Problems = append(defs.Problems, validate(defs, b.texts())...)
	defs.Problems = sortProblems(defs.Problems)
	if len(l.Sources) == 0 {
		defs.Problems = append(defs.Problems, engine.Problem{Severity: engine.SeverityWarning, File: "agents",
			Message: "the project defines nothing", Hint: "add agents/agents/<name>.ts, or start from `sideb init`"})
	}
	defs.Dir, defs.Name, defs.Revision = p.tree.dir, p.tree.name, l.Print.revision()
	if p.tree.mem != nil {
		defs.Dir = ""
	}
	b.s.defs = defs
	b.s.names = namesOf(defs)
	return b.s
}

// builder makes the definitions of one snapshot.
type builder struct {
	p      *Project
	l      *linked
	old    *snapshot
	s      *snapshot
	byFile map[string]described
}

// definition reads one file; a file that is broken gives its last good
// definition, with the program that it belongs to, and says so.
func (b *builder) definition(s source, prog *program) (*definition, *program) {
	src := readText(func() string {
		data, _ := fs.ReadFile(b.p.tree.fsys, s.Rel) // in a file that is gone every place is unknown
		return string(data)
	})
	var d *definition
	is, ok := b.byFile[s.Rel]
	switch {
	case !ok || is.Error != nil:
		d = &definition{source: s, text: src}
		d.problems = b.broken(s, d.text, is.Error)
	default:
		d = convert(s, src, is)
	}
	if d.usable() || b.old == nil {
		return d, prog
	}
	last := b.old.files[s.Rel]
	if last == nil || !last.usable() {
		return d, prog
	}
	kept := *last
	kept.text, kept.problems = d.text, append(d.problems, engine.Problem{
		Severity: engine.SeverityWarning, File: s.Rel, Line: 1, Column: 1,
		Message: "the file is broken: its last good definition stays in use", Hint: "correct the errors in this file",
	})
	return &kept, b.old.programs[s.Rel]
}

// broken says why a file could not be evaluated, unless the linker has said so.
func (b *builder) broken(s source, src *text, e *worker.Thrown) []engine.Problem {
	if b.diagnosed(s.Rel) {
		return nil
	}
	p := engine.Problem{Severity: engine.SeverityError, File: s.Rel, Line: 1, Column: 1}
	if e == nil {
		p.Message, p.Hint = "the file could not be linked", "correct the other errors first"
		return []engine.Problem{p}
	}
	p.Message = e.Error()
	p.Hint = "the file throws while it is loaded"
	if rel := b.culprit(e.Message); rel != "" {
		at := src.find(nil, importOf(src, rel))
		p.Line, p.Column = at.line, at.column
		p.Message, p.Hint = "the file can't be loaded: it imports "+rel+", which has errors", "correct "+rel
		return []engine.Problem{p}
	}
	rel := b.p.tree.rel(e.File)
	if e.File == "" || path.IsAbs(rel) || installed(rel) || strings.HasPrefix(rel, "sideb:") {
		rel, e = b.ownFrame(e)
	}
	if rel == "" {
		return []engine.Problem{p}
	}
	p.File, p.Line, p.Column = rel, e.Line, e.Column
	if rel != s.Rel {
		p.Hint = "it throws while " + s.Rel + " is loaded"
	}
	return []engine.Problem{p}
}

// ownFrame is the innermost position of a stack that lies in the project; ""
// where there is none.
func (b *builder) ownFrame(e *worker.Thrown) (string, *worker.Thrown) {
	for _, f := range frames(e.Stack) {
		rel := b.p.tree.rel(f.file)
		if !path.IsAbs(rel) && !installed(rel) && !strings.HasPrefix(rel, "sideb:") {
			return rel, &worker.Thrown{Line: f.line, Column: f.column}
		}
	}
	return "", e
}

// culprit is the file whose diagnostic an error repeats.
func (b *builder) culprit(message string) string {
	for _, d := range b.l.Diagnostics {
		if !d.Warning && strings.Contains(message, d.Message) {
			return b.p.tree.rel(d.File)
		}
	}
	return ""
}

// importOf is the specifier by which a file seems to import another.
func importOf(src *text, rel string) string {
	base := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	for _, t := range src.tokens() {
		if t.quoted && strings.TrimSuffix(path.Base(t.text), path.Ext(t.text)) == base {
			return t.text
		}
	}
	return ""
}

// diagnosed reports whether the linker found errors in a file.
func (b *builder) diagnosed(rel string) bool {
	return slices.ContainsFunc(b.l.Diagnostics, func(d worker.Diagnostic) bool {
		return !d.Warning && b.p.tree.rel(d.File) == rel
	})
}

// diagnostics are the linker's findings in the project's own files.
func (b *builder) diagnostics() []engine.Problem {
	var out []engine.Problem
	for _, d := range b.l.Diagnostics {
		rel := b.p.tree.rel(d.File)
		if d.Warning && (strings.Contains(rel, "node_modules/") || rel == "" || path.IsAbs(rel)) {
			continue
		}
		p := engine.Problem{Severity: engine.SeverityError, File: rel, Line: d.Line, Column: d.Column, Message: b.relative(d.Message)}
		if d.Warning {
			p.Severity = engine.SeverityWarning
		}
		p.Hint = b.importHint(d.Specifier)
		out = append(out, p)
	}
	return out
}

// relative names the project's files in a message as problems name them.
func (b *builder) relative(message string) string {
	return strings.ReplaceAll(message, b.p.tree.dir+"/", "")
}

func (b *builder) importHint(specifier string) string {
	switch {
	case specifier == "":
		return ""
	case strings.HasPrefix(specifier, "@standardagents/"):
		return "the built-in modules are: " + strings.Join(publicModules(), ", ")
	case strings.HasPrefix(specifier, "."):
		return "check the path; it is relative to this file"
	case strings.HasPrefix(specifier, "node:") || slices.Contains([]string{"fs", "path", "os", "child_process", "crypto", "http"}, specifier):
		return "project code has web globals (fetch, crypto, URL, …) and no Node modules"
	default:
		return "install the package in " + b.p.tree.dir + ", so that it is in node_modules"
	}
}

func (b *builder) texts() map[string]*text {
	out := map[string]*text{}
	for rel, d := range b.s.files {
		out[rel] = d.text
	}
	return out
}

// namesOf is JSON text as a JSON string.
func namesOf(d *engine.Definitions) json.RawMessage {
	b, _ := json.Marshal(map[string][]string{ // lists of strings always have a JSON form
		"models":  append([]string{}, slices.Sorted(maps.Keys(d.Models))...),
		"prompts": append([]string{}, slices.Sorted(maps.Keys(d.Prompts))...),
		"agents":  append([]string{}, slices.Sorted(maps.Keys(d.Agents))...),
	})
	return json.RawMessage(quoteJS(string(b)))
}

// stackFrame is one line of a JavaScript stack.
type stackFrame struct {
	file         string
	line, column int
}

// frames reads the positions of a stack, innermost first.
func frames(stack string) []stackFrame {
	if stack == "" {
		return nil
	}
	re := regexp.MustCompile(`(?m)(?:\(|at )((?:[A-Za-z]:)?[^()\s:][^():\n]*):(\d+):(\d+)`)
	var out []stackFrame
	for _, m := range re.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		out = append(out, stackFrame{file: m[1], line: line, column: column})
	}
	return out
}
