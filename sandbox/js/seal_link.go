package js

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
)

// SealedRequest is untrusted source with all that it may import: nothing is read
// from the disk.
type SealedRequest struct {
	Source     string
	Filename   string              // of the entry, such as "<runCode>"
	JavaScript bool                // the sources have no types
	Modules    map[string]string   // relative specifier -> source
	Imports    map[string][]string // bare specifier -> names of its exports
	Globals    []string            // names that exist at module scope
}

// SealedError says why sealed source can't be linked.
type SealedError struct {
	Name, Message, Filename, Specifier string
	Line, Column                       int // from 1, in UTF-16 units; 0 when unknown
}

const (
	nsSealedMain   = "sandbox-main"
	nsSealedModule = "sandbox-module"
	nsSealedImport = "sandbox-import"
	sealedStart    = "sandbox:start"
	sealedTable    = "sandbox:table"

	moduleEnd = "\nexport {}" // makes any source a module
)

// sealed is one linking.
type sealed struct {
	SealedRequest
	keys  map[string]string // module's normal path -> its key in Modules
	names sealedNames
	table bool // whether import(expression) occurs

	mu    sync.Mutex // the linker loads from several goroutines
	texts map[moduleKey]string
	// broken are modules that only import(expression) can reach, with what is
	// wrong with them: importing one throws it.
	broken map[moduleKey]string
}

// sealedNames are the wrapper's own names. They are random so that the source
// can't say them.
type sealedNames struct{ register, imports, importer, fill, seal, globals, nothing string }

func newSealedNames() sealedNames {
	name := func() string {
		b := make([]byte, 12)
		rand.Read(b) // never fails
		return "s" + hex.EncodeToString(b)
	}
	return sealedNames{name(), name(), name(), name(), name(), name(), name()}
}

// LinkSealed links sealed source into one text.
func LinkSealed(r SealedRequest) (string, *SealedError) {
	s := &sealed{SealedRequest: r, keys: map[string]string{}, names: newSealedNames(), texts: map[moduleKey]string{}}
	for key := range r.Modules {
		s.keys[path.Clean(key)] = key
	}
	res := s.build()
	if len(res.Errors) > 0 {
		return "", s.refusal(res.Errors)
	}
	var code, sourceMap []byte
	for _, f := range res.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			sourceMap = f.Contents
		} else {
			code = f.Contents
		}
	}
	return s.wrap(string(code)) + encodeMap(absoluteSources(sourceMap, "/")), nil
}

// maxGlobs bounds how many import(`./${x}`) with different texts there may be.
const maxGlobs = 64

func (s *sealed) build() api.BuildResult {
	expressions := false
	res := api.Build(s.options())
	for range maxGlobs {
		if !s.hideGlobs(res.Errors) {
			break
		}
		expressions = true
		res = api.Build(s.options())
	}
	if len(res.Errors) > 0 || !expressions && !slices.ContainsFunc(res.Warnings, isExpressionImport) {
		return res
	}
	s.table = true
	res = api.Build(s.options())
	for range maxPasses {
		if !s.breakModules(res.Errors) {
			break
		}
		res = api.Build(s.options())
	}
	return res
}

// breakModules takes out the modules that only the table brought in and that
// can't be linked. It reports whether there were any.
func (s *sealed) breakModules(list []api.Message) bool {
	found := false
	for _, m := range list {
		if m.Location == nil {
			continue
		}
		key := keyOf(m.Location)
		if _, known := s.broken[key]; known || key.namespace != nsSealedModule {
			continue
		}
		if s.broken == nil {
			s.broken = map[moduleKey]string{}
		}
		s.broken[key], found = m.Text, true
	}
	return found
}

func isExpressionImport(m api.Message) bool { return m.ID == "unsupported-dynamic-import" }

// hideGlobs changes import(`./${x}`), which the linker takes for a pattern of
// files on the disk, so that it is an expression like any other. It reports
// whether it found one.
func (s *sealed) hideGlobs(list []api.Message) bool {
	found := false
	for _, m := range list {
		if m.Location == nil || !strings.HasPrefix(m.Text, "Could not resolve import(") {
			continue
		}
		key := keyOf(m.Location)
		text, ok := s.texts[key]
		at := offset(text, m.Location.Line, m.Location.Column)
		if !ok || at < 0 {
			continue
		}
		s.texts[key], found = text[:at]+s.names.nothing+"??"+text[at:], true
	}
	return found
}

// offset is where the column (bytes from 0) of a line (from 1) is in text; -1 when it isn't.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return -1
		}
		at += end + 1
	}
	if at+column > len(text) {
		return -1
	}
	return at + column
}

func (s *sealed) options() api.BuildOptions {
	lacking := unsupported()
	for _, feature := range []string{"regexp-unicode-property-escapes", "regexp-match-indices", "regexp-set-notation"} {
		lacking[feature] = false
	}
	define := map[string]string{}
	for _, name := range []string{"module", "exports", "require"} {
		if !slices.Contains(s.Globals, name) {
			define[name] = "undefined"
		}
	}
	return api.BuildOptions{
		EntryPoints: []string{sealedStart}, Bundle: true, Write: false, LogLevel: api.LogLevelSilent, LogLimit: 0,
		AbsWorkingDir: "/", Outdir: "/", KeepNames: true, TreeShaking: api.TreeShakingFalse,
		Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2022, Supported: lacking,
		Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone, Define: define,
		LogOverride: map[string]api.LogLevel{"empty-import-meta": api.LogLevelSilent,
			"unsupported-regexp": api.LogLevelError, "unsupported-dynamic-import": api.LogLevelWarning},
		TsconfigRaw: `{"compilerOptions":{"useDefineForClassFields":true}}`,
		Plugins:     []api.Plugin{{Name: "sandbox", Setup: s.setup}},
	}
}

func (s *sealed) setup(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return s.resolve(a), nil
	})
	for _, ns := range []string{nsEntry, nsSealedMain, nsSealedModule, nsSealedImport} {
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: ns}, s.load)
	}
	// Nothing may come from the disk, whatever asked for it.
	b.OnLoad(api.OnLoadOptions{Filter: ".*"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		return api.OnLoadResult{Errors: []api.Message{{Text: "Could not resolve " + quote(a.Path)}}}, nil
	})
}

func (s *sealed) resolve(a api.OnResolveArgs) api.OnResolveResult {
	own := a.Kind == api.ResolveEntryPoint || a.Importer == sealedStart || a.Importer == sealedTable
	switch {
	case own && (a.Path == sealedStart || a.Path == sealedTable):
		return api.OnResolveResult{Path: a.Path, Namespace: nsEntry}
	case own && a.Path == "sandbox:main":
		return api.OnResolveResult{Path: s.Filename, Namespace: nsSealedMain}
	}
	if strings.HasPrefix(a.Path, "./") || strings.HasPrefix(a.Path, "../") {
		importer := ""
		if a.Namespace == nsSealedModule {
			importer = a.Importer
		}
		if key, ok := s.relative(a.Path, importer); ok {
			return api.OnResolveResult{Path: key, Namespace: nsSealedModule}
		}
	} else if _, ok := s.Imports[a.Path]; ok {
		return api.OnResolveResult{Path: a.Path, Namespace: nsSealedImport}
	} else if _, ok := s.Modules[a.Path]; ok {
		return api.OnResolveResult{Path: a.Path, Namespace: nsSealedModule}
	}
	return failed("Could not resolve "+quote(a.Path), a.Path)
}

// relative finds a relative specifier: from the importer's place, else as it is written.
func (s *sealed) relative(specifier, importer string) (string, bool) {
	dir := "."
	if importer != "" {
		dir = path.Dir(importer)
	}
	for _, base := range []string{path.Join(dir, specifier), path.Clean(specifier)} {
		for _, end := range []string{"", ".ts", ".js", ".mts", ".mjs", ".json"} {
			if key, ok := s.keys[base+end]; ok {
				return key, true
			}
		}
		if stem, js := strings.CutSuffix(base, ".js"); js {
			if key, ok := s.keys[stem+".ts"]; ok {
				return key, true
			}
		}
	}
	return "", false
}

// source prepares a module's text: it is a module whatever it contains, and its
// import.meta has a url. Lines and, but for the first line, columns stay.
func (s *sealed) source(text string, key moduleKey) *string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ready, ok := s.texts[key]; ok {
		return &ready
	}
	if rest, hashbang := strings.CutPrefix(text, "#!"); hashbang {
		text = "//" + rest
	} else {
		text = s.metaPrefix(text, key.path) + text
	}
	text += moduleEnd
	s.texts[key] = text
	return &text
}

func (s *sealed) metaPrefix(text, name string) string {
	if !strings.Contains(text, "import.meta") && !strings.Contains(text, `\u`) {
		return ""
	}
	return "import.meta.url=" + quote("sandbox:"+name) + ";"
}

// refusal is the first error. One on the line that source appended is an
// unexpected end of the last line.
func (s *sealed) refusal(list []api.Message) *SealedError {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b api.Message) int { return cmp.Compare(rank(a), rank(b)) })
	m := list[0]
	e := &SealedError{Name: "SyntaxError", Message: m.Text, Filename: s.Filename}
	if u, ok := m.Detail.(unresolved); ok {
		e.Name, e.Specifier = "LinkError", u.specifier
	}
	if m.ID == "unsupported-regexp" {
		what, _, _ := strings.Cut(m.Text, " in the configured target")
		e.Message = what + " in this engine"
	}
	if m.Location != nil {
		s.place(e, m.Location)
	}
	return e
}

// keyOf is the module of a location, which names it as namespace:path.
func keyOf(loc *api.Location) moduleKey {
	namespace, name, _ := strings.Cut(loc.File, ":")
	return moduleKey{namespace, name}
}

// rank puts errors of the entry before those of modules.
func rank(m api.Message) int {
	if m.Location != nil && keyOf(m.Location).namespace == nsSealedMain {
		return 0
	}
	return 1
}

func (s *sealed) place(e *SealedError, loc *api.Location) {
	key := keyOf(loc)
	text := s.Source
	if key.namespace == nsSealedModule {
		text, e.Filename = s.Modules[key.path], key.path
	}
	e.Line, e.Column = loc.Line, utf16Column(loc.LineText, loc.Column)
	if prefix := s.metaPrefix(text, key.path); loc.Line == 1 {
		e.Column = max(1, e.Column-len(prefix))
	}
	lines := strings.Split(text, "\n")
	if e.Line > len(lines) {
		e.Line = len(lines)
		e.Column = utf16Column(lines[e.Line-1], len(lines[e.Line-1]))
		e.Message = "Unexpected end of the source"
	}
}

// utf16Column turns a byte offset in a line into a column from 1.
func utf16Column(line string, at int) int {
	return 1 + len(utf16.Encode([]rune(line[:min(at, len(line))])))
}
