package agents

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sideb-dev/sideb/engine"
)

// stateHost is the thread behind one call of project code: its facts, and its
// methods by name as glue/state.ts calls them.
type stateHost interface {
	info(ctx context.Context) (*engine.Info, error)
	history(ctx context.Context) ([]engine.Message, error)
	do(ctx context.Context, method string, args json.RawMessage) (any, error)
}

// threadHost is the stateHost of a real thread.
type threadHost struct{ s *engine.ThreadState }

func (h threadHost) info(ctx context.Context) (*engine.Info, error) { return h.s.Info(ctx) }

// maxHistory bounds messageHistory; project code that needs more pages through
// getMessages.
const maxHistory = 1000

func (h threadHost) history(ctx context.Context) ([]engine.Message, error) {
	list, err := h.s.Messages(ctx, engine.MessageListOptions{Limit: maxHistory, IncludeSilent: true})
	if err != nil {
		return nil, err
	}
	return list.Messages, nil
}

// stateArgs are the arguments of all methods; each uses its own.
type stateArgs struct {
	ID      engine.MessageID     `json:"id"`
	Updates engine.MessageUpdate `json:"updates"`
	Name    string               `json:"name"`
	Value   json.RawMessage      `json:"value"`
	Type    engine.VariableType  `json:"type"`
	Key     string               `json:"key"`
	Args    json.RawMessage      `json:"args"`
	Context json.RawMessage      `json:"context"`
	Event   string               `json:"event"`
	Data    json.RawMessage      `json:"data"`
	Side    engine.Side          `json:"side"`
	Agent   string               `json:"agent"`
	Level   string               `json:"level"`
	Text    string               `json:"text"`
	Limit   int                  `json:"limit"`
	Offset  int                  `json:"offset"`
	Order   string               `json:"order"`
}

// do calls one method. Messages have arguments of their own; the rest is one
// line a method.
func (h threadHost) do(ctx context.Context, method string, raw json.RawMessage) (any, error) {
	switch method {
	case "getMessages":
		return withArgs(method, raw, func(o engine.MessageListOptions) (any, error) { return h.s.Messages(ctx, o) })
	case "injectMessage":
		return withArgs(method, raw, func(m engine.NewMessage) (any, error) { return h.s.InjectMessage(ctx, m) })
	case "queueMessage":
		return withArgs(method, raw, func(m engine.NewMessage) (any, error) { return nil, h.s.QueueMessage(ctx, m) })
	case "related":
		return withArgs(method, raw, func(a relatedArgs) (any, error) { return h.related(ctx, a) })
	case "scheduleEffect", "getScheduledEffects", "removeScheduledEffect":
		return withArgs(method, raw, func(a effectArgs) (any, error) { return h.effect(ctx, method, a) })
	}
	if f := h.fileMethod(ctx, method); f != nil {
		return withArgs(method, raw, f)
	}
	return withArgs(method, raw, func(a stateArgs) (any, error) { return h.simple(ctx, method, a) })
}

func (h threadHost) simple(ctx context.Context, method string, a stateArgs) (any, error) {
	switch method {
	case "getMessage":
		return h.s.Message(ctx, a.ID)
	case "updateMessage":
		return h.s.UpdateMessage(ctx, a.ID, a.Updates)
	case "deleteMessage":
		return h.s.DeleteMessage(ctx, a.ID)
	case "getLogs":
		return h.s.Logs(ctx, a.Limit, a.Offset, a.Order)
	case "loadModel":
		return lookup(h.s.Definitions().Models, a.Name), nil
	case "loadPrompt":
		return lookup(h.s.Definitions().Prompts, a.Name), nil
	case "loadAgent":
		return lookup(h.s.Definitions().Agents, a.Name), nil
	case "env":
		return h.s.Env(ctx, a.Name)
	case "envType":
		return h.s.EnvType(ctx, a.Name)
	case "setEnv":
		return envSetter(func(value string) error { return h.s.SetEnv(ctx, a.Name, value, a.Type) }).set(a)
	case "getValue":
		return h.s.Value(ctx, a.Key)
	case "setValue":
		return nil, h.s.SetValue(ctx, a.Key, a.Value)
	case "queueTool":
		return nil, h.s.QueueTool(a.Name, a.Args)
	case "invokeTool":
		return h.invokeTool(ctx, a)
	case "emit":
		return nil, h.s.Emit(a.Event, a.Data)
	case "setContext":
		return nil, h.s.SetContext(a.Context)
	case "forceTurn":
		return nil, h.s.ForceTurn(a.Side)
	case "stop":
		return nil, h.s.Stop()
	case "notifyParent":
		return nil, h.s.NotifyParent(ctx, a.Text)
	case "setStatus":
		return nil, h.s.SetStatus(ctx, a.Text)
	case "runAgent":
		return nil, h.s.RunAgent(ctx, a.Agent)
	case "terminate":
		return nil, h.s.Terminate(ctx)
	case sandboxApplied:
		return nil, h.s.SandboxApplied(a.Data)
	case "console":
		h.s.Log(a.Level, a.Text)
		return nil, nil
	default:
		return nil, engine.Errorf(engine.CodeInvalid, method, "the thread state has no method %s", method)
	}
}

// lookup answers null for a name that isn't defined.
func lookup[V any](m map[string]*V, name string) any {
	if v := m[name]; v != nil {
		return v
	}
	return nil
}

// invokeTool hands the context over to the tool that runs and takes it back.
func (h threadHost) invokeTool(ctx context.Context, a stateArgs) (any, error) {
	if len(a.Context) > 0 && string(a.Context) != "null" {
		if err := h.s.SetContext(a.Context); err != nil {
			return nil, err
		}
	}
	result, err := h.s.InvokeTool(ctx, a.Name, a.Args)
	if err != nil {
		return nil, err
	}
	info, err := h.s.Info(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{"value": result, "context": info.Context}, nil
}

// withArgs decodes the arguments of a method.
func withArgs[A any](method string, raw json.RawMessage, f func(A) (any, error)) (any, error) {
	var a A
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, engine.Errorf(engine.CodeInvalid, method, "%s got arguments of a wrong shape: %w", method, err)
		}
	}
	return f(a)
}

// codedError lets an engine error keep its code in JavaScript.
type codedError struct{ err error }

func (e codedError) Error() string     { return e.err.Error() }
func (e codedError) Unwrap() error     { return e.err }
func (e codedError) ErrorCode() string { return string(engine.CodeOf(e.err)) }

// answer is the worker.Host of a call with a state.
func answer(ctx context.Context, h stateHost, method string, args json.RawMessage) (raw json.RawMessage, err error) {
	defer func() {
		if r := recover(); r != nil { // contained to this call (DESIGN §3 invariant 6)
			raw, err = nil, codedError{engine.Errorf(engine.CodeInternal, method, "panic: %v", r)}
		}
	}()
	v, err := h.do(ctx, method, args)
	if err != nil {
		return nil, codedError{err}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, codedError{engine.Errorf(engine.CodeInternal, method, "%w", err)}
	}
	return b, nil
}

// infoWithHistory adds the messages to the facts of an execution.
type infoWithHistory struct {
	*engine.Info
	Execution struct {
		*engine.ExecutionInfo
		MessageHistory []engine.Message `json:"messageHistory"`
	} `json:"execution"`
}

// factsOf is a thread as threadState of glue/state.ts wants it.
func factsOf(ctx context.Context, h stateHost, prog *program) (json.RawMessage, engine.ThreadID, error) {
	info, err := h.info(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("read the thread: %w", err)
	}
	var shown any = info
	if prog.history && info.Execution != nil {
		full := infoWithHistory{Info: info}
		full.Execution.ExecutionInfo = info.Execution
		if full.Execution.MessageHistory, err = h.history(ctx); err != nil {
			return nil, "", fmt.Errorf("read the thread's messages: %w", err)
		}
		shown = full
	}
	b, err := json.Marshal(shown)
	return b, info.ThreadID, err
}
