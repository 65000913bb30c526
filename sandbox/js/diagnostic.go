package js

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Diagnostic is one problem of the source. Line and Column (in bytes) count
// from 1; 0 means unknown.
type Diagnostic struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Message   string `json:"message"`
	Specifier string `json:"specifier,omitempty"`
	Warning   bool   `json:"warning,omitempty"`
}

// collect takes over a pass's messages and marks the files with errors as
// broken. It reports whether any is newly broken, which makes another pass worth it.
func (l *linker) collect(res api.BuildResult) bool {
	found := false
	for _, m := range res.Errors {
		d, key := l.diagnostic(m)
		l.errors = appendNew(l.errors, d)
		if m.Location == nil || key.namespace == nsEntry {
			continue
		}
		if _, known := l.isBroken(key); !known {
			l.markBroken(key, d.text())
			found = true
		}
	}
	for _, m := range res.Warnings {
		d, _ := l.diagnostic(m)
		if d.Warning = true; !strings.Contains(d.File, "/node_modules/") {
			l.warnings = appendNew(l.warnings, d)
		}
	}
	return found && !l.entryBroken()
}

func (l *linker) entryBroken() bool {
	return slices.ContainsFunc(l.errors, func(d Diagnostic) bool { return d.File == "" && d.Specifier == "" && d.Line == 0 })
}

func (l *linker) isBroken(key moduleKey) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, bad := l.broken[key]
	return text, bad
}

func (l *linker) markBroken(key moduleKey, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.broken[key]; !known {
		l.broken[key] = text
	}
}

func (l *linker) diagnostic(m api.Message) (Diagnostic, moduleKey) {
	d := Diagnostic{Message: m.Text}
	if u, ok := m.Detail.(unresolved); ok {
		d.Specifier = u.specifier
	}
	if m.Location == nil {
		return d, moduleKey{}
	}
	loc := m.Location
	key := moduleKey{loc.Namespace, strings.TrimPrefix(loc.File, loc.Namespace+":")}
	if key.namespace == "" {
		key.namespace = "file"
	}
	d.File, d.Line, d.Column = key.path, loc.Line, loc.Column+1
	if loc.Line == 1 {
		d.Column = unshift(d.Column, loc.LineText, key.path)
	}
	if key.namespace == nsEntry {
		d.File = ""
	}
	for _, n := range m.Notes {
		if n.Text != "" && d.Specifier == "" {
			d.Message += " (" + n.Text + ")"
			break
		}
	}
	return d, key
}

// unshift corrects a column of the first line for what withMeta put before it.
func unshift(column int, line, name string) int {
	if prefix := metaPrefix(name); strings.HasPrefix(line, prefix) {
		return max(1, column-len(prefix))
	}
	return column
}

func (d Diagnostic) text() string {
	return d.File + ":" + strconv.Itoa(d.Line) + ":" + strconv.Itoa(d.Column) + ": " + d.Message
}

func appendNew(list []Diagnostic, d Diagnostic) []Diagnostic {
	if slices.Contains(list, d) {
		return list
	}
	return append(list, d)
}

func sorted(list []Diagnostic) []Diagnostic {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}
