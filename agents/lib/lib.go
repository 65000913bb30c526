package lib

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.ts zod/*.ts
var files embed.FS

// public maps the specifiers that projects write to the files behind them.
var public = [...]struct{ specifier, file string }{
	{"zod", "zod/index"},
	{"zod/v4", "zod/index"},
	{"@standardagents/spec", "spec"},
	{"@standardagents/builder", "builder"},
	{"@standardagents/builder/test", "test"},
}

// Providers are the names of the providers that the program itself speaks with;
// each has a module @standardagents/<name>.
func Providers() []string {
	return []string{
		"anthropic", "cerebras", "cloudflare", "deepinfra", "google", "groq", "novita", "ollama", "openai", "openrouter", "xai",
	}
}

// Modules is the source of every module by its specifier. Those that begin with
// "sideb:" are the parts of the others.
func Modules() map[string]string {
	m := map[string]string{}
	for _, pattern := range []string{"*.ts", "zod/*.ts"} {
		names, _ := fs.Glob(files, pattern)
		for _, name := range names {
			text, _ := files.ReadFile(name)
			m["sideb:"+strings.TrimSuffix(name, ".ts")] = string(text)
		}
	}
	for _, p := range public {
		m[p.specifier] = reexport("sideb:" + p.file)
	}
	for _, name := range Providers() {
		m["@standardagents/"+name] = providerModule(name)
	}
	return m
}

// Replaceable are the specifiers for which a copy in the project's node_modules
// wins.
func Replaceable() []string { return []string{"zod", "zod/v4"} }

func reexport(part string) string {
	text := `export * from "` + part + `";` + "\n"
	if part == "sideb:zod/index" {
		text += `export { default } from "` + part + `";` + "\n"
	}
	return text
}

func providerModule(name string) string {
	return `import { hostProvider } from "sideb:provider";
export const ` + name + ` = hostProvider("` + name + `");
export default ` + name + `;
`
}
