package js

import (
	"embed"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

//go:embed prelude/*.js
var preludeFiles embed.FS

// preludeOrder are the scripts that every VM evaluates before any program.
// Each is a function of (native, shared).
var preludeOrder = [...]string{"es", "events", "bytes", "url", "clone", "streams", "fetch", "crypto", "glue"}

// Engine compiles programs and makes VMs; it is safe for concurrent use. What
// it compiles may run on all of its VMs.
type Engine struct {
	start     time.Time
	prelude   func() ([]*goja.Program, error)
	transport func() *http.Transport // of fetch; made when it is first used

	mu       sync.Mutex
	programs map[string]*Program // by script name, for the positions in stacks
	next     int
}

// Program is compiled linked text.
type Program struct {
	script string // the name that positions carry until they are mapped
	code   *goja.Program
	source *sourceMap
}

// NewEngine makes an Engine. It costs nothing until something is compiled.
func NewEngine() *Engine {
	e := &Engine{start: time.Now(), programs: map[string]*Program{}}
	e.prelude = sync.OnceValues(func() ([]*goja.Program, error) { return compileAll(preludeOrder[:]...) })
	e.transport = sync.OnceValue(newTransport)
	return e
}

func compileAll(names ...string) ([]*goja.Program, error) {
	var list []*goja.Program
	for _, name := range names {
		text, err := preludeFiles.ReadFile("prelude/" + name + ".js")
		if err != nil {
			return nil, err
		}
		p, err := compile(preludeName+name, string(text))
		if err != nil {
			return nil, fmt.Errorf("prelude %s: %w", name, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// Warm compiles what every VM needs, so that the first NewVM is quick.
func (e *Engine) Warm() error {
	_, err := e.prelude()
	return err
}

func compile(name, text string) (*goja.Program, error) {
	tree, err := goja.Parse(name, text, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	return goja.CompileAST(tree, true)
}

// Compile compiles linked text. What goja can't parse is a *Thrown, a
// SyntaxError with its position in the source.
func (e *Engine) Compile(linked string) (*Program, error) {
	code, encoded, _ := strings.Cut(linked, mapMarker)
	e.mu.Lock()
	e.next++
	p := &Program{script: fmt.Sprintf("%s%d", scriptPrefix, e.next), source: &sourceMap{encoded: encoded}}
	e.programs[p.script] = p
	e.mu.Unlock()
	var err error
	if p.code, err = compile(p.script, code); err != nil {
		t := e.syntaxError(err)
		e.Forget(p)
		return nil, t
	}
	return p, nil
}

// Forget drops a program's positions. Stacks that mention it stay unmapped.
func (e *Engine) Forget(p *Program) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.programs, p.script)
}

func (e *Engine) program(script string) *Program {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.programs[script]
}

func (e *Engine) syntaxError(err error) *Thrown {
	t := &Thrown{Name: "SyntaxError", Message: err.Error()}
	var list parser.ErrorList
	var one *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		t.Message = list[0].Message
		e.place(t, list[0].Position.Filename, list[0].Position.Line, list[0].Position.Column)
	case errors.As(err, &one):
		t.Message = one.Message
		if one.File != nil {
			pos := one.File.Position(one.Offset)
			e.place(t, pos.Filename, pos.Line, pos.Column)
		}
	}
	return t
}
