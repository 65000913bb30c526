package provider

import "github.com/sideb-dev/sideb/engine"

// encode writes the body of a chat completions request.
func (m *chatModel) encode(req *engine.ModelRequest, stream, withUsage bool) ([]byte, error) {
	x, err := readExtras(req.ProviderOptions)
	if err != nil {
		return nil, err
	}
	w := &jsonWriter{b: make([]byte, 0, sizeHint(req))}
	w.open('{')
	if !x.has("model") {
		w.str("model", req.Model.Model)
	}
	if !x.has("messages") {
		m.writeMessages(w, req)
	}
	m.writeTools(w, req, x)
	m.writeLimits(w, req, x)
	if !x.has("stream") && stream {
		w.bool("stream", true)
		if withUsage && !x.has("stream_options") {
			w.raw("stream_options", []byte(`{"include_usage":true}`))
		}
	}
	if m.quirks.router {
		writeRouting(w, req, x)
	}
	x.write(w)
	w.close('}')
	return w.b, nil
}

// sizeHint is about the size of the body, so that it is allocated once.
func sizeHint(req *engine.ModelRequest) int {
	n := 512 + len(req.System) + len(req.ProviderOptions)
	for i := range req.Messages {
		msg := &req.Messages[i]
		n += 96
		for j := range msg.Parts {
			n += len(msg.Parts[j].Text) + len(msg.Parts[j].Data)*4/3
		}
		for j := range msg.ToolCalls {
			n += 96 + len(msg.ToolCalls[j].Arguments)
		}
	}
	for i := range req.Tools {
		n += 96 + len(req.Tools[i].Description) + len(req.Tools[i].Parameters)
	}
	return n + n/16
}

func (m *chatModel) writeTools(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if len(req.Tools) == 0 || !able(req.Model.Capabilities.SupportsToolCalls) {
		return
	}
	if !x.has("tools") {
		w.keyOpen("tools", '[')
		for i := range req.Tools {
			t := &req.Tools[i]
			w.open('{')
			w.str("type", "function")
			w.keyOpen("function", '{')
			w.str("name", t.Name)
			w.str("description", t.Description)
			w.raw("parameters", t.Parameters)
			w.close('}')
			w.close('}')
		}
		w.close(']')
	}
	if req.ToolChoice != "" && !x.has("tool_choice") {
		w.str("tool_choice", req.ToolChoice)
	}
	if req.ParallelToolCalls != nil && !x.has("parallel_tool_calls") {
		w.bool("parallel_tool_calls", *req.ParallelToolCalls)
	}
}

func (m *chatModel) writeLimits(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if req.MaxOutputTokens > 0 && !x.has("max_tokens") && !x.has("max_completion_tokens") {
		field := "max_tokens"
		if m.quirks.maxCompletion {
			field = "max_completion_tokens"
		}
		w.num(field, req.MaxOutputTokens)
	}
	if req.User != "" && m.quirks.user && !x.has("user") {
		w.str("user", req.User)
	}
	r := req.Reasoning
	if r == nil || x.has("reasoning_effort") || x.has("reasoning") {
		return
	}
	effort := reasoningLevel(r.Effort, req.Model.Capabilities.ReasoningLevels)
	switch {
	case m.quirks.router:
		w.keyOpen("reasoning", '{')
		if r.MaxTokens > 0 { // it takes one of the two
			w.num("max_tokens", r.MaxTokens)
		} else if effort != "" {
			w.str("effort", effort)
		}
		if r.Exclude {
			w.bool("exclude", true)
		}
		w.close('}')
	case effort != "":
		w.str("reasoning_effort", effort)
	}
}

// writeRouting writes what only OpenRouter reads.
func writeRouting(w *jsonWriter, req *engine.ModelRequest, x extras) {
	if !x.has("usage") {
		w.raw("usage", []byte(`{"include":true}`))
	}
	if len(req.Model.IncludedProviders) > 0 && !x.has("provider") {
		w.keyOpen("provider", '{')
		w.keyOpen("only", '[')
		for _, p := range req.Model.IncludedProviders {
			w.text(p)
		}
		w.close(']')
		w.close('}')
	}
}

// reasoningLevel maps an effort to the model's own word for it: the level that
// is nearest to 33, 66 or 100. A model without levels gets the effort itself.
func reasoningLevel(effort string, levels map[int]*string) string {
	want, ok := map[string]int{"low": 33, "medium": 66, "high": 100}[effort]
	if !ok || len(levels) == 0 {
		return effort
	}
	best, distance := "", -1
	for level, word := range levels {
		d := max(level-want, want-level)
		if distance < 0 || d < distance || d == distance && word != nil && *word > best {
			distance, best = d, ""
			if word != nil {
				best = *word
			}
		}
	}
	return best
}
