package js

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func (s *sealed) load(a api.OnLoadArgs) (api.OnLoadResult, error) {
	r := api.OnLoadResult{ResolveDir: "/nonexistent", Loader: api.LoaderTS}
	if s.JavaScript {
		r.Loader = api.LoaderJS
	}
	switch {
	case a.Path == sealedStart:
		r.Contents, r.Loader = s.startModule(), api.LoaderJS
	case a.Path == sealedTable:
		r.Contents, r.Loader = s.tableModule(), api.LoaderJS
	case a.Namespace == nsSealedImport:
		r.Contents, r.Loader = s.importModule(a.Path), api.LoaderJS
	case a.Namespace == nsSealedMain:
		r.Contents = s.source(s.Source, moduleKey{a.Namespace, a.Path})
	case path.Ext(a.Path) == ".json":
		text := s.Modules[a.Path]
		r.Contents, r.Loader = &text, api.LoaderJSON
	default:
		r.Contents = s.source(s.Modules[a.Path], moduleKey{a.Namespace, a.Path})
	}
	return r, nil
}

// startModule imports the entry and registers its namespace. The table of
// modules is there before the entry runs.
func (s *sealed) startModule() *string {
	text := `import * as ns from "sandbox:main";` + s.names.register + "(ns);"
	if s.table {
		text = "import " + quote(sealedTable) + ";" + text
	}
	return &text
}

// tableModule gives import(expression) all that may be imported.
func (s *sealed) tableModule() *string {
	var b strings.Builder
	b.WriteString(s.names.fill + "({__proto__:null")
	for _, key := range sortedKeys(s.Modules) {
		b.WriteString("," + quote(key) + ":()=>import(" + quote(key) + ")")
	}
	for _, key := range sortedKeys(s.Imports) {
		b.WriteString("," + quote(key) + ":()=>import(" + quote(key) + ")")
	}
	b.WriteString("});export {}")
	text := b.String()
	return &text
}

// importModule is the synthetic module of an object of the host.
func (s *sealed) importModule(specifier string) *string {
	var b strings.Builder
	for i, name := range s.Imports[specifier] {
		v := "v" + base36(i)
		b.WriteString("const " + v + "=" + s.names.imports + "[" + quote(specifier) + "][" + quote(name) + "];")
		b.WriteString("export{" + v + " as " + quote(name) + "};")
	}
	b.WriteString("export {}")
	text := b.String()
	return &text
}

func base36(n int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	if n < len(digits) {
		return digits[n : n+1]
	}
	return base36(n/len(digits)) + digits[n%len(digits):n%len(digits)+1]
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// wrap makes the output a function of the wrapper's names. The globals are
// parameters of a function around the source, so the source may declare the same
// names, and arrows have neither this nor arguments.
func (s *sealed) wrap(code string) string {
	n := s.names
	code = inHelper(code, "{ get: all[name], enumerable: true });", "{ get: all[name], enumerable: true });\n  "+n.seal+"(target);")
	code = inHelper(code, `throw Error('Dynamic require of "' + x + '" is not supported');`, "return "+n.importer+"(x);")
	params := []string{n.register, n.imports, n.importer, n.fill, n.seal, n.globals, n.nothing}
	head := "(async (" + strings.Join(params, ",") + `) => { "use strict"; await (async (` + strings.Join(s.Globals, ",") + ") => { await (async () => {"
	return head + "\n" + code + "\n})() })(..." + n.globals + ") })"
}

// inHelper changes the line of one of the linker's helpers. They stand before
// all source; new keeps the number of lines to what the map says, or the map is
// off for what follows, so it must not add any.
func inHelper(code, old, new string) string {
	return strings.Replace(code, old, strings.ReplaceAll(new, "\n", ""), 1)
}

func encodeMap(m []byte) string { return mapMarker + base64.StdEncoding.EncodeToString(m) }
