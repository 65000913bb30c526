package engine

import (
	"context"
	"encoding/json"
)

// Env resolves a variable; CodeNotFound where nothing does. The tool entry's own
// env stands before the prompt's and the agent's.
func (s *ThreadState) Env(ctx context.Context, name string) (string, error) {
	v, err := s.lookup(ctx, name)
	return v.Value, err
}

// EnvType says whether a variable is text or secret.
func (s *ThreadState) EnvType(ctx context.Context, name string) (VariableType, error) {
	v, err := s.lookup(ctx, name)
	return v.Type, err
}

func (s *ThreadState) lookup(ctx context.Context, name string) (EnvValue, error) {
	leave, err := s.f.enter("read env")
	if err != nil {
		return EnvValue{}, err
	}
	defer leave()
	v, ok := s.f.x.lookupEnv(ctx, name)
	if s.entry != nil && (!ok || v.Scope == EnvAgent || v.Scope == EnvPrompt || v.Scope == EnvProcess) {
		if own, has := s.entry.Env[name]; has {
			return EnvValue{Scope: EnvPrompt, Name: name, Value: own, Type: VariableText}, nil
		}
	}
	if !ok {
		return v, Errorf(CodeNotFound, "read env", "the variable %s isn't set (set it with: sideb env set %s)", name, name)
	}
	return v, nil
}

// SetEnv sets a variable of this thread and of its live descendants. An empty typ keeps the one that it has;
// a new name is secret.
func (s *ThreadState) SetEnv(ctx context.Context, name, value string, typ VariableType) error {
	leave, err := s.f.enter("set env")
	if err != nil {
		return err
	}
	defer leave()
	x := s.f.x
	if typ == "" {
		typ = VariableSecret
		if v, ok := x.lookupEnv(ctx, name); ok && v.Scope == EnvThread {
			typ = v.Type
		}
	}
	v := EnvValue{Scope: EnvThread, ThreadID: x.snap.thread.ID, Name: name, Value: value, Type: typ}
	if err := checkEnv(v); err != nil {
		return err
	}
	values, err := x.e.passDown(ctx, v)
	if err != nil {
		return err
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateEnv, Name: name})
	return x.record(ctx, &Commit{Env: values, Events: []Event{ev}})
}

// Value reads a key of the thread's key-value store; nil where there is none.
func (s *ThreadState) Value(ctx context.Context, key string) (json.RawMessage, error) {
	leave, err := s.f.enter("read value")
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.f.x.e.c.Store.Value(ctx, s.f.x.snap.thread.ID, key)
}

// SetValue sets a key of the thread's key-value store, durable before it returns;
// nil or null deletes the key (runtime §14.1).
func (s *ThreadState) SetValue(ctx context.Context, key string, value json.RawMessage) error {
	leave, err := s.f.enter("set value")
	if err != nil {
		return err
	}
	defer leave()
	x := s.f.x
	if string(value) == "null" {
		value = nil
	}
	if err := x.checkValue(ctx, key, value); err != nil {
		return err
	}
	ev := x.event(EventThreadUpdated, "", UpdatePayload{Kind: UpdateValue, Name: clip(key, EventPreview), Deleted: value == nil})
	return x.record(ctx, &Commit{Values: []Value{{Key: key, Value: value}}, Events: []Event{ev}})
}

// checkValue applies the documented caps (runtime §14.2).
func (x *execution) checkValue(ctx context.Context, key string, value json.RawMessage) error {
	const op = "set value"
	switch {
	case key == "":
		return Errorf(CodeInvalid, op, "the key is empty")
	case len(key) > MaxKeyLength:
		return Errorf(CodeLimit, op, "the key has %d bytes; the limit for keys is %d", len(key), MaxKeyLength)
	case len(value) > MaxValueSize:
		return Errorf(CodeLimit, op, "the value of %q has %d bytes of JSON; the limit for values is %d", key, len(value), MaxValueSize)
	case value == nil:
		return nil
	case !json.Valid(value):
		return Errorf(CodeInvalid, op, "the value of %q isn't JSON", key)
	}
	n, err := x.e.c.Store.Values(ctx, x.snap.thread.ID)
	if err != nil {
		return err
	}
	if n < MaxKeys {
		return nil
	}
	old, err := x.e.c.Store.Value(ctx, x.snap.thread.ID, key)
	if err == nil && old == nil {
		return Errorf(CodeLimit, op, "the thread has %d keys, which is the limit; delete some first", n)
	}
	return err
}
