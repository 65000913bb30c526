package sandbox

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The checkout of test262 to run, and which parts: go test -run Test262 -test262
// DIR -test262-areas language/expressions,built-ins/Map
var (
	test262Dir   = flag.String("test262", "", "checkout of test262 to run")
	test262Areas = flag.String("test262-areas", "language,built-ins", "areas to run, separated by commas")
)

// test262Time ends a test that runs on; it is none of the sandbox's limits.
const test262Time = 20 * time.Second

// Test262 runs the parts of the language's own suite that apply to modules, and
// logs the pass rate of each area.
func Test262(t *testing.T) {
	if *test262Dir == "" {
		t.Skip("no checkout is given with -test262")
	}
	s := &suite262{pool: newPool(t), harness: map[string]string{}, areas: map[string]*area262{}}
	for _, area := range strings.Split(*test262Areas, ",") {
		err := filepath.WalkDir(filepath.Join(*test262Dir, "test", area), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".js") && !strings.Contains(path, "_FIXTURE") {
				s.run(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.report(t)
}

type area262 struct {
	passed, failed, skipped int
	failures                []string
}

type suite262 struct {
	pool    *Pool
	harness map[string]string
	areas   map[string]*area262
}

// meta262 is what a test says of itself.
type meta262 struct {
	includes, flags, features []string
	negative                  bool
}

func readMeta262(text string) meta262 {
	m := meta262{}
	found := regexp.MustCompile(`(?s)/\*---(.*?)---\*/`).FindStringSubmatch(text)
	if found == nil {
		return m
	}
	list := func(key string) []string {
		_, rest, ok := strings.Cut(found[1], "\n"+key+":")
		if !ok {
			return nil
		}
		rest = strings.TrimLeft(rest, " ")
		if inner, ok := strings.CutPrefix(rest, "["); ok {
			inner, _, _ = strings.Cut(inner, "]")
			return strings.FieldsFunc(inner, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' })
		}
		var out []string
		for _, line := range strings.Split(rest, "\n")[1:] {
			item, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
			if !ok {
				break
			}
			out = append(out, strings.TrimSpace(item))
		}
		return out
	}
	m.includes, m.flags, m.features = list("includes"), list("flags"), list("features")
	m.negative = strings.Contains(found[1], "\nnegative:")
	return m
}

// skips are tests of what the sandbox is without by contract or that need
// sloppy scripts.
func (m meta262) skips(text string) bool {
	for _, f := range m.flags {
		if f == "noStrict" || f == "raw" || f == "CanBlockIsFalse" || f == "CanBlockIsTrue" {
			return true
		}
	}
	for _, f := range m.features {
		switch f {
		case "SharedArrayBuffer", "Atomics", "cross-realm", "Temporal", "ShadowRealm", "tail-call-optimization", "import-defer", "source-phase-imports", "WeakRef", "FinalizationRegistry":
			return true
		}
	}
	for _, word := range []string{"eval(", "Function(", "$262", "setTimeout", "GeneratorFunction", "AsyncFunction"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func (s *suite262) include(name string) string {
	if text, ok := s.harness[name]; ok {
		return text
	}
	b, err := os.ReadFile(filepath.Join(*test262Dir, "harness", name))
	if err == nil {
		s.harness[name] = string(b)
	}
	return s.harness[name]
}

func (s *suite262) run(t *testing.T, path string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	m := readMeta262(text)
	a := s.area(path)
	if m.skips(text) {
		a.skipped++
		return
	}
	async := slices.Contains(m.flags, "async")
	includes := append([]string{"assert.js", "sta.js"}, m.includes...)
	source := ""
	if async {
		source = "let $settle; const $done = new Promise((ok, no) => { $settle = (e) => e ? no(e) : ok() });\nconst $DONE = $settle;\n"
	}
	for _, name := range includes {
		if name != "doneprintHandle.js" {
			source += s.include(name) + "\n"
		}
	}
	source += text + "\n"
	if async {
		source += "await $done;\n"
	}
	source += "export { $262done }; const $262done = 1;"
	ctx, cancel := context.WithTimeout(context.Background(), test262Time)
	defer cancel()
	e := Run(ctx, source, Options{Pool: s.pool, Affinity: "262", Language: JavaScript, Filename: filepath.Base(path), Execute: Execute{Fn: "$262done"},
		Modules: fixtures262(path)})
	defer e.Close()
	if r := wait(t, e); (r.Status == Success) != m.negative {
		a.passed++
	} else {
		a.failed++
		a.failures = append(a.failures, fmt.Sprintf("%s: %s %v", path, r.Status, r.Err))
	}
}

// fixtures262 are the modules beside a test.
func fixtures262(path string) map[string]string {
	list, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*_FIXTURE.js*"))
	if len(list) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, name := range list {
		if b, err := os.ReadFile(name); err == nil {
			out["./"+filepath.Base(name)] = string(b)
		}
	}
	return out
}

// area is that of the first two folders below test.
func (s *suite262) area(path string) *area262 {
	_, rest, _ := strings.Cut(filepath.ToSlash(path), "/test/")
	parts := strings.SplitN(rest, "/", 3)
	name := strings.Join(parts[:min(2, len(parts))], "/")
	if s.areas[name] == nil {
		s.areas[name] = &area262{}
	}
	return s.areas[name]
}

func (s *suite262) report(t *testing.T) {
	total := area262{}
	for _, name := range sortedKeys(s.areas) {
		a := s.areas[name]
		total.passed, total.failed, total.skipped = total.passed+a.passed, total.failed+a.failed, total.skipped+a.skipped
		t.Logf("%-40s %5d of %5d (%.1f %%), %d skipped", name, a.passed, a.passed+a.failed, 100*float64(a.passed)/float64(max(1, a.passed+a.failed)), a.skipped)
		for _, f := range a.failures {
			t.Logf("  %s", f)
		}
	}
	t.Logf("all: %d passed, %d failed, %d skipped", total.passed, total.failed, total.skipped)
}
