package storage

import (
	"context"

	"github.com/sideb-dev/sideb/engine"
)

// sealEnv encrypts the secrets of a commit. It runs in the caller's goroutine: a
// keyring may be slow.
func (s *Store) sealEnv(ch *change) error {
	ch.sealed = make([][]byte, len(ch.Env))
	for i := range ch.Env {
		v := &ch.Env[i]
		switch v.Scope {
		case engine.EnvThread, engine.EnvUser, engine.EnvInstance:
		default:
			return engine.Errorf(engine.CodeInvalid, "set variable", "%s can't be set for the scope %q, which isn't stored", v.Name, v.Scope)
		}
		if v.Delete {
			continue
		}
		ch.sealed[i] = []byte(v.Value)
		if v.Type != engine.VariableText {
			var err error
			if ch.sealed[i], err = s.secrets.seal(envLabel(ch.envThread(v), v), v.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// envThread is the thread that a value is set on: its own, or the commit's.
func (ch *change) envThread(v *engine.EnvValue) engine.ThreadID {
	switch {
	case v.Scope != engine.EnvThread:
		return ""
	case v.ThreadID != "":
		return v.ThreadID
	default:
		return ch.Thread
	}
}

// envLabel binds a sealed value to where it belongs: moved to another row it
// doesn't open.
func envLabel(thread engine.ThreadID, v *engine.EnvValue) string {
	return string(v.Scope) + "\x00" + string(thread) + "\x00" + v.Name
}

// applyEnv sets and unsets variables. A value without a type is a secret.
func (ch *change) applyEnv(t *tx, _ *threadRow) error {
	for i := range ch.Env {
		v := &ch.Env[i]
		var thread any
		if v.Scope == engine.EnvThread {
			r, err := t.thread(ch.envThread(v))
			if err != nil {
				return err
			}
			thread = r.num
		}
		typ := v.Type
		if typ == "" {
			typ = engine.VariableSecret
		}
		query := `INSERT INTO env (scope, thread, name, type, value) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (scope, ifnull(thread, 0), name) DO UPDATE SET type = excluded.type, value = excluded.value`
		args := []any{string(v.Scope), thread, v.Name, string(typ), ch.sealed[i]}
		if v.Delete {
			query = `DELETE FROM env WHERE scope = ? AND ifnull(thread, 0) = ifnull(?, 0) AND name = ?`
			args = args[:3]
		}
		if _, err := t.c.exec(query, args...); err != nil {
			return err
		}
	}
	return nil
}

// Env lists the values set on one thread, or for the user or the instance, by
// name. Secrets come decrypted; CodeInvalid where their key isn't there.
func (s *Store) Env(ctx context.Context, scope engine.EnvScope, thread engine.ThreadID) ([]engine.EnvValue, error) {
	var values []engine.EnvValue
	err := s.read(ctx, "read variables", func(c *conn) error {
		query, args := `SELECT name, type, value FROM env WHERE scope = ? AND thread IS NULL ORDER BY name`, []any{string(scope)}
		if scope == engine.EnvThread {
			query = `SELECT name, type, value FROM env WHERE scope = ? AND thread = (SELECT num FROM threads WHERE id = ?) ORDER BY name`
			args = append(args, string(thread))
		} else {
			thread = ""
		}
		return c.query(query, func(r row) error {
			values = append(values, engine.EnvValue{
				Scope: scope, ThreadID: thread, Name: r.text(0), Type: engine.VariableType(r.text(1)), Value: r.text(2),
			})
			return nil
		}, args...)
	})
	if err != nil {
		return nil, err
	}
	for i := range values {
		v := &values[i]
		if v.Type == engine.VariableText {
			continue
		}
		if v.Value, err = s.secrets.open(envLabel(thread, v), []byte(v.Value)); err != nil {
			return nil, err
		}
	}
	return values, nil
}
