package agents

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// fingerprint is everything that a linked program depends on: equal ones mean
// that it need not be linked again.
type fingerprint struct {
	Program string            `json:"program"` // this executable with its embedded modules
	Sources []source          `json:"sources"` // the definition files
	Inputs  map[string]string `json:"inputs"`  // absolute path -> state, "" for a file that isn't there
}

// revision names the content; only that of the built-in project depends on the
// executable, which holds it.
func (f fingerprint) revision() string {
	if len(f.Inputs) > 0 {
		f.Program = ""
	}
	b, _ := json.Marshal(f) // strings only; map keys are sorted
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// read reads the project's own source files, by path relative to the project.
func (p *Project) read(sources []source, inputs []string) map[string]string {
	out := map[string]string{}
	add := func(rel string) {
		if _, ok := out[rel]; ok || filepath.IsAbs(rel) || installed(rel) {
			return
		}
		if b, err := fs.ReadFile(p.tree.fsys, rel); err == nil {
			out[rel] = string(b)
		}
	}
	for _, s := range sources {
		add(s.Rel)
	}
	for _, abs := range inputs {
		add(p.tree.rel(abs))
	}
	return out
}

func installed(path string) bool { return strings.Contains(filepath.ToSlash(path), "node_modules/") }

// fingerprint takes the state of the files. files are those whose text was read
// already.
func (p *Project) fingerprint(sources []source, inputs []string, files map[string]string) fingerprint {
	f := fingerprint{Program: programState(p.o.Exe), Sources: sources, Inputs: map[string]string{}}
	if p.tree.mem != nil {
		return f // the executable holds them
	}
	paths := slices.Clone(inputs)
	for _, s := range sources {
		paths = append(paths, p.tree.abs(s.Rel))
	}
	for _, abs := range append(paths, p.watchedConfig()...) {
		if text, ok := files[p.tree.rel(abs)]; ok {
			f.Inputs[abs] = hashText(text)
		} else {
			f.Inputs[abs] = fileState(abs)
		}
	}
	return f
}

// watchedConfig are files that aren't linked but say how imports resolve.
func (p *Project) watchedConfig() []string {
	out := []string{filepath.Join(p.tree.dir, "tsconfig.json"), filepath.Join(p.tree.dir, "package.json")}
	for dir := p.tree.dir; ; dir = filepath.Dir(dir) {
		out = append(out, filepath.Join(dir, "node_modules", "zod", "package.json"))
		if filepath.Dir(dir) == dir {
			return out
		}
	}
}

// fileState is a content hash; for an installed package, which has many files
// that nobody edits, size and time.
func fileState(abs string) string {
	if installed(abs) {
		info, err := os.Stat(abs)
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
	}
	b, err := os.ReadFile(abs)
	if err != nil {
		return ""
	}
	return hashText(string(b))
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}

// programState changes with the executable.
func programState(exe string) string {
	if exe == "" {
		exe, _ = os.Executable() // unknown: the state is that of no file
	}
	info, err := os.Stat(exe)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// same reports whether a fingerprint still describes the files.
func (p *Project) same(f fingerprint) bool {
	if f.Program != programState(p.o.Exe) {
		return false
	}
	sources, _ := scan(p.tree.fsys)
	if !reflect.DeepEqual(append([]source{}, sources...), append([]source{}, f.Sources...)) {
		return false
	}
	if p.tree.mem != nil {
		return true
	}
	for abs, state := range f.Inputs {
		if fileState(abs) != state {
			return false
		}
	}
	return true
}

func (p *Project) current(s *snapshot) bool { return p.same(s.print) }

// changedSince reports whether a file may have changed while it was linked, so
// that the result must not be remembered under its present state.
func (p *Project) changedSince(f fingerprint, began time.Time) bool {
	if p.tree.mem != nil {
		return false
	}
	for abs := range f.Inputs {
		if info, err := os.Stat(abs); err == nil && info.ModTime().After(began) {
			return true
		}
	}
	return false
}
