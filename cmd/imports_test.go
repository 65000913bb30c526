package cmd

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/sideb-dev/sideb"

// importRule forbids imports to the packages that match Package. Patterns are
// path.Match patterns below the module, or whole import paths; a trailing /...
// takes everything below, and ours stands for every package of the module.
type importRule struct {
	Package   string
	Forbidden []string
	Except    []string
	Why       string
}

// importRules is the package map of ARCHITECTURE.md as a table. It holds for
// what a package reaches, not only for what it names.
var importRules = []importRule{
	{Package: "engine", Forbidden: []string{"ours"}, Why: "the engine knows nothing of ours"},
	{Package: "sandbox/value", Forbidden: []string{"ours"}, Why: "the value codec is a leaf"},
	{Package: "sandbox/js", Forbidden: []string{"ours"}, Except: []string{"sandbox/value"}, Why: "the JavaScript engine knows values only"},
	{Package: "sandbox/jail", Forbidden: []string{"ours"}, Why: "what the system can confine is a leaf"},
	{Package: "sandbox/worker", Forbidden: []string{"ours"}, Except: []string{"sandbox/js", "sandbox/jail", "sandbox/value", "sandbox/worker/..."}, Why: "workers know nothing of threads"},
	{Package: "sandbox", Forbidden: []string{"ours"}, Except: []string{"sandbox/..."}, Why: "the sandbox knows nothing of threads"},
	{Package: "engine/provider", Forbidden: []string{"ours"}, Except: []string{"engine", "engine/provider/..."}, Why: "providers see the engine only"},
	{Package: "engine/hosttool", Forbidden: []string{"ours"}, Except: []string{"engine", "sandbox/jail"}, Why: "host tools see the engine and the jail only"},
	{Package: "storage", Forbidden: []string{"ours"}, Except: []string{"engine", "storage/..."}, Why: "storage implements the engine's stores"},
	{Package: "agents", Forbidden: []string{"ours"}, Except: []string{"engine", "sandbox", "sandbox/...", "agents/..."}, Why: "the loader sees the engine, the workers and the sandbox only"},
	{Package: "tui", Forbidden: []string{"ours"}, Except: []string{"engine", "tui/..."}, Why: "the interface never sees SQL or JavaScript"},
	{Package: "cmd/httpapi", Forbidden: []string{"ours"}, Except: []string{"engine"}, Why: "the server never sees SQL or JavaScript"},

	{Package: "engine", Forbidden: []string{"net/http", "database/sql", "modernc.org/...", "github.com/dop251/...", "github.com/evanw/...", "github.com/spf13/...", "charm.land/...", "github.com/charmbracelet/..."},
		Why: "the engine never sees HTTP, SQL, JavaScript, a command line or a screen"},
	{Package: "tui", Forbidden: []string{"database/sql", "modernc.org/...", "github.com/dop251/...", "github.com/evanw/...", "github.com/spf13/cobra"}, Why: "the interface draws"},
	{Package: "storage", Forbidden: []string{"net/http", "github.com/dop251/...", "github.com/evanw/...", "github.com/spf13/...", "charm.land/..."}, Why: "storage stores"},
	{Package: "cmd/sideb", Forbidden: []string{"github.com/alecthomas/chroma/...", "charm.land/glamour/...", "github.com/santhosh-tekuri/jsonschema/..."},
		Why: "their package initialisation would be paid by every start and every worker"},
}

// soleImporters name the only packages that may import a library directly.
var soleImporters = []struct {
	Library string
	Allowed []string
	Why     string
}{
	{"github.com/dop251/...", []string{"sandbox/js"}, "JavaScript runs in workers only"},
	{"github.com/evanw/...", []string{"sandbox/js"}, "esbuild runs in workers only"},
	{"modernc.org/...", []string{"storage"}, "all SQL is in storage"},
	{"database/sql", []string{"storage"}, "all SQL is in storage"},
	{"charm.land/...", []string{"tui", "cmd"}, "only the interface draws"},
	{"github.com/spf13/cobra", []string{"cmd"}, "only cmd reads a command line"},
	{"github.com/openai/...", []string{"engine/provider"}, "only providers speak to models"},
	{"github.com/anthropics/...", []string{"engine/provider"}, "only providers speak to models"},
	{"google.golang.org/genai", []string{"engine/provider"}, "only providers speak to models"},
}

type listedPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func TestImportRules(t *testing.T) {
	packages := listPackages(t)
	for _, r := range importRules {
		p, ok := packages[r.Package]
		if !ok {
			continue // the rule waits for its package
		}
		for _, dep := range p.Deps {
			if matchesAny(dep, r.Forbidden) && !matchesAny(dep, append(r.Except, r.Package)) {
				t.Errorf("%s reaches %s: %s", r.Package, dep, r.Why)
			}
		}
	}
}

func TestSoleImporters(t *testing.T) {
	for name, p := range listPackages(t) {
		for _, rule := range soleImporters {
			if matchesAny(module+"/"+name, rule.Allowed) {
				continue
			}
			for _, imported := range p.Imports {
				if matchesAny(imported, []string{rule.Library}) {
					t.Errorf("%s imports %s: %s", name, imported, rule.Why)
				}
			}
		}
	}
}

// TestImportRulesCanFail keeps the table honest: a rule that matches nothing
// forbids nothing.
func TestImportRulesCanFail(t *testing.T) {
	for _, c := range []struct {
		path    string
		pattern string
		want    bool
	}{
		{module + "/storage", "ours", true},
		{"database/sql", "ours", false},
		{"modernc.org/sqlite/lib", "modernc.org/...", true},
		{"modernc.organic/x", "modernc.org/...", false},
		{module + "/sandbox/js", "sandbox/js", true},
		{module + "/sandbox/js", "sandbox", false},
		{module + "/tui/theme", "tui/...", true},
		{module + "/tui", "tui/...", true},
	} {
		if got := matchesAny(c.path, []string{c.pattern}); got != c.want {
			t.Errorf("%s against %s: %v, want %v", c.path, c.pattern, got, c.want)
		}
	}
}

func matchesAny(importPath string, patterns []string) bool {
	own, isOurs := strings.CutPrefix(importPath, module+"/")
	for _, p := range patterns {
		if p == "ours" && isOurs {
			return true
		}
		for _, candidate := range []string{importPath, own} {
			if candidate == "" {
				continue
			}
			if below, ok := strings.CutSuffix(p, "/..."); ok {
				if candidate == below || strings.HasPrefix(candidate, below+"/") {
					return true
				}
			} else if ok, _ := path.Match(p, candidate); ok {
				return true
			}
		}
	}
	return false
}

// listPackages lists the module's packages by their path below it.
func listPackages(t *testing.T) map[string]listedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listedPackage{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listedPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module+"/")] = p
	}
}
