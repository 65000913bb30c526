package js

import (
	"encoding/base64"
	"sync"

	"github.com/go-sourcemap/sourcemap"
)

// sourceMap maps positions of linked text. It is decoded when the first error
// asks: most programs never throw, and decoding takes longer than parsing.
type sourceMap struct {
	once     sync.Once
	encoded  string // base64 of the map
	consumer *sourcemap.Consumer
}

// find maps a line and column, both from 1, of linked text. It is false where the
// text isn't from any source.
func (m *sourceMap) find(line, column int) (string, int, int, bool) {
	m.once.Do(func() {
		raw, err := base64.StdEncoding.DecodeString(m.encoded)
		if err == nil && len(raw) > 0 {
			m.consumer, _ = sourcemap.Parse("", raw)
		}
		m.encoded = ""
	})
	if m.consumer == nil {
		return "", 0, 0, false
	}
	// The wrapper's head is one line; a map counts columns from 0.
	file, _, l, c, ok := m.consumer.Source(line-1, column-1)
	if !ok || file == "" || file == entryName {
		return "", 0, 0, false
	}
	return file, l, c + 1, true
}
