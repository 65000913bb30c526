package agents

import (
	"encoding/json"
	"testing"
)

// BenchmarkToolCall is one call of a trivial tool: the round trip to the worker, the
// state and the schema, without a store.
func BenchmarkToolCall(b *testing.B) {
	p := openFiles(b, basic, nil)
	h, args := newFake(), json.RawMessage(`{"a":1}`)
	for b.Loop() {
		if r := callNamed(b, p, "add", string(args), h); r.Result != "3" {
			b.Fatalf("%+v", r)
		}
	}
}
