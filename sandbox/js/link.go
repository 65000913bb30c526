package js

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// LinkRequest names what Link links.
type LinkRequest struct {
	Entry           string            `json:"entry"` // source text of the entry module, TypeScript
	ResolveDir      string            `json:"resolveDir,omitempty"`
	Virtual         map[string]string `json:"virtual,omitempty"` // specifier -> source
	PreferInstalled []string          `json:"preferInstalled,omitempty"`
	FS              map[string]string `json:"fs,omitempty"` // absolute slash path -> text
	Lenient         bool              `json:"lenient,omitempty"`
	// Sealed links Virtual modules only: nothing is read from the disk.
	Sealed bool `json:"sealed,omitempty"`
}

// Linked is what Link made. Code is "" when the entry couldn't be linked.
type Linked struct {
	Code        string       `json:"code"`
	Inputs      []string     `json:"inputs,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics,omitempty"`
}

// maxPasses bounds how often a program with broken files is linked again. Each
// pass takes out every file that the one before found broken.
const maxPasses = 8

// unsupported are the syntax features that goja lacks and esbuild lowers.
func unsupported() map[string]bool {
	return map[string]bool{
		"async-generator": false, "for-await": false, "using": false, "decorators": false,
		"import-meta": false, "dynamic-import": false,
	}
}

// Link bundles the entry and what it imports into one text. A broken file is
// replaced by one that throws, and the rest linked again, until nothing new is
// found: so that the errors of all files are reported at once.
func Link(r LinkRequest) Linked {
	l := &linker{req: r, broken: map[moduleKey]string{}}
	for pass := 1; ; pass++ {
		res := api.Build(l.options())
		found := l.collect(res)
		if len(res.Errors) == 0 {
			return l.finish(res)
		}
		if !found || pass == maxPasses {
			return l.finish(api.BuildResult{})
		}
	}
}

type moduleKey struct{ namespace, path string }

type linker struct {
	mu       sync.Mutex // guards broken: plugins are called from several goroutines
	req      LinkRequest
	broken   map[moduleKey]string // the message that importing the module throws
	errors   []Diagnostic
	warnings []Diagnostic
}

func (l *linker) options() api.BuildOptions {
	dir := l.req.ResolveDir
	if dir == "" {
		dir = "/"
	}
	return api.BuildOptions{
		EntryPoints: []string{entryName}, Bundle: true, Write: false, LogLevel: api.LogLevelSilent, LogLimit: 0,
		AbsWorkingDir: dir, Outdir: dir, Metafile: true,
		AbsPaths: api.LogAbsPath | api.MetafileAbsPath,
		Format:   api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2022, Supported: unsupported(),
		// The globals are the web's, so packages that differ by host give their web form.
		MainFields: []string{"module", "main"}, Conditions: []string{"module", "workerd", "worker", "browser"},
		ResolveExtensions: []string{".ts", ".mts", ".tsx", ".js", ".mjs", ".cjs", ".jsx", ".json"},
		Sourcemap:         api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
		LogOverride: map[string]api.LogLevel{"empty-import-meta": api.LogLevelSilent}, // withMeta fills it
		TsconfigRaw: `{"compilerOptions":{"useDefineForClassFields":true}}`,
		Define:      map[string]string{"global": "globalThis", "process.env.NODE_ENV": `"production"`},
		Plugins:     []api.Plugin{{Name: "sideb", Setup: l.setup}},
	}
}

// finish wraps the output, unless an error forbids it.
func (l *linker) finish(res api.BuildResult) Linked {
	out := Linked{Inputs: inputs(res), Diagnostics: append(sorted(l.errors), sorted(l.warnings)...)}
	if len(l.errors) > 0 && !l.req.Lenient {
		return out
	}
	var code, sourceMap []byte
	for _, f := range res.OutputFiles {
		if strings.HasSuffix(f.Path, ".map") {
			sourceMap = f.Contents
		} else {
			code = f.Contents
		}
	}
	if code != nil {
		out.Code = wrap(string(code), absoluteSources(sourceMap, l.options().Outdir))
	}
	return out
}

const (
	wrapHead  = `(async (__register) => { "use strict";`
	mapMarker = "\n//# sourceMappingURL=data:application/json;base64,"
)

// wrap makes linked text: the head stands on a line of its own, so that a line
// of the text is one more than the map's.
func wrap(code string, sourceMap []byte) string {
	return wrapHead + "\n" + code + "\n})" + mapMarker + base64.StdEncoding.EncodeToString(sourceMap)
}

// absoluteSources writes the map's sources, relative to the output, as absolute
// paths, and virtual modules as their specifiers.
func absoluteSources(raw []byte, dir string) []byte {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	list, _ := m["sources"].([]any)
	for i, s := range list {
		text, _ := s.(string)
		list[i] = sourceName(text, dir)
	}
	delete(m, "names")
	m["names"] = []string{}
	out, err := json.Marshal(m)
	if err != nil {
		return raw
	}
	return out
}

func sourceName(text, dir string) string {
	if plain, err := url.PathUnescape(text); err == nil { // a map holds URLs
		text = plain
	}
	for _, ns := range []string{nsMemory, nsVirtual, nsEntry, nsBroken, nsSealedMain, nsSealedModule, nsSealedImport} {
		if rest, ok := strings.CutPrefix(text, ns+":"); ok {
			return rest
		}
	}
	return filepath.Join(dir, filepath.FromSlash(text))
}

// inputs lists the files that were read from the disk or from memory.
func inputs(res api.BuildResult) []string {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if json.Unmarshal([]byte(res.Metafile), &meta) != nil {
		return nil
	}
	var list []string
	for name := range meta.Inputs {
		switch ns, rest, ok := strings.Cut(name, ":"); {
		case ok && ns == nsMemory:
			list = append(list, rest)
		case ok && (ns == nsVirtual || ns == nsEntry || ns == nsBroken):
		default:
			list = append(list, filepath.FromSlash(name))
		}
	}
	sort.Strings(list)
	return list
}
