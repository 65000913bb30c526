package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/engine/provider"
)

// scenario is one file of testdata/scenarios: what the project declares, what the
// outside world answers, and directives with the trace that each leaves.
//
//	# free text
//	agent|prompt|model|tool|hook|effect NAME {json}   a definition; sides stop on a response by default
//	env NAME VALUE                        a secret that the thread is created with
//	never TEXT                            must not be in any request, message, event, or readable on the disk
//	reply MODEL: PART | PART              the model's next answer, in order of its calls
//	does TOOL: PART | PART                what the next call of the tool, hook or effect does; the last line goes on
//	does TOOL: on {json} | PART | PART    what it does with these arguments
//	sweep [loosely]                       run again with a crash around every commit; loosely: where what a
//	                                      lost call would have led to is missing too, only what must always hold is checked
//	> DIRECTIVE                           followed by its trace, indented
//	> DIRECTIVE in=child1.2               about a thread below the root: its first child's second
//
// In a reply, @child1 stands for that thread's reference.
type scenario struct {
	name    string
	blank   string // an empty data directory to start from
	lines   []line
	defs    *engine.Definitions
	replies map[string][][]part
	does    map[string][][]part
	env     []engine.EnvValue
	never   []string
	sweep   bool
	loosely bool
}

// line is a line of the file: a directive with its expected trace, or text that is
// kept as it is.
type line struct {
	text      string
	directive []string // nil for anything else
	want      []string
}

// part is one verb with its arguments.
type part []string

func (p part) arg(i int) string {
	if i < len(p) {
		return p[i]
	}
	return ""
}

// option finds a name=value argument.
func (p part) option(name string) string {
	for _, a := range p {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
	}
	return ""
}

func (p part) has(word string) bool {
	for _, a := range p {
		if a == word {
			return true
		}
	}
	return false
}

func readScenario(file string) (*scenario, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &scenario{replies: map[string][][]part{}, does: map[string][][]part{}, defs: &engine.Definitions{
		Revision: "1", Dir: "/project", Name: "project",
		Agents: map[string]*engine.Agent{}, Prompts: map[string]*engine.Prompt{},
		Models: map[string]*engine.ModelDef{}, Tools: map[string]*engine.Tool{},
		Hooks: map[string]*engine.Hook{}, Effects: map[string]*engine.EffectDef{},
	}}
	for i, text := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		if strings.HasPrefix(text, "  ") && len(s.lines) > 0 {
			last := &s.lines[len(s.lines)-1]
			last.want = append(last.want, text)
			continue
		}
		l := line{text: text}
		if d, ok := strings.CutPrefix(text, "> "); ok {
			l.directive, err = tokens(d)
		} else if text != "" && !strings.HasPrefix(text, "#") {
			err = s.declare(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		s.lines = append(s.lines, l)
	}
	return s, nil
}

// tokens splits a line at spaces; a JSON string, object or array is one token,
// and a string loses its quotes.
func tokens(s string) ([]string, error) {
	var out []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if strings.ContainsRune(`"{[`, rune(s[0])) {
			dec := json.NewDecoder(strings.NewReader(s))
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return nil, fmt.Errorf("%s: %w", s, err)
			}
			s = s[dec.InputOffset():]
			var text string
			if json.Unmarshal(raw, &text) != nil {
				text = string(raw)
			}
			out = append(out, text)
			continue
		}
		word, rest, _ := strings.Cut(s, " ")
		out, s = append(out, word), rest
	}
	return out, nil
}

func parts(s string) ([]part, error) {
	all, err := tokens(s)
	list := []part{nil}
	for _, t := range all {
		if t == "|" {
			list = append(list, nil)
			continue
		}
		list[len(list)-1] = append(list[len(list)-1], t)
	}
	return list, err
}

func (s *scenario) declare(text string) error {
	kind, rest, _ := strings.Cut(text, " ")
	name, body, _ := strings.Cut(rest, " ")
	var err error
	switch kind {
	case "sweep":
		s.sweep, s.loosely = true, name == "loosely"
	case "agent":
		err = s.agent(name, body)
	case "prompt":
		err = s.prompt(name, body)
	case "model":
		def := &engine.ModelDef{Name: name, Model: name, Provider: "scripted"}
		s.defs.Models[name], err = def, decode(body, def)
	case "tool":
		tool := &engine.Tool{Name: name, Description: "The tool " + name + "."}
		s.defs.Tools[name], err = tool, decode(body, tool)
	case "hook":
		hook := &engine.Hook{ID: name}
		s.defs.Hooks[name], err = hook, decode(body, hook)
	case "effect":
		effect := &engine.EffectDef{Name: name}
		s.defs.Effects[name], err = effect, decode(body, effect)
	case "env":
		s.env = append(s.env, engine.EnvValue{Name: name, Value: body, Type: engine.VariableSecret})
	case "never":
		s.never = append(s.never, rest)
	case "reply", "does":
		var list []part
		list, err = parts(body)
		name = strings.TrimSuffix(name, ":")
		if kind == "reply" {
			s.replies[name] = append(s.replies[name], list)
		} else {
			s.does[name] = append(s.does[name], list)
		}
	default:
		err = fmt.Errorf("no declaration or directive: %s", text)
	}
	return err
}

func decode(body string, v any) error {
	if strings.TrimSpace(body) == "" {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(body))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

func (s *scenario) agent(name, body string) error {
	a := &engine.Agent{Name: name, Type: engine.AIHuman, SideA: engine.SideConfig{StopOnResponse: true}}
	if strings.Contains(body, `"sideB"`) {
		a.Type, a.SideB = engine.DualAI, &engine.SideConfig{StopOnResponse: true}
	}
	s.defs.Agents[name] = a
	return decode(body, a)
}

func (s *scenario) prompt(name, body string) error {
	p := struct {
		engine.Prompt
		Parts json.RawMessage   `json:"prompt"`
		Tools []json.RawMessage `json:"tools"`
	}{Prompt: engine.Prompt{Name: name, ToolDescription: "The prompt " + name + "."}}
	if err := decode(body, &p); err != nil {
		return err
	}
	var text string
	switch {
	case p.Parts == nil:
	case json.Unmarshal(p.Parts, &text) == nil:
		p.Prompt.Parts = []engine.PromptPart{{Type: engine.PartText, Value: text}}
	default:
		if err := decode(string(p.Parts), &p.Prompt.Parts); err != nil {
			return err
		}
	}
	for _, raw := range p.Tools {
		e := engine.ToolEntry{IncludeTextResponse: true, IncludeToolCalls: true, IncludeErrors: true, Blocking: true}
		if json.Unmarshal(raw, &e.Name) != nil {
			if err := decode(string(raw), &e); err != nil {
				return err
			}
		}
		p.Prompt.Tools = append(p.Prompt.Tools, e)
	}
	s.defs.Prompts[name] = &p.Prompt
	return nil
}

// reply makes a scripted answer. gate gives the channels that hold it up.
func reply(list []part, call func() string, gate func(string) chan struct{}) (provider.Reply, error) {
	var r provider.Reply
	for _, p := range list {
		switch p[0] {
		case "text":
			r.Text += p.arg(1)
		case "chunks":
			r.Chunks, _ = strconv.Atoi(p.arg(1))
		case "think":
			r.Reasoning = p.arg(1)
		case "call":
			id := p.option("id")
			if id == "" {
				id = call()
			}
			r.Calls = append(r.Calls, provider.Call(id, p.arg(1), p.arg(2)))
		case "usage":
			in, _ := strconv.ParseInt(p.arg(1), 10, 64)
			out, _ := strconv.ParseInt(p.arg(2), 10, 64)
			r.Usage = &engine.Usage{PromptTokens: in, CompletionTokens: out, TotalTokens: in + out}
		case "finish":
			r.Finish = engine.FinishReason(p.arg(1))
		case "gate":
			r.Gate = gate(p.arg(1))
		case "hang":
			r.Hang = gate(p.arg(1))
		case "fail":
			wait, _ := time.ParseDuration(p.option("after"))
			r.Err = &engine.ModelError{Kind: engine.ModelErrorKind(p.arg(1)), Provider: "scripted", Message: p.arg(2), RetryAfter: wait}
		case "image":
			r.Images = append(r.Images, engine.ContentPart{MediaType: "image/png", Name: p.arg(1), Data: fileData(p, 2)})
		case "empty":
		default:
			return r, fmt.Errorf("no part of a reply: %v", p)
		}
	}
	return r, nil
}

// render writes the file with another trace.
func (s *scenario) render(traces [][]string) []byte {
	var b bytes.Buffer
	for i, l := range s.lines {
		b.WriteString(l.text + "\n")
		for _, t := range traces[i] {
			b.WriteString(t + "\n")
		}
	}
	return b.Bytes()
}
