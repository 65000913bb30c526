package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// redacted stands where a secret's value was.
const redacted = "[secret]"

// minSecret is the shortest value that is looked for: shorter ones occur by
// chance.
const minSecret = 6

// secrets are the values of secret variables that were read in this process: what
// hasn't been read can't be told. Texts of project code pass through redact on
// their way to messages, events and logs (invariant 9).
type secrets struct {
	mu     sync.RWMutex
	values []string // longest first, so that none is cut by another
}

func (s *secrets) add(value string) {
	if len(value) < minSecret {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.values, value) {
		return
	}
	s.values = append(s.values, value)
	slices.SortFunc(s.values, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

func (s *secrets) redact(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, v := range s.values {
		text = strings.ReplaceAll(text, v, redacted)
	}
	return text
}
