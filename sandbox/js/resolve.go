package js

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Namespaces of modules that aren't files on disk. Their names contain no
// letter drive and no slash, so that a path can't be mistaken for one.
const (
	nsEntry   = "sideb-entry"
	nsVirtual = "sideb-virtual"
	nsMemory  = "sideb-memory"
	nsBroken  = "sideb-broken"

	entryName = "sideb:start"
	userEntry = "sideb:entry"
)

const startSource = `import * as ns from "` + userEntry + `"; __register(ns);`

type inner struct{} // plugin data of our own look-ups, which must not come back to us

func (l *linker) setup(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		if _, own := a.PluginData.(inner); own {
			return api.OnResolveResult{}, nil
		}
		return l.resolve(b, a), nil
	})
	for _, ns := range []string{nsEntry, nsVirtual, nsMemory, nsBroken} {
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: ns}, l.loadOwn)
	}
	b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, l.loadFile)
}

func (l *linker) resolve(b api.PluginBuild, a api.OnResolveArgs) api.OnResolveResult {
	switch {
	case a.Path == entryName, a.Path == userEntry && a.Namespace == nsEntry:
		return api.OnResolveResult{Path: a.Path, Namespace: nsEntry}
	}
	if _, ok := l.req.Virtual[a.Path]; ok {
		if slices.Contains(l.req.PreferInstalled, a.Path) && !l.req.Sealed {
			if found := b.Resolve(a.Path, l.lookUp(a)); len(found.Errors) == 0 {
				return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace, Suffix: found.Suffix}
			}
		}
		return api.OnResolveResult{Path: a.Path, Namespace: nsVirtual}
	}
	if file, ok := l.inMemory(a); ok {
		return api.OnResolveResult{Path: file, Namespace: nsMemory}
	}
	if l.req.Sealed {
		return failed("Could not resolve "+quote(a.Path), a.Path)
	}
	if name, builtin := strings.CutPrefix(a.Path, "node:"); builtin || isNodeModule(a.Path) {
		return l.nodeBuiltin(b, a, name)
	}
	found := b.Resolve(a.Path, l.lookUp(a))
	if len(found.Errors) > 0 {
		return failed(found.Errors[0].Text+advice(a), a.Path)
	}
	r := api.OnResolveResult{Path: found.Path, Namespace: found.Namespace, Suffix: found.Suffix}
	if !found.SideEffects {
		r.SideEffects = api.SideEffectsFalse
	}
	return r
}

func (l *linker) lookUp(a api.OnResolveArgs) api.ResolveOptions {
	dir := a.ResolveDir
	if dir == "" {
		dir = l.req.ResolveDir
	}
	return api.ResolveOptions{Importer: a.Importer, Namespace: "file", ResolveDir: dir, Kind: a.Kind, PluginData: inner{}, With: a.With}
}

// inMemory finds a relative or absolute specifier among the files in memory.
func (l *linker) inMemory(a api.OnResolveArgs) (string, bool) {
	if len(l.req.FS) == 0 {
		return "", false
	}
	name := a.Path
	switch {
	case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || name == "." || name == "..":
		dir := filepath.ToSlash(l.req.ResolveDir)
		if a.Namespace == nsMemory {
			dir = path.Dir(a.Importer)
		}
		name = path.Join(dir, name)
	case path.IsAbs(name):
	default:
		return "", false
	}
	base := strings.TrimSuffix(name, ".js") // a TypeScript file may be imported as .js
	for _, try := range []string{name, name + ".ts", name + ".tsx", name + ".js", name + ".mjs", name + ".json",
		name + "/index.ts", name + "/index.js", base + ".ts"} {
		if _, ok := l.req.FS[try]; ok {
			return try, true
		}
	}
	return "", false
}

// nodeBuiltin refuses Node's own modules: in the project's code when it is
// linked, in packages when they are evaluated, since many import what they use
// on one path only.
func (l *linker) nodeBuiltin(b api.PluginBuild, a api.OnResolveArgs, name string) api.OnResolveResult {
	if !strings.HasPrefix(a.Path, "node:") {
		if found := b.Resolve(a.Path, l.lookUp(a)); len(found.Errors) == 0 { // a package of that name
			return api.OnResolveResult{Path: found.Path, Namespace: found.Namespace}
		}
	}
	text := "Node's module " + quote(name) + " is not available here; use the web API (fetch, crypto, URL, …) or thread state"
	if strings.Contains(filepath.ToSlash(a.Importer), "/node_modules/") {
		l.markBroken(moduleKey{nsBroken, a.Path}, text)
		return api.OnResolveResult{Path: a.Path, Namespace: nsBroken}
	}
	return failed(text, a.Path)
}

func (l *linker) loadOwn(a api.OnLoadArgs) (api.OnLoadResult, error) {
	if text, bad := l.isBroken(moduleKey{a.Namespace, a.Path}); bad {
		return throwing(text), nil
	}
	r := api.OnLoadResult{ResolveDir: l.req.ResolveDir, Loader: api.LoaderTS}
	var source string
	switch {
	case a.Path == entryName:
		source = startSource
	case a.Path == userEntry:
		source = l.req.Entry
	case a.Namespace == nsMemory:
		source = l.req.FS[a.Path]
		r.ResolveDir, r.Loader = filepath.FromSlash(path.Dir(a.Path)), loaderOf(a.Path)
	default:
		source = l.req.Virtual[a.Path]
		if path.Ext(a.Path) == ".json" {
			r.Loader = api.LoaderJSON
		}
	}
	if l.req.Sealed {
		r.ResolveDir = "/nonexistent"
	}
	source = withMeta(source, a.Path, r.Loader)
	r.Contents = &source
	return r, nil
}

// loadFile reads a file, so that import.meta can be given to it and a broken
// one replaced. The rest is left to esbuild.
func (l *linker) loadFile(a api.OnLoadArgs) (api.OnLoadResult, error) {
	if l.req.Sealed {
		return api.OnLoadResult{Errors: []api.Message{{Text: "Files can't be read here"}}}, nil
	}
	if text, bad := l.isBroken(moduleKey{"file", a.Path}); bad {
		return throwing(text), nil
	}
	loader := loaderOf(a.Path)
	if loader == api.LoaderNone {
		return api.OnLoadResult{}, nil
	}
	raw, err := os.ReadFile(a.Path)
	if err != nil {
		return api.OnLoadResult{}, nil
	}
	source := withMeta(string(raw), a.Path, loader)
	return api.OnLoadResult{Contents: &source, ResolveDir: filepath.Dir(a.Path), Loader: loader}, nil
}

// loaderOf is LoaderNone for what esbuild should read itself.
func loaderOf(name string) api.Loader {
	switch path.Ext(filepath.ToSlash(name)) {
	case ".ts", ".mts", ".cts":
		return api.LoaderTS
	case ".tsx":
		return api.LoaderTSX
	case ".js", ".mjs", ".cjs":
		return api.LoaderJS
	case ".jsx":
		return api.LoaderJSX
	case ".json":
		return api.LoaderJSON
	case ".txt", ".md":
		return api.LoaderText
	}
	return api.LoaderNone
}

// throwing is a module whose evaluation throws. It is CommonJS, so that any name
// may be imported from it.
func throwing(text string) api.OnLoadResult {
	source := "throw new SyntaxError(" + quote(text) + ");module.exports={}"
	return api.OnLoadResult{Contents: &source, Loader: api.LoaderJS}
}

func failed(text, specifier string) api.OnResolveResult {
	return api.OnResolveResult{Errors: []api.Message{{Text: text, Detail: unresolved{specifier}}}}
}

type unresolved struct{ specifier string }

func advice(a api.OnResolveArgs) string {
	if strings.HasPrefix(a.Path, ".") || filepath.IsAbs(a.Path) {
		return "; is the path right?"
	}
	return "; install the package in the project's node_modules"
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
