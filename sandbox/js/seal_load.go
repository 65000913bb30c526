package js

import (
	"encoding/base64"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

func (s *sealed) load(a api.OnLoadArgs) (api.OnLoadResult, error) {
	if text, bad := s.broken[moduleKey{a.Namespace, a.Path}]; bad {
		return throwing(text), nil
	}
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
	code = replaceFirst(code, exportHelper(), "${0} "+n.seal+"(${1});")
	code = replaceFirst(code, requireHelper(), "return "+n.importer+"(${1});")
	params := []string{n.register, n.imports, n.importer, n.fill, n.seal, n.globals, n.nothing}
	head := "(async (" + strings.Join(params, ",") + `) => { "use strict"; await (async (` + strings.Join(s.Globals, ",") + ") => { await (async () => {"
	return head + "\n" + code + "\n})() })(..." + n.globals + ") })"
}

// Two helpers of the linker are changed: that which makes a namespace, and that
// which import(expression) comes to. Their names depend on the source's.
var (
	exportHelper = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[\w$]+\(([\w$]+), [\w$]+, \{ get: [\w$]+\[[\w$]+\], enumerable: true \}\);`)
	})
	requireHelper = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`throw Error\('Dynamic require of "' \+ ([\w$]+) \+ '" is not supported'\);`)
	})
)

// replaceFirst changes the first match, which is the helper: helpers stand before
// all source. The text must not get another line, or positions would be wrong.
func replaceFirst(code string, pattern *regexp.Regexp, template string) string {
	m := pattern.FindStringSubmatchIndex(code)
	if m == nil {
		return code
	}
	return code[:m[0]] + string(pattern.ExpandString(nil, template, code, m)) + code[m[1]:]
}

func encodeMap(m []byte) string { return mapMarker + base64.StdEncoding.EncodeToString(m) }
