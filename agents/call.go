package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sideb-dev/sideb/engine"
	"github.com/sideb-dev/sideb/sandbox/jail"
	"github.com/sideb-dev/sideb/sandbox/worker"
)

// scriptAnswer is what callTool, callHook and callEffect of glue/index.ts
// return.
type scriptAnswer struct {
	Value   json.RawMessage `json:"value"`
	Context json.RawMessage `json:"context"` // nil where the code left it as it was
	Invalid *string         `json:"invalid"` // the arguments don't fit the schema
}

// CallTool implements engine.Scripts.
func (p *Project) CallTool(ctx context.Context, tool *engine.Tool, args json.RawMessage, state *engine.ThreadState) (*engine.ToolResult, error) {
	return p.callTool(ctx, tool, args, threadHost{state})
}

func (p *Project) callTool(ctx context.Context, tool *engine.Tool, args json.RawMessage, h stateHost) (*engine.ToolResult, error) {
	a, err := p.script(ctx, "callTool", tool.File, args, h)
	var thrown *worker.Thrown
	var died *worker.Died
	switch {
	case errors.As(err, &thrown):
		return p.thrownResult(thrown), nil
	case errors.As(err, &died):
		r := engine.ErrorResult(fmt.Sprintf("the project worker died while %s ran: %s; the next call starts a new one", tool.Name, died.Reason))
		r.ErrorCode = "worker_died"
		return r, nil
	case err != nil:
		return nil, err
	case a.Invalid != nil:
		r := engine.ErrorResult(*a.Invalid)
		r.ErrorCode = "invalid_arguments"
		return r, nil
	}
	return toolResult(a.Value), nil
}

// CallHook implements engine.Scripts.
func (p *Project) CallHook(ctx context.Context, hook *engine.Hook, args []json.RawMessage, state *engine.ThreadState) (json.RawMessage, error) {
	return p.callHook(ctx, hook, args, threadHost{state})
}

func (p *Project) callHook(ctx context.Context, hook *engine.Hook, args []json.RawMessage, h stateHost) (json.RawMessage, error) {
	if args == nil {
		args = []json.RawMessage{}
	}
	list, err := json.Marshal(args)
	if err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "call hook "+hook.ID, "%w", err)
	}
	a, err := p.script(ctx, "callHook", hook.File, list, h)
	var thrown *worker.Thrown
	switch {
	case errors.As(err, &thrown) && blocks(thrown):
		return nil, &engine.HookBlocked{Reason: thrown.Message}
	case err != nil:
		return nil, p.scriptError("hook "+hook.ID, err)
	}
	return hookResult(hook.Hook, a.Value), nil
}

// blocks reports whether an error has block: true.
func blocks(t *worker.Thrown) bool {
	var own struct {
		Block bool `json:"block"`
	}
	return json.Unmarshal(t.Data, &own) == nil && own.Block
}

// hookResult lets a hook return a tool's result in any form that a tool may.
func hookResult(hook string, v json.RawMessage) json.RawMessage {
	switch hook {
	case "before_store_tool_result", "after_tool_call_success", "after_tool_call_failure":
	default:
		return v
	}
	if len(v) == 0 || string(v) == "null" {
		return v
	}
	b, err := json.Marshal(toolResult(v))
	if err != nil {
		return v // the engine says what doesn't fit
	}
	return b
}

// CallEffect implements engine.Scripts.
func (p *Project) CallEffect(ctx context.Context, effect *engine.EffectDef, args json.RawMessage, state *engine.ThreadState) error {
	return p.callEffect(ctx, effect, args, threadHost{state})
}

func (p *Project) callEffect(ctx context.Context, effect *engine.EffectDef, args json.RawMessage, h stateHost) error {
	a, err := p.script(ctx, "callEffect", effect.File, args, h)
	if err != nil {
		return p.scriptError("effect "+effect.Name, err)
	}
	if a.Invalid != nil {
		return engine.Errorf(engine.CodeInvalid, "effect "+effect.Name, "the arguments don't fit: %s", *a.Invalid)
	}
	return nil
}

// script runs one function of a definition file with a thread's state.
func (p *Project) script(ctx context.Context, fn, file string, args json.RawMessage, h stateHost) (*scriptAnswer, error) {
	s := p.snapshot.Load()
	prog := s.programs[file]
	if prog == nil {
		return nil, engine.Errorf(engine.CodeNotFound, "call project code", "%s isn't part of the project any more", file)
	}
	facts, thread, err := factsOf(ctx, h, prog)
	if err != nil {
		return nil, err
	}
	body, err := scriptBody(file, args, facts, s.names)
	if err != nil {
		return nil, err
	}
	runs := newCodeRuns(p.sandboxes, string(thread), func(r jail.Report) {
		told, _ := json.Marshal(map[string]any{"data": r}) // plain data
		_, _ = h.do(ctx, sandboxApplied, told)             // a call that is over tells nothing any more
	})
	defer runs.close()
	raw, err := p.pool.call(ctx, prog, string(thread), fn, body, func(ctx context.Context, method string, args json.RawMessage) (json.RawMessage, error) {
		if isRunCode(method) {
			return runs.do(ctx, method, args)
		}
		return answer(ctx, h, method, args)
	})
	if err != nil {
		return nil, err
	}
	var a scriptAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, engine.Errorf(engine.CodeInternal, "call project code", "%w", err)
	}
	if len(a.Context) > 0 && string(a.Context) != "null" {
		left, _ := json.Marshal(map[string]json.RawMessage{"context": a.Context}) // raw JSON that was just read
		if _, err := h.do(ctx, "setContext", left); err != nil {
			return nil, err
		}
	}
	return &a, nil
}

// scriptBody is what callTool, callHook and callEffect of glue/index.ts are called
// with: the file and its arguments, then the facts of the thread and the names of
// the project, each as text that is read where it's needed.
func scriptBody(file string, args, facts, names json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) {
		return nil, engine.Errorf(engine.CodeInvalid, "call project code", "the arguments aren't JSON")
	}
	text, err := json.Marshal(string(facts))
	if err != nil {
		return nil, engine.Errorf(engine.CodeInternal, "call project code", "%w", err)
	}
	b := make([]byte, 0, len(file)+len(args)+len(text)+len(names)+32)
	b = append(append(b, `[{"file":`...), quoteJS(file)...)
	b = append(append(b, `,"args":`...), args...)
	b = append(append(b, `},`...), text...)
	b = append(append(b, ','), names...)
	return append(b, ']'), nil
}

// scriptError gives a failure of hooks and effects its code and place.
func (p *Project) scriptError(what string, err error) error {
	var thrown *worker.Thrown
	var died *worker.Died
	switch {
	case errors.As(err, &thrown):
		return engine.Errorf(engine.CodeTool, what, "%s", p.thrownText(thrown))
	case errors.As(err, &died):
		return engine.Errorf(engine.CodeSandbox, what, "the project worker died: %s; the next call starts a new one", died.Reason)
	default:
		return err
	}
}

// thrownText is an error with its place in the project.
func (p *Project) thrownText(t *worker.Thrown) string {
	if t.File == "" {
		return t.Error()
	}
	return fmt.Sprintf("%s (%s:%d:%d)", t.Error(), p.tree.rel(t.File), t.Line, t.Column)
}

func (p *Project) thrownResult(t *worker.Thrown) *engine.ToolResult {
	r := engine.ErrorResult(t.Error())
	r.Stack, r.ErrorCode = t.Stack, t.Code
	return r
}
