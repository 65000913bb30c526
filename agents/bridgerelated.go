package agents

import (
	"context"
	"encoding/json"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

// relatedArgs ask something of a related thread: a child by its reference, or the
// parent where there is none.
type relatedArgs struct {
	Child  engine.ThreadID `json:"child"`
	Method string          `json:"method"` // "" asks who it is
	Args   json.RawMessage `json:"args"`
}

// related calls a method of a related thread. The answer is null where no such
// thread is related to this one.
func (h threadHost) related(ctx context.Context, a relatedArgs) (any, error) {
	var peer *engine.Peer
	var err error
	if a.Child == "" {
		peer, err = h.s.ParentThread(ctx)
	} else {
		peer, err = h.s.ChildThread(ctx, a.Child)
	}
	if err != nil || peer == nil {
		return nil, err
	}
	return callPeer(ctx, peer, a.Method, a.Args)
}

func callPeer(ctx context.Context, p *engine.Peer, method string, raw json.RawMessage) (any, error) {
	switch method {
	case "":
		return p.Info(ctx)
	case "getMessages":
		return withArgs(method, raw, func(o engine.MessageListOptions) (any, error) { return p.Messages(ctx, o) })
	case "getMessage":
		return withArgs(method, raw, func(a stateArgs) (any, error) { return p.Message(ctx, a.ID) })
	case "queueMessage":
		return withArgs(method, raw, func(m engine.NewMessage) (any, error) { return nil, p.QueueMessage(ctx, m) })
	case "setEnv":
		return withArgs(method, raw, func(a stateArgs) (any, error) {
			return envSetter(func(value string) error { return p.SetEnv(ctx, a.Name, value, a.Type) }).set(a)
		})
	case "terminate":
		return nil, p.Terminate(ctx)
	default:
		return nil, engine.Errorf(engine.CodeInvalid, method, "a related thread has no method %s", method)
	}
}

// envSetter stores the value of a variable once it is known to be a string.
type envSetter func(value string) error

func (set envSetter) set(a stateArgs) (any, error) {
	var value string
	if err := json.Unmarshal(a.Value, &value); err != nil {
		return nil, engine.Errorf(engine.CodeInvalid, "setEnv", "the value of %s must be a string", a.Name)
	}
	return nil, set(value)
}

// effectArgs are the arguments of the methods for scheduled effects.
type effectArgs struct {
	ID    engine.ScheduleID `json:"id"`
	Name  string            `json:"name"`
	Args  json.RawMessage   `json:"args"`
	Delay float64           `json:"delay"` // milliseconds
}

func (h threadHost) effect(ctx context.Context, method string, a effectArgs) (any, error) {
	switch method {
	case "scheduleEffect":
		return h.s.ScheduleEffect(ctx, a.Name, a.Args, time.Duration(a.Delay*float64(time.Millisecond)))
	case "removeScheduledEffect":
		return h.s.RemoveScheduledEffect(ctx, a.ID)
	default:
		list, err := h.s.ScheduledEffects(ctx, a.Name)
		if list == nil {
			list = []engine.Scheduled{}
		}
		return list, err
	}
}
