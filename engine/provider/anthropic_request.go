package provider

import "github.com/sideb-dev/sideb/engine"

const (
	// defaultMaxTokens is the answer's limit where neither the request nor the
	// model's capabilities say one: the Messages API requires a number.
	defaultMaxTokens = 8192
	minThinking      = 1024 // smallest thinking budget that the API takes
	claudeFormat     = "anthropic-claude-v1"
)

// encodeMessages writes the body of a Messages request.
func encodeMessages(req *engine.ModelRequest, stream bool) ([]byte, error) {
	x, err := readExtras(req.ProviderOptions)
	if err != nil {
		return nil, err
	}
	limit, budget := messageLimits(req)
	if !canThink(req.Messages) {
		budget = 0
	}
	thinking := budget > 0 || x.has("thinking")
	w := &jsonWriter{b: make([]byte, 0, sizeHint(req))}
	w.open('{')
	if !x.has("model") {
		w.str("model", req.Model.Model)
	}
	if !x.has("max_tokens") {
		w.num("max_tokens", limit)
	}
	if req.System != "" && !x.has("system") {
		w.str("system", req.System)
	}
	if !x.has("messages") {
		writeTurns(w, req, thinking)
	}
	writeMessagesTools(w, req, x, thinking)
	if budget > 0 && !x.has("thinking") {
		writeThinking(w, req, x, budget)
	}
	if req.User != "" && !x.has("metadata") {
		w.keyOpen("metadata", '{')
		w.str("user_id", req.User)
		w.close('}')
	}
	if stream && !x.has("stream") {
		w.bool("stream", true)
	}
	x.write(w)
	w.close('}')
	return w.b, nil
}

// writeThinking asks for thinking: by effort where the model's definition says
// which words it takes, else by budget, which older models want.
func writeThinking(w *jsonWriter, req *engine.ModelRequest, x extras, budget int) {
	word := reasoningLevel(req.Reasoning.Effort, req.Model.Capabilities.ReasoningLevels)
	adaptive := word != "" && len(req.Model.Capabilities.ReasoningLevels) > 0
	w.keyOpen("thinking", '{')
	if adaptive {
		w.str("type", "adaptive")
	} else {
		w.str("type", "enabled")
		w.num("budget_tokens", budget)
	}
	w.close('}')
	if adaptive && !x.has("output_config") {
		w.keyOpen("output_config", '{')
		w.str("effort", word)
		w.close('}')
	}
}

// messageLimits returns max_tokens and the thinking budget, 0 for no thinking.
// The API counts thinking within max_tokens.
func messageLimits(req *engine.ModelRequest) (limit, budget int) {
	ceiling := req.Model.Capabilities.MaxOutputTokens
	limit = req.MaxOutputTokens
	if limit == 0 {
		limit = ceiling
	}
	if limit == 0 {
		limit = defaultMaxTokens
	}
	r := req.Reasoning
	if r == nil || r.Effort == "" && r.MaxTokens == 0 {
		return limit, 0
	}
	budget = r.MaxTokens
	if budget == 0 {
		budget = map[string]int{"low": 2048, "medium": 8192, "high": 16384}[r.Effort]
	}
	budget = max(budget, minThinking)
	if limit <= budget {
		limit += budget
	}
	if ceiling > 0 && limit > ceiling {
		limit = ceiling
		budget = min(budget, limit/2)
	}
	if budget < minThinking {
		return limit, 0
	}
	return limit, budget
}

// canThink reports whether the API would accept thinking: while tools are being
// used the turn must hold the thinking that began it.
func canThink(msgs []engine.ModelMessage) bool {
	for i := len(msgs) - 1; i >= 0; i-- {
		switch msgs[i].Role {
		case engine.RoleTool, engine.RoleSystem:
			continue
		case engine.RoleAssistant:
			for _, d := range msgs[i].ReasoningDetails {
				if replayable(d) {
					return true
				}
			}
			return len(msgs[i].ToolCalls) == 0
		case engine.RoleUser:
			return true
		}
	}
	return true
}

// replayable tells the thinking that this API signed from that of others.
func replayable(d engine.ReasoningDetail) bool {
	return d.Format == claudeFormat && d.Data != "" && (d.Type == "text" || d.Type == "encrypted")
}

func writeMessagesTools(w *jsonWriter, req *engine.ModelRequest, x extras, thinking bool) {
	if len(req.Tools) == 0 || !able(req.Model.Capabilities.SupportsToolCalls) {
		return
	}
	if !x.has("tools") {
		w.keyOpen("tools", '[')
		for i := range req.Tools {
			t := &req.Tools[i]
			w.open('{')
			w.str("name", t.Name)
			if t.Description != "" {
				w.str("description", t.Description)
			}
			w.raw("input_schema", t.Parameters)
			w.close('}')
		}
		w.close(']')
	}
	choice := map[string]string{"auto": "auto", "required": "any", "none": "none"}[req.ToolChoice]
	if choice == "any" && thinking {
		choice = "auto" // the API doesn't take a forced tool together with thinking
	}
	single := req.ParallelToolCalls != nil && !*req.ParallelToolCalls
	if choice == "" && single {
		choice = "auto"
	}
	if choice == "" || x.has("tool_choice") {
		return
	}
	w.keyOpen("tool_choice", '{')
	w.str("type", choice)
	if single && choice != "none" {
		w.bool("disable_parallel_tool_use", true)
	}
	w.close('}')
}
