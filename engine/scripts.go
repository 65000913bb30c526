package engine

import (
	"context"
	"encoding/json"
)

// Scripts runs the project's own code, outside this process. A Go error means
// that the code couldn't be run or died (CodeTool, CodeSandbox); what the code
// itself reports or throws is in the result.
type Scripts interface {
	// CallTool validates args against the tool's schema (an error result lists
	// what is wrong and the tool isn't run) and calls execute(state, args). A
	// nil ctx deadline means no limit; when ctx ends the call is abandoned.
	CallTool(ctx context.Context, tool *Tool, args json.RawMessage, state *ThreadState) (*ToolResult, error)
	// CallHook calls the hook's execute(state, ...args) and returns what it
	// returned as JSON; nil for undefined.
	CallHook(ctx context.Context, hook *Hook, args []json.RawMessage, state *ThreadState) (json.RawMessage, error)
	// CallEffect calls the effect's handler(state, args).
	CallEffect(ctx context.Context, effect *EffectDef, args json.RawMessage, state *ThreadState) error
}
