package engine

import (
	"context"
	"slices"
)

// Peer is a related thread as project code sees it: the parent, or a direct
// child. It has what concerns both (identity, messages, queue, env, end) and not
// what is a thread's own, such as its key-value store (runtime §14.1).
type Peer struct {
	s   *ThreadState
	rec *ThreadRecord
}

// ChildThread is a direct child by reference; nil where there is none.
func (s *ThreadState) ChildThread(ctx context.Context, ref ThreadID) (*Peer, error) {
	return s.peer(ctx, ref, func(t *Thread) bool { return t.ParentID == s.f.x.snap.thread.ID })
}

// ParentThread is the thread that spawned this one; nil for a root thread.
func (s *ThreadState) ParentThread(ctx context.Context) (*Peer, error) {
	parent := s.f.x.snap.thread.ParentID
	if parent == "" {
		return nil, nil
	}
	return s.peer(ctx, parent, func(*Thread) bool { return true })
}

func (s *ThreadState) peer(ctx context.Context, id ThreadID, related func(*Thread) bool) (*Peer, error) {
	leave, err := s.f.enter("read thread")
	if err != nil {
		return nil, err
	}
	defer leave()
	rec, err := s.f.x.e.c.Store.Thread(ctx, id)
	switch {
	case err != nil && CodeOf(err) == CodeNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case !related(&rec.Thread):
		return nil, nil
	}
	return &Peer{s: s, rec: rec}, nil
}

// enter begins one use of the peer, which ends with the call of its ThreadState.
func (p *Peer) enter(op string) (*Engine, func(), error) {
	leave, err := p.s.f.enter(op)
	return p.s.f.x.e, leave, err
}

// Info reads the peer's properties; a peer has no execution of its own to show.
func (p *Peer) Info(ctx context.Context) (*Info, error) {
	e, leave, err := p.enter("read thread")
	if err != nil {
		return nil, err
	}
	defer leave()
	rec, err := e.c.Store.Thread(ctx, p.rec.ID)
	if err != nil {
		return nil, err
	}
	children, err := e.c.Store.Children(ctx, p.rec.ID)
	if err != nil {
		return nil, err
	}
	info := &Info{ThreadID: rec.ID, AgentID: rec.Agent, CreatedAt: rec.CreatedAt, Arguments: rec.Arguments,
		Children: append([]Child{}, liveChildren(children)...), Context: mustJSON(jsonObject{})}
	if rec.UserID != "" {
		info.UserID = &rec.UserID
	}
	if rec.Terminated != 0 {
		info.Terminated = &rec.Terminated
	}
	return info, nil
}

// liveChildren leaves out children that can't be resumed and are over (decision
// A9).
func liveChildren(list []Child) []Child {
	return slices.DeleteFunc(list, func(c Child) bool { return !c.Resumable && c.Status == childTerminated })
}

// Messages lists the peer's messages, as ThreadState.Messages does.
func (p *Peer) Messages(ctx context.Context, o MessageListOptions) (*MessageList, error) {
	e, leave, err := p.enter("list messages")
	if err != nil {
		return nil, err
	}
	defer leave()
	page, err := e.c.Store.Messages(ctx, MessageQuery{Thread: p.rec.ID, Limit: -1, IncludeSilent: o.IncludeSilent, MaxDepth: o.MaxDepth})
	if err != nil {
		return nil, err
	}
	queue, err := e.c.Store.Queue(ctx, p.rec.ID)
	if err != nil {
		return nil, err
	}
	return o.window(append(page.Messages, pendingMessages(queue, o.IncludeSilent)...)), nil
}

// Message reads one of the peer's messages; nil where there is none.
func (p *Peer) Message(ctx context.Context, id MessageID) (*Message, error) {
	e, leave, err := p.enter("read message")
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := e.c.Store.Message(ctx, p.rec.ID, id)
	if err != nil && CodeOf(err) == CodeNotFound {
		return nil, nil
	}
	return m, err
}

// QueueMessage puts a message into the peer's queue.
func (p *Peer) QueueMessage(ctx context.Context, in NewMessage) error {
	e, leave, err := p.enter("queue message")
	if err != nil {
		return err
	}
	defer leave()
	m, err := p.s.newMessage(ctx, in, RoleUser, RoleAssistant)
	if err != nil {
		return err
	}
	m.ThreadID, m.RunID = p.rec.ID, ""
	var handed Commit
	if m.Attachments, err = p.hand(ctx, &handed, m.Attachments); err != nil {
		return err
	}
	c := e.enqueue(&p.rec.Thread, m, QueueItem{Origin: OriginQueue})
	c.Files, c.Events = handed.Files, append(c.Events, handed.Events...)
	_, err = e.commit(ctx, c)
	return err
}

// hand gives the peer copies of what this thread attaches to a message (runtime
// §8.1).
func (p *Peer) hand(ctx context.Context, c *Commit, list []Attachment) ([]Attachment, error) {
	var paths []string
	for i := range list {
		paths = append(paths, list[i].Path)
	}
	files, err := p.s.f.filesFor(ctx, p.rec.ID, paths)
	return p.s.f.x.e.hand(c, p.s.f.x.snap.thread.ID, &p.rec.Thread, files), err
}

// SetEnv sets a variable of the peer's thread.
func (p *Peer) SetEnv(ctx context.Context, name, value string, typ VariableType) error {
	e, leave, err := p.enter("set env")
	if err != nil {
		return err
	}
	defer leave()
	if typ == "" {
		typ = VariableSecret
	}
	return e.Control().SetEnv(ctx, []EnvValue{{Scope: EnvThread, ThreadID: p.rec.ID, Name: name, Value: value, Type: typ}})
}

// Terminate shuts the peer down.
func (p *Peer) Terminate(ctx context.Context) error {
	e, leave, err := p.enter("terminate")
	if err != nil {
		return err
	}
	defer leave()
	return e.Control().Terminate(ctx, p.rec.ID)
}
