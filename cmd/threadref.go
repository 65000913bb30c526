package cmd

import (
	"context"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// thread resolves a THREAD argument: an id, or the start of one where that is
// unique.
func (w *world) thread(ctx context.Context, ref string) (*engine.ThreadRead, error) {
	if ref == "" {
		return nil, usagef("the thread id is empty; `sideb threads list` lists them")
	}
	t, err := w.control.Thread(ctx, engine.ThreadID(ref))
	if err == nil || engine.CodeOf(err) != engine.CodeNotFound {
		return t, err
	}
	matches, err := w.threadsStartingWith(ctx, ref)
	if err != nil {
		return nil, err
	}
	switch len(matches) {
	case 1:
		return &matches[0], nil
	case 0:
		return nil, engine.Errorf(engine.CodeNotFound, "find thread", "there is no thread %s; `sideb threads list` lists them", ref)
	}
	return nil, ambiguous(ref, matches)
}

// namedMatches is how many of the ids that a start fits an error names.
const namedMatches = 5

func ambiguous(ref string, matches []engine.ThreadRead) error {
	var ids []string
	for _, m := range matches[:min(namedMatches, len(matches))] {
		ids = append(ids, string(m.ThreadID))
	}
	if len(matches) > namedMatches {
		ids = append(ids, "…")
	}
	return engine.Errorf(engine.CodeInvalid, "find thread", "%s is the start of several ids: %s", ref, strings.Join(ids, ", "))
}

// threadsStartingWith stops once there are more than an error message names.
func (w *world) threadsStartingWith(ctx context.Context, prefix string) ([]engine.ThreadRead, error) {
	var found []engine.ThreadRead
	q := engine.ThreadQuery{Search: prefix, Limit: 200}
	for {
		page, err := w.control.Threads(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Threads {
			if strings.HasPrefix(string(t.ThreadID), prefix) {
				found = append(found, t)
			}
		}
		if page.Cursor == "" || len(found) > namedMatches {
			return found, nil
		}
		q.Cursor = page.Cursor
	}
}

// shortIDs gives each id the start that tells it from the others on the list:
// at least the 13 characters that hold the time of its making.
func shortIDs(ids []string) map[string]string {
	short := make(map[string]string, len(ids))
	for _, id := range ids {
		n := min(13, len(id))
		for n < len(id) && sharesPrefix(ids, id, n) {
			n++
		}
		short[id] = id[:n]
	}
	return short
}

func sharesPrefix(ids []string, id string, n int) bool {
	for _, other := range ids {
		if other != id && strings.HasPrefix(other, id[:n]) {
			return true
		}
	}
	return false
}
