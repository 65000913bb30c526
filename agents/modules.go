package agents

import (
	"embed"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/sideb-dev/sideb/agents/lib"
)

//go:embed glue/*.ts
var glue embed.FS

// modules is the source of every built-in module by its specifier.
func modules() map[string]string {
	m := lib.Modules()
	names, _ := fs.Glob(glue, "glue/*.ts") // the pattern is right
	for _, name := range names {
		text, _ := glue.ReadFile(name) // it was listed
		m["sideb:"+strings.TrimSuffix(name, ".ts")] = string(text)
	}
	return m
}

// installable are the modules for which a copy in node_modules wins.
func installable() []string { return lib.Replaceable() }

// publicModules are the specifiers that projects import.
func publicModules() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(lib.Modules())) {
		if !strings.HasPrefix(name, "sideb:") {
			out = append(out, name)
		}
	}
	return out
}
