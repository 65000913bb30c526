package engine

import (
	"context"
	"encoding/json"
	"slices"
)

// MessageListOptions are the options of getMessages; Offset counts from the
// newest end, or from the oldest with Order "asc".
type MessageListOptions struct {
	Limit         int    `json:"limit"`
	Offset        int    `json:"offset"`
	Order         string `json:"order"`
	IncludeSilent bool   `json:"includeSilent"`
	MaxDepth      int    `json:"maxDepth"`
}

// MessageList is the result of getMessages.
type MessageList struct {
	Messages []Message `json:"messages"`
	Total    int       `json:"total"`
	HasMore  bool      `json:"hasMore"`
}

// NewMessage is the input of injectMessage and queueMessage.
type NewMessage struct {
	Role        Role            `json:"role"`
	Content     string          `json:"content"`
	Silent      bool            `json:"silent"`
	Metadata    json.RawMessage `json:"metadata"`
	Attachments []Attachment    `json:"attachments"`
}

// MessageUpdate is the input of updateMessage; nil fields stay. Metadata is
// merged.
type MessageUpdate struct {
	Content  *string         `json:"content"`
	Metadata json.RawMessage `json:"metadata"`
}

// LogEntry is one entry of getLogs.
type LogEntry struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
	CreatedAt Micros          `json:"created_at"`
	ParentID  string          `json:"parent_id,omitempty"`
}

// Messages lists the thread's messages, with what is queued at the end (status
// pending). The window is cut from the newest end, or from the oldest with order
// "asc"; it is chronological unless order is "desc".
func (s *ThreadState) Messages(ctx context.Context, o MessageListOptions) (*MessageList, error) {
	leave, err := s.f.enter("list messages")
	if err != nil {
		return nil, err
	}
	defer leave()
	all, err := s.visible(ctx, o)
	if err != nil {
		return nil, err
	}
	return o.window(all), nil
}

// window cuts the list that the options ask for out of all messages.
func (o MessageListOptions) window(all []Message) *MessageList {
	if o.Limit <= 0 {
		o.Limit = 100
	}
	o.Offset = min(max(o.Offset, 0), len(all))
	list := &MessageList{Total: len(all)}
	if o.Order == "asc" {
		window := all[o.Offset:]
		list.Messages = window[:min(o.Limit, len(window))]
	} else {
		window := all[:len(all)-o.Offset]
		list.Messages = window[max(0, len(window)-o.Limit):]
	}
	list.HasMore = len(list.Messages)+o.Offset < len(all)
	if o.Order == "desc" {
		slices.Reverse(list.Messages)
	}
	return list
}

func (s *ThreadState) visible(ctx context.Context, o MessageListOptions) ([]Message, error) {
	x := s.f.x
	var all []Message
	x.mu.Lock()
	for _, m := range x.history {
		if (o.IncludeSilent || !m.Silent) && m.Depth <= o.MaxDepth {
			all = append(all, *m)
		}
	}
	x.mu.Unlock()
	queue, err := x.e.c.Store.Queue(ctx, x.snap.thread.ID)
	if err != nil {
		return nil, err
	}
	return append(all, pendingMessages(queue, o.IncludeSilent)...), nil
}

// pendingMessages are the messages that wait in a queue.
func pendingMessages(queue []QueueItem, silent bool) []Message {
	var out []Message
	for i := range queue {
		if silent {
			out = append(out, queue[i].Preface...)
		}
		if m := queue[i].Message; m != nil && (silent || !m.Silent) {
			out = append(out, *m)
		}
	}
	return out
}

// Message reads one message; nil where there is none.
func (s *ThreadState) Message(ctx context.Context, id MessageID) (*Message, error) {
	leave, err := s.f.enter("read message")
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := s.f.x.e.c.Store.Message(ctx, s.f.x.snap.thread.ID, id)
	if CodeOf(err) == CodeNotFound && err != nil {
		return nil, nil
	}
	return m, err
}

// newMessage checks and makes a message that project code wants to add.
func (s *ThreadState) newMessage(ctx context.Context, in NewMessage, roles ...Role) (*Message, error) {
	if !slices.Contains(roles, in.Role) {
		return nil, Errorf(CodeInvalid, "add message", "the role %q isn't possible here; use one of %v", in.Role, roles)
	}
	if len(in.Content) > MaxContent {
		return nil, Errorf(CodeLimit, "add message", "the content has %d bytes; the limit is %d", len(in.Content), MaxContent)
	}
	attached, err := s.f.x.e.checkAttachments(ctx, s.f.x.snap.thread.ID, in.Attachments)
	if err != nil {
		return nil, err
	}
	m := s.f.x.message(s.f.x.newMessageID(), in.Role)
	m.SetText(s.f.x.e.secrets.redact(in.Content))
	m.Side = speaker(in.Role)
	m.Silent, m.Metadata, m.Attachments = in.Silent, in.Metadata, attached
	if eff := s.f.root.effect; eff != nil {
		m.Metadata = mergeObjects(m.Metadata, mustJSON(map[string]any{"scheduledEffect": map[string]any{"id": eff.ID, "name": eff.Name}}))
	}
	return &m, nil
}

// InjectMessage adds a message to the conversation without starting anything.
func (s *ThreadState) InjectMessage(ctx context.Context, in NewMessage) (*Message, error) {
	leave, err := s.f.enter("inject message")
	if err != nil {
		return nil, err
	}
	defer leave()
	m, err := s.newMessage(ctx, in, RoleSystem, RoleUser, RoleAssistant)
	if err != nil {
		return nil, err
	}
	x := s.f.x
	if err := s.f.create(ctx, &Commit{Live: true, Events: []Event{x.messageEvent(m)}}, m); err != nil {
		return nil, err
	}
	return m, nil
}

// QueueMessage puts a message into the thread's durable queue: it is injected
// before the next model call, or starts the next execution (runtime §9).
func (s *ThreadState) QueueMessage(ctx context.Context, in NewMessage) error {
	leave, err := s.f.enter("queue message")
	if err != nil {
		return err
	}
	defer leave()
	m, err := s.newMessage(ctx, in, RoleUser, RoleAssistant)
	if err != nil {
		return err
	}
	x := s.f.x
	origin := OriginQueue
	if s.f.root.effect != nil {
		origin = OriginEffect
	}
	c := x.e.enqueue(&x.snap.thread, m, QueueItem{Origin: origin})
	return x.record(ctx, c)
}

// UpdateMessage changes content or metadata of a message; metadata is merged.
func (s *ThreadState) UpdateMessage(ctx context.Context, id MessageID, u MessageUpdate) (*Message, error) {
	leave, err := s.f.enter("update message")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	m, err := x.e.c.Store.Message(ctx, x.snap.thread.ID, id)
	if err != nil {
		return nil, err
	}
	if !s.f.root.hook {
		events, _ := hookValue(ctx, x, hookBeforeUpdate, &u, mustJSON(id))
		s.f.add(Commit{Events: events})
	}
	if u.Content != nil {
		m.Content = u.Content
	}
	m.Metadata = mergeObjects(m.Metadata, u.Metadata)
	if err := x.record(ctx, &Commit{Events: []Event{x.messageEvent(m)}}, m); err != nil {
		return nil, err
	}
	if !s.f.root.hook {
		_, events, _ := x.runHooks(ctx, hookAfterUpdate, mustJSON(m))
		s.f.add(Commit{Events: events})
	}
	return m, nil
}

// DeleteMessage removes a message; false where there is none.
func (s *ThreadState) DeleteMessage(ctx context.Context, id MessageID) (bool, error) {
	leave, err := s.f.enter("delete message")
	if err != nil {
		return false, err
	}
	defer leave()
	x := s.f.x
	if _, err := x.e.c.Store.Message(ctx, x.snap.thread.ID, id); err != nil {
		if CodeOf(err) == CodeNotFound {
			return false, nil
		}
		return false, err
	}
	if id == x.snap.state.StepMessage || slices.ContainsFunc(x.snap.done, func(m *Message) bool { return m.ID == id }) {
		return false, Errorf(CodeConflict, "delete message", "the message's own tool calls are running")
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateMessage, MessageID: id, Deleted: true})
	if err := x.record(ctx, &Commit{DropMessages: []MessageID{id}, Events: []Event{ev}}); err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.history = slices.DeleteFunc(x.history, func(m *Message) bool { return m.ID == id })
	return true, nil
}

// Logs lists the thread's model requests and log lines, newest first unless order
// is "asc".
func (s *ThreadState) Logs(ctx context.Context, limit, offset int, order string) ([]LogEntry, error) {
	leave, err := s.f.enter("read logs")
	if err != nil {
		return nil, err
	}
	defer leave()
	x := s.f.x
	var entries []LogEntry
	for after := int64(0); ; {
		events, err := x.e.c.Store.Events(ctx, EventQuery{Session: x.snap.thread.SessionID, Thread: x.snap.thread.ID, After: after})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		for i := range events {
			ev := &events[i]
			after = ev.Sequence
			entries = append(entries, LogEntry{ID: string(ev.EventID), Type: string(ev.Type), Data: ev.Payload,
				CreatedAt: MicrosOf(ev.Timestamp), ParentID: string(ev.StepID)})
		}
	}
	if order != "asc" {
		slices.Reverse(entries)
	}
	if limit <= 0 {
		limit = 100
	}
	entries = entries[min(max(offset, 0), len(entries)):]
	return entries[:min(limit, len(entries))], nil
}
