package engine

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
)

// prompt is the active prompt of the side that speaks, nil where it's missing.
func (x *execution) prompt() *Prompt {
	side := x.snap.agent.Side(x.snap.state.Side)
	if side == nil {
		return nil
	}
	return x.e.c.Project.Definitions().Prompts[side.Prompt]
}

func (x *execution) promptName() string {
	if side := x.snap.agent.Side(x.snap.state.Side); side != nil {
		return side.Prompt
	}
	return ""
}

// announceModel tells, in the commit before, that the model is asked now.
func (x *execution) announceModel(c *Commit) {
	if x.answer != "" {
		return // told before
	}
	x.answer = x.newMessageID()
	p := ModelPayload{MessageID: x.answer, Prompt: x.promptName(), Side: x.snap.state.Side, Step: x.snap.state.Steps + 1}
	if prompt := x.prompt(); prompt != nil {
		p.Model = prompt.Model
		if def := x.e.c.Project.Definitions().Models[prompt.Model]; def != nil {
			p.Provider = def.Provider
		}
	}
	ev := x.event(EventModelRequested, "", p)
	ev.StepID, ev.ModelRequestID = StepID(x.answer), string(x.answer)
	c.Events = append(c.Events, ev)
}

// modelStep asks the side's model, and makes the answer the open step. What it
// came to is in the commit that it returns.
func (x *execution) modelStep(parent context.Context) (*Commit, error) {
	ctx, done := x.r.begin(parent)
	defer done()
	s := &x.snap
	began := x.e.c.Now()
	id := x.answer
	var told []Event
	prompt := x.prompt() // one look: the project may change meanwhile
	req, err := x.request(ctx, prompt, view{side: s.state.Side, dual: s.agent.Type == DualAI, run: s.state.RunID}, &told)
	if err != nil {
		return x.failTurn(parent, err, told), nil
	}
	var partial partialAnswer
	cl := &call{x: x, req: *req, emit: x.stream(id, 0, &partial), notes: told,
		fact: ModelPayload{MessageID: id, Prompt: x.promptName(), Side: s.state.Side, Step: s.state.Steps + 1}}
	resp, def, err := cl.generate(ctx, x.candidates(ctx, prompt.Model))
	if parent.Err() != nil {
		return &Commit{}, nil // the host stops: the next one asks again
	}
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) {
		return x.keepPartial(cl, id, &partial), nil
	}
	if err != nil {
		return x.failTurn(parent, err, cl.notes), nil
	}
	m := x.answerMessage(id, resp, def)
	c := &Commit{Events: cl.notes}
	x.keepImages(parent, c, &m, resp.Images)
	cl.fact.LatencyMs = x.e.c.Now().Sub(began).Milliseconds()
	x.modelFacts(c, &m, resp, def, cl.fact)
	s.state.countStep()
	x.answer = ""
	x.put(&m)
	x.beginStep(&m)
	return c, nil
}

// answerMessage is the durable form of a model's answer.
func (x *execution) answerMessage(id MessageID, resp *ModelResponse, def *ModelDef) Message {
	s := &x.snap
	m := x.message(id, authorOf(s.state.Side))
	m.Side, m.Prompt, m.Model = s.state.Side, x.promptName(), def.Name
	m.Reasoning, m.ReasoningDetails = resp.Reasoning, resp.ReasoningDetails
	m.ToolCalls = x.uniqueCalls(resp.ToolCalls)
	if resp.Text != "" {
		m.SetText(resp.Text)
	}
	if side := s.agent.Side(s.state.Side); side.StopTool != "" && side.StopToolResponseProperty != "" {
		for _, call := range m.ToolCalls {
			if call.Name == side.StopTool {
				if v, ok := property([]byte(call.Arguments), side.StopToolResponseProperty); ok {
					m.SetText(v)
				}
			}
		}
	}
	return m
}

// uniqueCalls keeps the model's ids where they are new in this thread and gives
// the others one of our own.
func (x *execution) uniqueCalls(calls []ToolCall) []ToolCall {
	if len(calls) == 0 {
		return nil
	}
	seen := map[ToolCallID]bool{}
	for _, m := range x.messages() {
		for i := range m.ToolCalls {
			seen[m.ToolCalls[i].ID] = true
		}
	}
	out := make([]ToolCall, len(calls))
	for i, c := range calls {
		if c.ID == "" || seen[c.ID] {
			c.ID = x.newCallID()
		}
		seen[c.ID] = true
		out[i] = c
	}
	return out
}

// modelFacts adds what a completed request is known by.
func (x *execution) modelFacts(c *Commit, m *Message, resp *ModelResponse, def *ModelDef, p ModelPayload) {
	p.Role, p.Preview, p.ToolCalls, p.FinishReason = m.Role, preview(m.Text()), len(m.ToolCalls), resp.FinishReason
	p.Model, p.Provider, p.ParentID, p.Depth = def.Name, def.Provider, m.ParentID, m.Depth
	if resp.UsageKnown {
		p.Usage = &resp.Usage
	}
	p.Cost = costOf(def, resp)
	stamp := func(e Event) Event {
		e.StepID, e.ModelRequestID = StepID(m.ID), string(m.ID)
		return e
	}
	if m.Reasoning != "" {
		c.Events = append(c.Events, stamp(x.event(EventReasoning, "",
			MessagePayload{MessageID: m.ID, Preview: preview(m.Reasoning), Bytes: len(m.Reasoning)})))
	}
	c.Events = append(c.Events, stamp(x.event(EventModelCompleted, "completed", p)))
	if resp.FinishReason == FinishLength || resp.FinishReason == FinishContentFilter {
		x.warn(c, "the model stopped early: "+string(resp.FinishReason))
	}
}

// partialAnswer is what was streamed of an answer so far.
type partialAnswer struct {
	mu              sync.Mutex
	text, reasoning strings.Builder
}

// stream publishes deltas as volatile events and keeps them for the case of an
// interrupt.
func (x *execution) stream(id MessageID, depth int, p *partialAnswer) func(ModelDelta) {
	return func(d ModelDelta) {
		p.mu.Lock()
		defer p.mu.Unlock()
		typ, b := EventModelDelta, &p.text
		switch d.Kind {
		case DeltaReasoning:
			typ, b = EventReasoningDelta, &p.reasoning
		case DeltaText:
		case DeltaToolCall:
			return
		}
		offset := b.Len()
		b.WriteString(d.Text)
		if !x.e.broker.listening(x.snap.thread.SessionID) {
			return
		}
		ev := x.event(typ, "", DeltaPayload{MessageID: id, Offset: offset, Text: d.Text, Depth: depth})
		ev.StepID, ev.Timestamp, ev.SchemaVersion = StepID(id), x.e.c.Now().UTC(), EventSchemaVersion
		ev.RuntimeID = x.e.c.Store.Runtime()
		x.e.broker.publish([]Event{ev})
	}
}

// keepPartial keeps what had been streamed before an interrupt, marked so.
func (x *execution) keepPartial(cl *call, id MessageID, p *partialAnswer) *Commit {
	p.mu.Lock()
	text, reasoning := p.text.String(), p.reasoning.String()
	p.mu.Unlock()
	c := &Commit{Events: cl.notes}
	fact := cl.fact
	fact.Error, fact.Partial, fact.Preview = "interrupted", text != "", preview(text)
	ev := x.event(EventModelFailed, string(TurnCancelled), fact)
	ev.StepID, ev.ModelRequestID = StepID(id), string(id)
	c.Events = append(c.Events, ev)
	if text != "" {
		m := x.message(id, authorOf(x.snap.state.Side))
		m.Side, m.Prompt, m.Status, m.Reasoning = x.snap.state.Side, x.promptName(), MessagePartial, reasoning
		m.SetText(text)
		x.put(&m)
	}
	x.answer = ""
	return c
}

// failTurn ends the execution because its model can't go on (step_error).
func (x *execution) failTurn(ctx context.Context, err error, notes []Event) *Commit {
	c := &Commit{Events: notes}
	if !slices.ContainsFunc(notes, func(e Event) bool { return e.Type == EventModelFailed }) {
		ev := x.event(EventModelFailed, "failed", ModelPayload{MessageID: x.answer, Prompt: x.promptName(), Side: x.snap.state.Side,
			Step: x.snap.state.Steps + 1, Error: err.Error()})
		ev.StepID, ev.ModelRequestID = StepID(x.answer), string(x.answer)
		c.Events = append(c.Events, ev)
	}
	x.closeStep()
	var blocked *HookBlocked
	if errors.As(err, &blocked) {
		m := x.message(x.newMessageID(), authorOf(x.snap.state.Side))
		m.Side = x.snap.state.Side
		m.SetText(blocked.Reason)
		x.put(&m)
		x.end(ctx, c, verdict{reason: StopHookBlocked, ends: true, outcome: TurnFailed, detail: blocked.Reason, code: CodeConflict})
		return c
	}
	x.end(ctx, c, verdict{reason: StopStepError, ends: true, outcome: TurnFailed, detail: err.Error(), code: CodeOf(modelError(err))})
	return c
}

// modelError gives a provider's failure the engine's code.
func modelError(err error) error {
	var me *ModelError
	if errors.As(err, &me) {
		return &Error{Code: CodeModel, Op: "ask model", Message: me.Error(), Err: err}
	}
	return err
}

// request assembles one model request for a prompt. Facts about the hooks that
// shaped it go to told.
func (x *execution) request(ctx context.Context, p *Prompt, v view, told *[]Event) (*ModelRequest, error) {
	if p == nil {
		return nil, x.missingPrompt()
	}
	if err := x.requireVariables(ctx, p); err != nil {
		return nil, err
	}
	v.prompt = p
	tools := x.modelTools(ctx, p)
	system, messages, err := x.contextOf(ctx, p, v, told)
	if err != nil {
		return nil, err
	}
	req := &ModelRequest{
		System: system, Messages: messages, Tools: tools,
		Reasoning: p.Reasoning, ProviderOptions: p.ProviderOptions, User: string(x.snap.thread.ID),
	}
	if x.children && v.inner == "" {
		if text := registryText(x.registry(ctx), offers(tools, toolSubagentMessage)); text != "" {
			req.Messages = append(req.Messages, ModelMessage{Role: RoleSystem, Parts: TextParts(text)})
		}
	}
	if len(tools) > 0 {
		req.ToolChoice, req.ParallelToolCalls = p.ToolChoice, p.ParallelToolCalls
	}
	return req, nil
}

func offers(tools []ModelTool, name string) bool {
	return slices.ContainsFunc(tools, func(t ModelTool) bool { return t.Name == name })
}

// contextOf renders the system prompt and assembles the history, each through its
// hooks.
func (x *execution) contextOf(ctx context.Context, p *Prompt, v view, told *[]Event) (string, []ModelMessage, error) {
	system := x.systemText(ctx, p, v.args)
	events, _ := hookValue(ctx, x, hookSystemMessage, &system)
	*told = append(*told, events...)
	history := x.messages()
	if len(x.hooks(hookFilterMessages)) > 0 {
		events, _ = hookValue(ctx, x, hookFilterMessages, &history)
		*told = append(*told, events...)
	}
	v.image = func(a *Attachment) []byte { return x.imageData(ctx, a) }
	messages := v.assemble(history)
	if len(x.hooks(hookPrefilter)) == 0 {
		return system, messages, nil
	}
	list := wireMessages(system, messages)
	events, err := hookValue(ctx, x, hookPrefilter, &list)
	*told = append(*told, events...)
	if err != nil {
		return system, messages, err
	}
	system, messages = unwireMessages(list, messages)
	return system, messages, nil
}

func (x *execution) missingPrompt() error {
	defs := x.e.c.Project.Definitions()
	if defs.Agents[x.snap.thread.Agent] == nil {
		return Errorf(CodeNotFound, "start step", "the agent %q doesn't exist in this project (any more); `sideb agents` lists what does", x.snap.thread.Agent)
	}
	return Errorf(CodeNotFound, "start step", "the prompt %q of agent %q doesn't exist or is broken; `sideb check` says why", x.promptName(), x.snap.thread.Agent)
}

func (x *execution) systemText(ctx context.Context, p *Prompt, own json.RawMessage) string {
	r := renderer{
		defs: x.e.c.Project.Definitions(), vars: x.vars(own),
		env: func(name string) (string, VariableType) {
			v, _ := x.lookupEnv(ctx, name)
			return v.Value, v.Type
		},
		warn: func(format string, args ...any) {
			x.e.c.Logf("thread %s: "+format, append([]any{x.snap.thread.ID}, args...)...)
		},
	}
	return r.render(p)
}

// vars is what {{name}} reads: the arguments the thread was started or handed
// over with, over them what tools put into state.context, and over both the
// arguments of a sub-prompt's own call.
func (x *execution) vars(own json.RawMessage) map[string]json.RawMessage {
	x.mu.Lock()
	defer x.mu.Unlock()
	vars := map[string]json.RawMessage{}
	maps.Copy(vars, objectOf(x.snap.thread.Arguments))
	maps.Copy(vars, x.snap.state.Args)
	maps.Copy(vars, x.context)
	maps.Copy(vars, objectOf(own))
	return vars
}

// objectOf is the properties of a JSON object; none where it isn't one.
func objectOf(raw json.RawMessage) jsonObject {
	var o jsonObject
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

// property reads a property of a JSON object as text: a string trimmed, anything
// else as its JSON.
func property(object []byte, name string) (string, bool) {
	var o jsonObject
	if name == "" || json.Unmarshal(object, &o) != nil {
		return "", false
	}
	v, ok := o[name]
	if !ok {
		return "", false
	}
	return strings.TrimSpace(plain(v)), true
}

// mergeObjects lays over on top of base; what isn't an object is ignored.
func mergeObjects(base, over json.RawMessage) json.RawMessage {
	if len(over) == 0 {
		return base
	}
	if len(base) == 0 {
		return over
	}
	var a, b jsonObject
	if json.Unmarshal(base, &a) != nil || json.Unmarshal(over, &b) != nil {
		return over
	}
	for k, v := range b {
		a[k] = v
	}
	out, err := json.Marshal(a)
	if err != nil {
		return over
	}
	return out
}
