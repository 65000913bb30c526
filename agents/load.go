package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// snapshot is one state of a project: its definitions and the program that each
// definition file runs in. It is never changed once it is in place.
type snapshot struct {
	defs     *engine.Definitions
	files    map[string]*definition // by definition file
	programs map[string]*program    // by definition file: an older one where the file is broken now
	print    fingerprint
	names    json.RawMessage // of models, prompts and agents, as threadState wants them
}

// program is linked text. Its id is its content hash, so that equal programs
// are loaded once.
type program struct {
	id      string
	code    string
	history bool // some file mentions messageHistory: calls carry the messages
}

func newProgram(code string, history bool) *program {
	sum := sha256.Sum256([]byte(code))
	return &program{id: hex.EncodeToString(sum[:12]), code: code, history: history}
}

// first are the programs that are loaded before anyone asks: those that answer
// for models, where JavaScript does.
func (s *snapshot) first() map[string]*program {
	out := map[string]*program{}
	for _, m := range s.defs.Models {
		if prog := s.programs[m.File]; m.Script && prog != nil {
			out[prog.id] = prog
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, prog := range s.programs {
		out[prog.id] = prog
	}
	return out
}

// linked is what JavaScript made of a project; the rest of a snapshot follows
// from it and the source files without any.
type linked struct {
	Sources     []source            `json:"sources"`
	Diagnostics []worker.Diagnostic `json:"diagnostics"`
	Described   []described         `json:"described"`
	History     bool                `json:"history"`
	Print       fingerprint         `json:"print"`
	Main        int                 `json:"main"` // bytes of code; the rest is the models' own program
	code        string
	passing     bool // the end or the slowness of a worker is in it, which the next start may not meet
}

// programs are the project's program and the one that only models need, which is
// the same where JavaScript answers for none of them.
func (l *linked) programs() (main, models *program) {
	main = newProgram(l.code[:l.Main], l.History)
	if l.Main == len(l.code) {
		return main, main
	}
	return main, newProgram(l.code[l.Main:], false)
}

// load links and describes the project. old's definitions stand in for those
// that are broken now.
func (p *Project) load(ctx context.Context, old *snapshot) (*snapshot, error) {
	began := time.Now()
	l, err := p.link(ctx)
	if err != nil {
		return nil, err
	}
	s := p.build(l, old)
	if !l.passing && !p.changedSince(l.Print, began) {
		p.writeCache(l)
	}
	return s, nil
}

func (p *Project) link(ctx context.Context) (*linked, error) {
	sources, _ := scan(p.tree.fsys)
	built, err := p.linkEntry(ctx, writeEntry(p.tree, sources))
	if err != nil {
		return nil, err
	}
	l := &linked{Sources: sources, Diagnostics: built.Diagnostics, code: built.Code, Main: len(built.Code)}
	files := p.read(sources, built.Inputs)
	l.Print = p.fingerprint(sources, built.Inputs, files)
	for rel, src := range files {
		l.History = l.History || strings.Contains(src, "messageHistory") && !strings.Contains(rel, "node_modules/")
	}
	if built.Code == "" {
		return l, nil
	}
	prog := newProgram(built.Code, l.History)
	for _, s := range sources {
		d, err := p.describe(ctx, prog, s.Rel)
		if d.died && err == nil {
			d, err = p.describe(ctx, prog, s.Rel)
		}
		if err != nil {
			return nil, err
		}
		l.Described, l.passing = append(l.Described, d), l.passing || d.died || d.slow
	}
	if scriptedModels(sources, l.Described) {
		models, err := p.linkEntry(ctx, writeModels(p.tree, sources))
		if err != nil {
			return nil, err
		}
		l.code += models.Code
	}
	return l, nil
}

func (p *Project) linkEntry(ctx context.Context, entry string) (*worker.BuildResult, error) {
	request := worker.BuildRequest{
		Entry: entry, ResolveDir: p.tree.dir, Virtual: modules(),
		PreferInstalled: installable(), FS: p.tree.mem, Lenient: true,
	}
	built, err := p.pool.build(ctx, request)
	if died := new(worker.Died); errors.As(err, &died) {
		built, err = p.pool.build(ctx, request)
	}
	if err != nil {
		return nil, engine.Errorf(engine.CodeSandbox, "link project", "%w", err)
	}
	return built, nil
}

// scriptedModels reports whether JavaScript answers for some model: its provider
// is a function that isn't one of this program's own, or may be one of the
// project's by its name.
func scriptedModels(sources []source, list []described) bool {
	own := slices.ContainsFunc(sources, func(s source) bool { return s.Kind == kindProvider })
	for i, s := range sources {
		var m struct {
			Provider json.RawMessage `json:"provider"`
		}
		var f struct {
			Host bool `json:"host"`
		}
		if s.Kind != kindModel || json.Unmarshal(list[i].Value, &m) != nil || len(m.Provider) == 0 {
			continue
		}
		named := m.Provider[0] == '"'
		if named && own || !named && json.Unmarshal(m.Provider, &f) == nil && !f.Host {
			return true
		}
	}
	return false
}

// describeTimeout is how long one definition file may take to evaluate.
const describeTimeout = 20 * time.Second

// describe evaluates one definition file. What it throws, and that it ended the
// worker or never ended itself, is in the answer.
func (p *Project) describe(ctx context.Context, prog *program, file string) (described, error) {
	d := described{File: file}
	args, err := json.Marshal([]string{file})
	if err != nil {
		return d, engine.Errorf(engine.CodeInternal, "describe "+file, "%w", err)
	}
	one, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	raw, err := p.pool.call(one, prog, "", "describe", args, noHost)
	var thrown *worker.Thrown
	var died *worker.Died
	switch {
	case err == nil:
		if err := json.Unmarshal(raw, &d); err != nil {
			return d, engine.Errorf(engine.CodeInternal, "describe "+file, "%w", err)
		}
	case errors.As(err, &thrown):
		thrown.Data = nil
		d.Error = thrown
	case ctx.Err() != nil:
		return d, ctx.Err()
	case one.Err() != nil:
		d.slow = true
		d.Error = &worker.Thrown{Message: fmt.Sprintf("the file was still being evaluated after %s", describeTimeout)}
	case errors.As(err, &died) && died.Stderr+died.Reason != "" && p.pool.started():
		d.died = true
		d.Error = &worker.Thrown{Message: "evaluating the file ended the project worker: " + died.Reason}
	default:
		return d, engine.Errorf(engine.CodeSandbox, "describe "+file, "%w", err)
	}
	return d, nil
}

func noHost(_ context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
	if method == "console" {
		return nil, nil
	}
	return nil, engine.Errorf(engine.CodeInvalid, method, "there is no thread while definitions are evaluated")
}
