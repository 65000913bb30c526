package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Request is a subagent that waits for variables before it can come to life
// (agents §7.8). It is used once: providing the variables boots the child.
type Request struct {
	ID        RequestID
	ThreadID  ThreadID // the parent
	Payload   json.RawMessage
	CreatedAt Micros
}

// RequestStore keeps deferred subagents. Commit.Requests adds them;
// Commit.Fulfil removes one, and fails with CodeNotFound where it's gone.
type RequestStore interface {
	Request(ctx context.Context, id RequestID) (*Request, error)
	// Requests lists what waits on a thread, oldest first; "" means any thread.
	Requests(ctx context.Context, thread ThreadID) ([]Request, error)
}

// deferred is the payload of a Request: the original call.
type deferred struct {
	Agent    string          `json:"agent"`
	Entry    ToolEntry       `json:"entry"`
	Name     string          `json:"name"`
	Message  string          `json:"message"`
	Args     json.RawMessage `json:"args,omitempty"`
	Files    []string        `json:"files,omitempty"` // of the parent, which the child gets copies of
	Side     Side            `json:"side"`
	Group    MessageID       `json:"group"`
	Required []string        `json:"required"`
	Missing  []string        `json:"missing"`

	Transfer map[string]string `json:"transfer,omitempty"` // names of variables that the parent moves to the child
}

// RequestInfo tells what a deferred subagent waits for.
type RequestInfo struct {
	RequestID RequestID `json:"request_id"`
	Parent    ThreadID  `json:"parent_thread_id"`
	Agent     string    `json:"agent_name"`
	Registry  string    `json:"registry_agent_name"`
	Required  []string  `json:"required"`
	Missing   []string  `json:"missing"`
}

// missingEnv looks for the required scoped variables of a child's graph that
// nothing provides. Where there are any, the spawn is deferred: the call gets a
// structured error, and the request waits for values.
func (f *frame) missingEnv(ctx context.Context, b birth) *ToolResult {
	x := f.x
	scoped := scopedVariables(x.e.c.Project.Definitions(), b.agent)
	required, missing, err := x.e.unprovided(ctx, scoped, b.agent, ownEnv(b.env))
	if err != nil {
		return ErrorResult(err.Error())
	}
	if len(missing) == 0 {
		return nil
	}
	req := Request{ID: RequestID(x.e.c.NewID()), ThreadID: b.parent.ID, CreatedAt: MicrosOf(x.e.c.Now()),
		Payload: mustJSON(deferred{Agent: b.agent.Name, Entry: *b.entry, Name: b.name, Message: b.message, Args: b.args, Files: pathsOf(b.files),
			Side: b.side, Group: b.group, Required: required, Missing: missing, Transfer: b.moved})}
	f.add(Commit{Requests: []Request{req}})
	endpoint := fmt.Sprintf("/api/threads/%s/variables/%s", b.parent.ID, req.ID)
	return &ToolResult{Status: ToolError, ErrorCode: "subagent_env_required",
		Error: fmt.Sprintf("the subagent %s needs variables that aren't set: %s. It starts by itself once they are provided (sideb env provide %s).",
			b.agent.Name, strings.Join(missing, ", "), req.ID),
		ErrorData: mustJSON(map[string]any{"request_id": req.ID, "endpoint": endpoint, "required": required, "missing": missing, "agent": b.agent.Name})}
}

// unprovided lists the required variables, and those of them that neither
// provided nor the agent, its prompts, the user or the instance have.
func (e *Engine) unprovided(ctx context.Context, scoped map[string]Variable, a *Agent, provided map[string]bool) (required, missing []string, err error) {
	user, err := e.env.scope(ctx, e.c.Store, envKey{EnvUser, ""})
	if err != nil {
		return nil, nil, err
	}
	instance, err := e.env.scope(ctx, e.c.Store, envKey{EnvInstance, ""})
	if err != nil {
		return nil, nil, err
	}
	has := func(name string) bool {
		_, inUser := user[name]
		_, inInstance := instance[name]
		_, inAgent := a.Env[name]
		if provided[name] || inUser || inInstance || inAgent {
			return true
		}
		for _, side := range []Side{SideA, SideB} {
			if s := a.Side(side); s != nil {
				if p := e.c.Project.Definitions().Prompts[s.Prompt]; p != nil {
					if _, ok := p.Env[name]; ok {
						return true
					}
				}
			}
		}
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(scoped)) {
		if !scoped[name].Required {
			continue
		}
		required = append(required, name)
		if !has(name) {
			missing = append(missing, name)
		}
	}
	return required, missing, nil
}

// Request tells what a deferred subagent waits for.
func (c *ControlPlane) Request(ctx context.Context, id RequestID) (*RequestInfo, error) {
	r, err := c.e.c.Store.Request(ctx, id)
	if err != nil {
		return nil, err
	}
	return requestInfo(r)
}

// Requests lists the deferred subagents of a thread; "" means of all.
func (c *ControlPlane) Requests(ctx context.Context, thread ThreadID) ([]RequestInfo, error) {
	list, err := c.e.c.Store.Requests(ctx, thread)
	if err != nil {
		return nil, err
	}
	infos := make([]RequestInfo, len(list))
	for i := range list {
		info, err := requestInfo(&list[i])
		if err != nil {
			return nil, err
		}
		infos[i] = *info
	}
	return infos, nil
}

func requestInfo(r *Request) (*RequestInfo, error) {
	var d deferred
	if err := json.Unmarshal(r.Payload, &d); err != nil {
		return nil, Errorf(CodeCorrupt, "read request", "%w", err)
	}
	return &RequestInfo{RequestID: r.ID, Parent: r.ThreadID, Agent: d.Agent, Registry: d.Entry.Name, Required: d.Required, Missing: d.Missing}, nil
}

// ProvideEnv gives a deferred subagent its variables and boots it at once; its
// result reaches the parent as a queued message. The values are stored on the new
// thread as secrets unless the project declares them as text.
func (c *ControlPlane) ProvideEnv(ctx context.Context, id RequestID, values map[string]string) (ThreadID, error) {
	const op = "provide variables"
	r, err := c.e.c.Store.Request(ctx, id)
	if err != nil {
		return "", err
	}
	var d deferred
	if err := json.Unmarshal(r.Payload, &d); err != nil {
		return "", Errorf(CodeCorrupt, op, "%w", err)
	}
	parent, err := c.e.c.Store.Thread(ctx, r.ThreadID)
	if err != nil {
		return "", err
	}
	defs := c.Definitions()
	agent := defs.Agents[d.Agent]
	switch {
	case agent == nil:
		return "", Errorf(CodeNotFound, op, "the agent %q doesn't exist in this project any more", d.Agent)
	case parent.Terminated != 0:
		return "", Errorf(CodeConflict, op, "the parent thread %s is terminated", parent.ID)
	}
	scoped := scopedVariables(defs, agent)
	b := birth{parent: &parent.Thread, side: d.Side, group: d.Group, agent: agent, entry: &d.Entry, name: d.Name, message: d.Message, args: d.Args}
	if b.files, b.message, err = c.e.remaining(ctx, parent.ID, d.Files, b.message); err != nil {
		return "", err
	}
	if b.env, err = c.e.childEnv(ctx, parent.ID, agent, d.Transfer, transfers{"": d.Transfer}); err != nil {
		return "", err
	}
	if err := c.roomFor(ctx, parent.ID, &d.Entry); err != nil {
		return "", err
	}
	provided := ownEnv(b.env)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := EnvValue{Scope: EnvThread, Name: name, Value: values[name], Type: VariableSecret}
		if scoped[name].Type == VariableText {
			v.Type = VariableText
		}
		if err := checkEnv(v); err != nil {
			return "", err
		}
		provided[name] = true
		b.env = append(b.env, v)
	}
	if _, missing, err := c.e.unprovided(ctx, scoped, agent, provided); err != nil || len(missing) > 0 {
		if err == nil {
			err = Errorf(CodeInvalid, op, "still missing: %s", strings.Join(missing, ", "))
		}
		return "", err
	}
	child, commit, err := c.e.bear(b)
	if err != nil {
		return "", err
	}
	commit.Thread, commit.Live, commit.Fulfil = parent.ID, true, r.ID
	if _, err := c.e.commit(ctx, &commit); err != nil {
		return "", err
	}
	return child.ID, nil
}

// roomFor checks maxInstances once more: others may have come to life since the
// call.
func (c *ControlPlane) roomFor(ctx context.Context, parent ThreadID, entry *ToolEntry) error {
	if entry.Resumable == nil {
		return nil
	}
	children, err := c.e.c.Store.Children(ctx, parent)
	if err != nil {
		return err
	}
	if full := instancesFull(entry, children); full != "" {
		return Errorf(CodeLimit, "provide variables", "%s", full)
	}
	return nil
}

// ownEnv tells which names the values of a child to be have.
func ownEnv(values []EnvValue) map[string]bool {
	own := map[string]bool{}
	for _, v := range values {
		own[v.Name] = own[v.Name] || v.ThreadID == "" && !v.Delete
	}
	return own
}

func pathsOf(files []FileRecord) []string {
	var paths []string
	for i := range files {
		paths = append(paths, files[i].Path)
	}
	return paths
}

// remaining finds the files of a deferred call that are still there. The message
// says which aren't: the child starts without them.
func (e *Engine) remaining(ctx context.Context, thread ThreadID, paths []string, message string) ([]FileRecord, string, error) {
	var files []FileRecord
	for _, p := range paths {
		f, err := e.c.Store.File(ctx, thread, p)
		switch {
		case err == nil && !f.IsDirectory:
			files = append(files, *f)
		case err == nil, CodeOf(err) == CodeNotFound:
			message += "\n\n(The attachment " + p + " was removed before this thread began.)"
		default:
			return nil, "", err
		}
	}
	return files, message, nil
}
