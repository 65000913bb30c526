package storage

import (
	"fmt"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// create inserts a thread, and the session of a root thread. The read models
// start from the thread's identity.
func (t *tx) create(in *engine.Thread) error {
	if in.ID == "" || in.SessionID == "" {
		return engine.Errorf(engine.CodeInvalid, "create thread", "a thread needs an id and a session")
	}
	if exists, err := t.c.integer(`SELECT 1 FROM threads WHERE id = ?`, string(in.ID)); err != nil {
		return err
	} else if exists != 0 {
		return engine.Errorf(engine.CodeConflict, "create thread", "thread %s exists already", in.ID)
	}
	if in.ParentID == "" {
		if err := t.createSession(in); err != nil {
			return err
		}
	}
	s, err := t.session(in.SessionID)
	if err != nil {
		return err
	}
	r := &threadRow{
		session: s.num, id: in.ID, sessionID: in.SessionID, agent: in.Agent, project: in.Project,
		terminated: in.Terminated, nextOrd: 1, era: eraOf(in.CreatedAt),
		read: &engine.ThreadRead{
			ThreadID: in.ID, SessionID: in.SessionID, ParentThreadID: in.ParentID, Agent: in.Agent, Project: in.Project,
			Name: in.Name, CreatedAt: in.CreatedAt, UpdatedAt: in.CreatedAt, Status: engine.ThreadIdle, Terminated: in.Terminated,
		},
	}
	if r.text, err = encode("thread", r.read); err != nil {
		return err
	}
	r.num, err = t.c.insert(`INSERT INTO threads (id, session, parent, agent, project, user_id, name, created, terminated, updated, era, status, read)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(in.ID), s.num, string(in.ParentID), in.Agent, in.Project, in.UserID, in.Name,
		int64(in.CreatedAt), int64(in.Terminated), int64(in.CreatedAt), r.era, string(r.read.Status), r.text)
	if err != nil {
		return fmt.Errorf("insert thread: %w", err)
	}
	remember(t.cache.threads, in.ID, r)
	touch(&t.threads, r)
	if in.Arguments == nil && in.Spawn == nil {
		return nil
	}
	_, err = t.c.exec(`INSERT INTO thread_inputs (thread, arguments, spawn) VALUES (?, ?, ?)`,
		r.num, textOrNil(in.Arguments), textOrNil(in.Spawn))
	return err
}

func (t *tx) createSession(in *engine.Thread) error {
	s := &sessionRow{id: in.SessionID, read: &engine.SessionRead{
		SessionID: in.SessionID, RootThread: in.ID, CreatedAt: in.CreatedAt, UpdatedAt: in.CreatedAt,
	}}
	s.stored = atRest(s.read)
	text, err := encode("session", s.read)
	if err != nil {
		return err
	}
	if s.num, err = t.c.insert(`INSERT INTO sessions (id, read) VALUES (?, ?)`, string(in.SessionID), text); err != nil {
		if sqliteCode(err)&0xff == constraint {
			return engine.Errorf(engine.CodeConflict, "create thread", "session %s exists already", in.SessionID)
		}
		return err
	}
	remember(t.cache.sessions, in.SessionID, s)
	touch(&t.sessions, s)
	return nil
}

// delete removes threads with all that is theirs, the session with its root
// thread, and the outputs that only they needed.
func (t *tx) delete(ids []engine.ThreadID) error {
	for _, id := range ids {
		r, err := t.thread(id)
		if engine.CodeOf(err) == engine.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		if err := t.deleteOne(r); err != nil {
			return fmt.Errorf("delete thread %s: %w", id, err)
		}
	}
	if len(ids) > 0 {
		t.cache.clear() // turns and sessions went too; deletions are rare
	}
	return nil
}

func (t *tx) deleteOne(r *threadRow) error {
	r.gone = true
	var refs []any
	err := t.c.query(`SELECT ref FROM output_uses WHERE thread = ?`, func(o row) error {
		refs = append(refs, o.text(0))
		return nil
	}, r.num)
	if err != nil {
		return err
	}
	for _, query := range []string{
		// Its events go; their sequences aren't given again.
		`UPDATE sessions SET seq = max(seq, (SELECT ifnull(max(seq), 0) FROM events WHERE session = ?2)) WHERE num = ?2`,
		`DELETE FROM events WHERE session = ?2 AND thread = ?1`,
		`DELETE FROM threads WHERE num = ?1`,
		`DELETE FROM sessions WHERE num = ?2 AND NOT EXISTS (SELECT 1 FROM threads WHERE session = ?2)`,
	} {
		if _, err := t.c.exec(query, r.num, r.session); err != nil {
			return err
		}
	}
	if len(refs) == 0 {
		return nil
	}
	marks := strings.TrimSuffix(strings.Repeat("?,", len(refs)), ",")
	_, err = t.c.exec(`DELETE FROM outputs WHERE ref IN (`+marks+`) AND NOT EXISTS (SELECT 1 FROM output_uses u WHERE u.ref = outputs.ref)`, refs...)
	return err
}
