package agents

import (
	"encoding/json"
	"strings"
)

// writeEntry is the source of the module that a program is linked from. Each
// definition file is imported lazily: one that throws harms only itself.
func writeEntry(t tree, sources []source) string {
	var b strings.Builder
	b.WriteString("import { program } from \"sideb:glue/index\";\n")
	b.WriteString("const { describe, callTool, callHook, callEffect, callModel, ping } = program({\n")
	for _, s := range sources {
		b.WriteString("  " + quoteJS(s.Rel) + ": () => import(" + quoteJS(t.abs(s.Rel)) + "),\n")
	}
	b.WriteString("});\n")
	b.WriteString("export { describe, callTool, callHook, callEffect, callModel, ping };\n")
	return b.String()
}

// writeModels is the source of the module that the models' own program is linked
// from.
func writeModels(t tree, sources []source) string {
	var b strings.Builder
	b.WriteString("import { models } from \"sideb:glue/models\";\n")
	b.WriteString("const { callModel, ping } = models({\n")
	for _, s := range sources {
		if forModels(s.Kind) {
			b.WriteString("  " + quoteJS(s.Rel) + ": () => import(" + quoteJS(t.abs(s.Rel)) + "),\n")
		}
	}
	b.WriteString("});\n")
	b.WriteString("export { callModel, ping };\n")
	return b.String()
}

// forModels reports whether a definition is needed to ask a model.
func forModels(k kind) bool { return k == kindModel || k == kindProvider }

// quoteJS writes s as a JavaScript string literal; JSON's form is one.
func quoteJS(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}
