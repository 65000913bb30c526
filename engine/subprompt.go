package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// subPrompt runs a prompt tool: one model request and its tool calls, then
// return, without a loop (authoring surface §5). Its messages are stored one
// level deeper, with the id of the call's result as parent, and stay out of the
// caller's context.
func (f *frame) subPrompt(ctx context.Context, c callable, args json.RawMessage) *ToolResult {
	if f.depth+1 > MaxPromptDepth {
		return ErrorResult(fmt.Sprintf("prompts may call each other at most %d levels deep", MaxPromptDepth))
	}
	s := &subRun{f: f.nested(c.prompt, f.message, append(f.path[:len(f.path):len(f.path)], c.prompt.Name)), c: c}
	if f.depth > 0 || f.root != f {
		s.f.message = f.x.newMessageID() // a parent of its own, so that nested runs don't see each other
	}
	res, err := s.run(ctx, args)
	if err != nil {
		return ErrorResult(fmt.Sprintf("the prompt %s failed: %s", c.prompt.Name, err))
	}
	return res
}

// subRun is one run of a sub-prompt.
type subRun struct {
	f      *frame
	c      callable
	lines  []string
	files  []Attachment // of the answer, passed up
	failed bool
}

func (s *subRun) run(ctx context.Context, args json.RawMessage) (*ToolResult, error) {
	x := s.f.x
	answer := x.newMessageID()
	fact := ModelPayload{MessageID: answer, ParentID: s.f.message, Prompt: s.c.prompt.Name, Model: s.c.prompt.Model, Depth: s.f.depth}
	if err := s.ask(ctx, args, fact); err != nil {
		return nil, err
	}
	var told []Event
	req, err := x.request(ctx, s.c.prompt, view{side: SideA, run: x.snap.state.RunID, inner: s.f.message, args: args}, &told)
	if err != nil {
		return nil, err
	}
	var partial partialAnswer
	cl := &call{x: x, req: *req, emit: x.stream(answer, s.f.depth, &partial), fact: fact, notes: told}
	resp, def, err := cl.generate(ctx, x.candidates(ctx, s.c.prompt.Model))
	if err != nil {
		for _, ev := range cl.notes {
			s.f.tell(ev)
		}
		return nil, err
	}
	m := s.message(answer, RoleAssistant)
	m.Prompt, m.Model, m.Reasoning, m.ReasoningDetails = s.c.prompt.Name, def.Name, resp.Reasoning, resp.ReasoningDetails
	m.ToolCalls = x.uniqueCalls(resp.ToolCalls)
	if resp.Text != "" {
		m.SetText(resp.Text)
	}
	c := &Commit{Events: cl.notes}
	x.keepImages(ctx, c, m, resp.Images)
	s.files = append(s.files, m.Attachments...)
	x.modelFacts(c, m, resp, def, cl.fact)
	if err := s.f.create(ctx, c, m); err != nil {
		return nil, err
	}
	if e := s.c.entry; e.IncludeTextResponse && resp.Text != "" {
		s.lines = append(s.lines, resp.Text)
	}
	return s.tools(ctx, m)
}

// ask stores the sub-prompt's input and announces the request.
func (s *subRun) ask(ctx context.Context, args json.RawMessage, fact ModelPayload) error {
	x := s.f.x
	ev := x.event(EventModelRequested, "", fact)
	ev.StepID, ev.ModelRequestID = StepID(fact.MessageID), string(fact.MessageID)
	c := &Commit{Events: []Event{ev}}
	input, ok := property(args, s.c.entry.InitUserMessageProperty)
	if !ok {
		input = indented(args)
	}
	files, err := x.attached(ctx, args, s.c.entry.InitAttachmentsProperty)
	if err != nil {
		return err
	}
	if input == "" && len(files) == 0 {
		return x.record(ctx, c)
	}
	m := s.message(x.newMessageID(), RoleUser)
	m.SetText(input)
	m.Attachments = x.e.references(files)
	return s.f.create(ctx, c, m)
}

// indented is the arguments as a sub-prompt or child reads them; nothing where
// there are none.
func indented(args json.RawMessage) string {
	var o jsonObject
	if json.Unmarshal(args, &o) != nil || len(o) == 0 {
		return ""
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return ""
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}

func (s *subRun) message(id MessageID, role Role) *Message {
	m := s.f.x.message(id, role)
	m.Depth, m.ParentID, m.Side = s.f.depth, s.f.message, s.f.x.snap.state.Side
	return &m
}

// tools runs the answer's calls in order, each result durable before the next.
func (s *subRun) tools(ctx context.Context, answer *Message) (*ToolResult, error) {
	x, e := s.f.x, s.c.entry
	for _, call := range answer.ToolCalls {
		id := x.newMessageID()
		started := x.toolEvent(EventToolStarted, call, id, ToolPayload{Arguments: preview(call.Arguments), ParentID: s.f.message, Depth: s.f.depth})
		if err := x.record(ctx, &Commit{Events: []Event{started}}); err != nil {
			return nil, err
		}
		began := x.e.c.Now()
		res := s.f.nested(s.c.prompt, id, s.f.path).run(ctx, call, false)
		c := &Commit{}
		res, events := x.toolHooks(ctx, call, res)
		c.Events = append(c.Events, events...)
		if res == nil {
			continue // a hook took the call out of the conversation
		}
		res = x.keepAttachments(ctx, c, res)
		m := x.toolMessage(c, id, call, res)
		nameAttachments(&m)
		m.Depth, m.ParentID, m.Side = s.f.depth, s.f.message, x.snap.state.Side
		c.Events = append(c.Events, x.toolResultEvent(call, res, &m, x.e.c.Now().Sub(began)))
		if err := s.f.create(ctx, c, &m); err != nil {
			return nil, err
		}
		if e.IncludeToolCalls {
			s.lines = append(s.lines, fmt.Sprintf("Called %s with %s", call.Name, call.Arguments))
		}
		failed := res.Status == ToolError
		s.failed = s.failed || failed
		if !failed && e.IncludeToolCalls || failed && e.IncludeErrors {
			s.lines = append(s.lines, fmt.Sprintf("%s returned: %s", call.Name, m.Text()))
		}
	}
	out := strings.Join(s.lines, "\n\n")
	if s.failed {
		if out == "" {
			out = "a tool of the prompt failed" // the entry keeps the details from the caller
		}
		return ErrorResult(out), nil
	}
	res := &ToolResult{Status: ToolSuccess, Result: out}
	for _, a := range s.files {
		res.Attachments = append(res.Attachments, NewAttachment{Attachment: a})
	}
	return res, nil
}
