package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/sideb-dev/sideb/sandbox/value"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// Limits; see the package comment.
const (
	DefaultMemory = 64 << 20
	MaxMemory     = 512 << 20
	MaxSource     = 4 << 20
)

// DefaultFilename is the entry's name where none is given.
const DefaultFilename = "<runCode>"

// Language is the language of a source.
type Language string

// Languages.
const (
	TypeScript Language = "typescript"
	JavaScript Language = "javascript"
)

// Execute names the export that is the result, and the arguments it is called
// with when it is a function.
type Execute struct {
	Fn   string // "" means "default"
	Args []any
}

// Options configure a run. Values are those of package value or Go's own kinds
// that it takes; a *value.Func is a function that the sandbox may call.
type Options struct {
	Language         Language // "" means TypeScript
	Execute          Execute
	Imports          map[string]map[string]any // bare specifier -> exports
	Globals          map[string]any            // names at module scope
	Modules          map[string]string         // relative specifier -> source
	Packages         map[string]string         // bare specifier -> source; beyond §13, for people's own files
	MemoryLimitBytes int64                     // 0 means DefaultMemory
	Filename         string
	// Report makes the global report exist and hears of each value, in order, on
	// one goroutine; it must not block. Reports has them all.
	Report func(v any)

	Pool *Pool // nil starts a worker for this run alone
	// Affinity allows reuse of a warm worker among runs of the same affinity; ""
	// allows none.
	Affinity string
}

const reserved = " arguments await break case catch class const continue debugger default delete do else enum eval export extends " +
	"false finally for function if implements import in instanceof interface let new null package private protected public " +
	"return static super switch this throw true try typeof undefined var void while with yield "

// request validates the options and encodes their values. A refusal is a
// link_error.
func (o *Options) request(source string, fns value.Functions) (worker.SandboxRun, *Error) {
	r := worker.SandboxRun{Source: source, Filename: o.Filename, Fn: o.Execute.Fn, Modules: o.Modules,
		ImportNames: map[string][]string{}, Report: o.Report != nil}
	if r.Filename == "" {
		r.Filename = DefaultFilename
	}
	if r.Fn == "" {
		r.Fn = "default"
	}
	if refused := o.check(source); refused != nil {
		return r, refused
	}
	if len(o.Packages) > 0 {
		r.Modules = maps.Clone(o.Packages)
		maps.Copy(r.Modules, o.Modules)
	}
	r.JavaScript = o.Language == JavaScript
	r.MemoryLimit = o.memory()
	o.names(&r)
	return r, o.encode(&r, fns)
}

func (o *Options) memory() int64 {
	if o.MemoryLimitBytes == 0 {
		return DefaultMemory
	}
	return min(o.MemoryLimitBytes, MaxMemory)
}

func (o *Options) check(source string) *Error {
	size := len(source)
	for _, key := range sortedKeys(o.Modules) {
		size += len(o.Modules[key])
		if !strings.HasPrefix(key, "./") && !strings.HasPrefix(key, "../") {
			return refuse("options.modules: %q isn't relative; it must begin with ./ or ../", key)
		}
	}
	for key, text := range o.Packages {
		size += len(text)
		if !isBare(key) {
			return refuse("options.packages: %q isn't a bare specifier", key)
		}
	}
	switch {
	case size > MaxSource:
		return refuse("the source has %d bytes, more than %d MiB", size, MaxSource>>20)
	case o.Language != "" && o.Language != TypeScript && o.Language != JavaScript:
		return refuse("options.language must be typescript or javascript, not %q", o.Language)
	case o.MemoryLimitBytes < 0:
		return refuse("options.memoryLimitBytes must be positive, not %d", o.MemoryLimitBytes)
	case strings.ContainsAny(o.Filename, "\x00\n\r"):
		return refuse("options.filename must be one line")
	}
	for _, key := range sortedKeys(o.Imports) {
		if !isBare(key) {
			return refuse("options.imports: %q isn't a bare specifier", key)
		}
	}
	for _, key := range sortedKeys(o.Globals) {
		if !isIdentifier(key) || strings.Contains(reserved, " "+key+" ") {
			return refuse("options.globals: %q can't be the name of a global", key)
		}
	}
	return nil
}

func isBare(key string) bool {
	return key != "" && !strings.HasPrefix(key, ".") && !strings.HasPrefix(key, "/") && !strings.Contains(key, ":")
}

// names fills in which names exist.
func (o *Options) names(r *worker.SandboxRun) {
	for key, exports := range o.Imports {
		r.ImportNames[key] = sortedKeys(exports)
	}
	r.GlobalNames = sortedKeys(o.Globals)
	if _, given := o.Globals["console"]; !given {
		r.Console = true
		r.GlobalNames = append(r.GlobalNames, "console")
	}
	if _, given := o.Globals["report"]; given {
		r.Report = false
	} else if r.Report {
		r.GlobalNames = append(r.GlobalNames, "report")
	}
	slices.Sort(r.GlobalNames)
}

func (o *Options) encode(r *worker.SandboxRun, fns value.Functions) *Error {
	imports := map[string]any{}
	for key, exports := range o.Imports {
		imports[key] = exports
	}
	for _, part := range []struct {
		name string
		from any
		to   *[]byte
	}{{"args", append([]any{}, o.Execute.Args...), &r.Args}, {"globals", o.Globals, &r.Globals}, {"imports", imports, &r.Import}} {
		if m, ok := part.from.(map[string]any); ok && len(m) == 0 {
			continue
		}
		raw, err := value.Encode(part.from, part.name, fns)
		if err != nil {
			return &Error{Name: "SerializationError", Message: err.Error()}
		}
		*part.to = raw
	}
	return nil
}

func refuse(format string, args ...any) *Error {
	return &Error{Name: "LinkError", Message: fmt.Sprintf(format, args...)}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func isIdentifier(name string) bool {
	for i, c := range name {
		start := c == '$' || c == '_' || unicode.IsLetter(c) || unicode.Is(unicode.Nl, c)
		if !start && (i == 0 || !unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc)) {
			return false
		}
	}
	return name != ""
}
