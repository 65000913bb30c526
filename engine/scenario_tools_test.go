package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// scripts is the world as engine.Scripts: its tools do what the scenario says.
type scripts struct{ w *world }

func (s scripts) CallTool(ctx context.Context, tool *engine.Tool, args json.RawMessage, state *engine.ThreadState) (*engine.ToolResult, error) {
	w := s.w
	thread := w.root
	if info, err := state.Info(ctx); err == nil {
		thread = info.ThreadID
	}
	w.say(thread, "tool %s %s", tool.Name, args)
	w.mu.Lock()
	n := w.calls[tool.Name]
	w.calls[tool.Name]++
	w.ran[tool.Name+" "+string(args)]++
	w.mu.Unlock()
	var said []string
	var files []engine.NewAttachment
	for _, p := range w.s.behaviour(tool.Name, string(args), n) {
		switch p[0] {
		case "on":
			continue
		case "error":
			return &engine.ToolResult{Status: engine.ToolError, Error: p.arg(1), ErrorCode: p.option("code")}, nil
		case "panic":
			panic(p.arg(1))
		case "die":
			return nil, engine.Errorf(engine.CodeSandbox, "call tool", "%s", p.arg(1))
		case "attach", "attach-file":
			files = append(files, attachment(p))
			continue
		case "nothing":
			return nil, nil
		case "block":
			select {
			case <-w.gate(p.arg(1)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		case "defy": // goes on although it is told to end
			<-w.gate(p.arg(1))
			continue
		}
		out, err := act(ctx, state, p)
		if err != nil {
			return nil, err
		}
		if out != "" {
			said = append(said, out)
		}
	}
	return &engine.ToolResult{Status: engine.ToolSuccess, Result: strings.Join(said, "\n"), Attachments: files}, nil
}

// behaviour finds what the n-th call of a tool does: the line for its arguments,
// else the n-th of the others, the last of which goes on.
func (s *scenario) behaviour(tool, args string, n int) []part {
	var others [][]part
	for _, l := range s.does[tool] {
		switch {
		case l[0][0] != "on":
			others = append(others, l)
		case l[0].arg(1) == args:
			return l
		}
	}
	if len(others) == 0 {
		return []part{{"result", "ok"}}
	}
	return others[min(n, len(others)-1)]
}

// act does one thing to the thread; what it returns is part of the result.
func act(ctx context.Context, state *engine.ThreadState, p part) (string, error) {
	message := engine.NewMessage{Role: engine.Role(p.arg(1)), Content: p.arg(2), Silent: p.has("silent")}
	raw := json.RawMessage(p.arg(2))
	if len(raw) == 0 {
		raw = nil
	}
	if out, err, known := actFile(ctx, state, p); known {
		return out, err
	}
	switch p[0] {
	case "result":
		return p.arg(1), nil
	case "repeat":
		n := 0
		_, err := fmt.Sscan(p.arg(2), &n)
		return strings.Repeat(p.arg(1), n), err
	case "set":
		return "", state.SetValue(ctx, p.arg(1), raw)
	case "get":
		v, err := state.Value(ctx, p.arg(1))
		return fmt.Sprintf("%s is %s", p.arg(1), v), err
	case "queue-tool":
		return "", state.QueueTool(p.arg(1), raw)
	case "invoke":
		res, err := state.InvokeTool(ctx, p.arg(1), raw)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s: %s%s", res.Status, res.Result, res.Error), nil
	case "queue":
		return "", state.QueueMessage(ctx, message)
	case "inject":
		_, err := state.InjectMessage(ctx, message)
		return "", err
	case "context":
		return "", state.SetContext(json.RawMessage(p.arg(1)))
	case "emit":
		return "", state.Emit(p.arg(1), raw)
	case "log":
		state.Log("info", p.arg(1))
		return "", nil
	case "env":
		v, err := state.Env(ctx, p.arg(1))
		return fmt.Sprintf("%s is %s", p.arg(1), v), err
	case "set-env":
		return "", state.SetEnv(ctx, p.arg(1), p.arg(2), "")
	case "stop":
		return "", state.Stop()
	case "force":
		return "", state.ForceTurn(engine.Side(p.arg(1)))
	case "run-agent":
		return "", state.RunAgent(ctx, p.arg(1))
	case "terminate":
		return "", state.Terminate(ctx)
	case "info":
		info, err := state.Info(ctx)
		if err != nil {
			return "", err
		}
		b, err := json.Marshal(info.Execution)
		return string(b), err
	case "list":
		l, err := state.Messages(ctx, engine.MessageListOptions{IncludeSilent: p.has("silent")})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d messages", l.Total), nil
	default:
		return actOnTree(ctx, state, p)
	}
}

// actOnTree is act for what concerns other threads.
func actOnTree(ctx context.Context, state *engine.ThreadState, p part) (string, error) {
	switch p[0] {
	case "notify":
		return "", state.NotifyParent(ctx, p.arg(1))
	case "status":
		return "", state.SetStatus(ctx, p.arg(1))
	case "knows": // whether a variable has a value, without saying it
		v, err := state.Env(ctx, p.arg(1))
		return fmt.Sprintf("%s known: %t", p.arg(1), err == nil && v == p.arg(2)), nil
	case "children":
		info, err := state.Info(ctx)
		if err != nil {
			return "", err
		}
		var lines []string
		for _, c := range info.Children {
			lines = append(lines, printChild(c))
		}
		return strings.Join(lines, "\n"), nil
	case "parent":
		return aboutPeer(ctx, p, func() (*engine.Peer, error) { return state.ParentThread(ctx) })
	case "child", "tell-child", "end-child":
		return aboutPeer(ctx, p, func() (*engine.Peer, error) {
			info, err := state.Info(ctx)
			if err != nil || len(info.Children) == 0 {
				return nil, err
			}
			return state.ChildThread(ctx, info.Children[0].Reference)
		})
	case "stranger":
		peer, err := state.ChildThread(ctx, "nobody")
		return fmt.Sprintf("stranger found: %t", peer != nil), err
	case "set-big":
		n := 0
		if _, err := fmt.Sscan(p.arg(2), &n); err != nil {
			return "", err
		}
		return "", state.SetValue(ctx, p.arg(1), json.RawMessage(`"`+strings.Repeat("x", n-2)+`"`))
	case "schedule":
		wait, err := time.ParseDuration(p.arg(3))
		if err != nil {
			return "", err
		}
		_, err = state.ScheduleEffect(ctx, p.arg(1), json.RawMessage(p.arg(2)), wait)
		return "", err
	default:
		return "", fmt.Errorf("no part of a tool: %v", p)
	}
}

// aboutPeer looks at a related thread, tells it something, or ends it.
func aboutPeer(ctx context.Context, p part, open func() (*engine.Peer, error)) (string, error) {
	peer, err := open()
	if err != nil || peer == nil {
		return "none", err
	}
	switch p[0] {
	case "tell-child":
		return "", peer.QueueMessage(ctx, engine.NewMessage{Role: engine.RoleUser, Content: p.arg(1)})
	case "end-child":
		return "", peer.Terminate(ctx)
	default:
		info, err := peer.Info(ctx)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s %s of %s", p[0], info.ThreadID, info.AgentID), nil
	}
}

func (s scripts) CallHook(ctx context.Context, hook *engine.Hook, args []json.RawMessage, state *engine.ThreadState) (json.RawMessage, error) {
	return nil, s.quietly(ctx, "hook", hook.ID, state)
}

func (s scripts) CallEffect(ctx context.Context, effect *engine.EffectDef, _ json.RawMessage, state *engine.ThreadState) error {
	return s.quietly(ctx, "effect", effect.Name, state)
}

// quietly does what the scenario says a hook or effect does; what its parts say
// is noted, since nothing else shows it.
func (s scripts) quietly(ctx context.Context, kind, name string, state *engine.ThreadState) error {
	w := s.w
	w.mu.Lock()
	n := w.calls[name]
	w.calls[name]++
	w.mu.Unlock()
	var said []string
	for _, p := range w.s.behaviour(name, "", n) {
		out, err := act(ctx, state, p)
		if err != nil {
			return err
		}
		if out != "" {
			said = append(said, out)
		}
	}
	thread := w.root
	if info, err := state.Info(ctx); err == nil {
		thread = info.ThreadID
	}
	w.say(thread, "%s %s %s", kind, name, strings.Join(said, "; "))
	return nil
}
