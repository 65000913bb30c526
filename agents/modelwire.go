package agents

import (
	"encoding/json"

	"github.com/sideb-dev/sideb/engine"
)

// wireRequest is a ProviderRequest (authoring surface §10).
type wireRequest struct {
	Model             string          `json:"model"`
	Messages          []wireMessage   `json:"messages"`
	Tools             []wireTool      `json:"tools,omitempty"`
	ToolChoice        string          `json:"toolChoice,omitempty"`
	ParallelToolCalls *bool           `json:"parallelToolCalls,omitempty"`
	MaxOutputTokens   int             `json:"maxOutputTokens,omitempty"`
	Reasoning         *wireReasoning  `json:"reasoning,omitempty"`
	ProviderOptions   json.RawMessage `json:"providerOptions,omitempty"`
	User              string          `json:"user,omitempty"`
	CallIndex         int             `json:"__callIndex"` // which answer of its script a test provider gives
}

type wireReasoning struct {
	Level     int  `json:"level,omitempty"` // 0 to 100
	MaxTokens int  `json:"maxTokens,omitempty"`
	Exclude   bool `json:"exclude,omitempty"`
}

type wireTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type wireMessage struct {
	Role             engine.Role              `json:"role"`
	Content          any                      `json:"content"` // string, part list, or null
	ToolCalls        []wireCall               `json:"toolCalls,omitempty"`
	Reasoning        string                   `json:"reasoning,omitempty"`
	ReasoningDetails []engine.ReasoningDetail `json:"reasoningDetails,omitempty"`
	ToolCallID       engine.ToolCallID        `json:"toolCallId,omitempty"`
	ToolName         string                   `json:"toolName,omitempty"`
	Attachments      []wirePart               `json:"attachments,omitempty"`
}

type wirePart struct {
	Type      string `json:"type"`
	Text      string `json:"text,omitempty"`
	Data      []byte `json:"data,omitempty"`
	MediaType string `json:"mediaType,omitempty"`
	Name      string `json:"name,omitempty"`
}

// wireCall has its arguments as an object, unlike a stored call.
type wireCall struct {
	ID        engine.ToolCallID `json:"id"`
	Name      string            `json:"name"`
	Arguments json.RawMessage   `json:"arguments"`
	Extra     json.RawMessage   `json:"extraContent,omitempty"`
}

func providerRequest(r *engine.ModelRequest) *wireRequest {
	w := &wireRequest{
		ToolChoice: r.ToolChoice, ParallelToolCalls: r.ParallelToolCalls, MaxOutputTokens: r.MaxOutputTokens,
		ProviderOptions: r.ProviderOptions, User: r.User, CallIndex: r.CallIndex, Messages: []wireMessage{},
	}
	if r.Model != nil {
		w.Model = r.Model.Model
	}
	if r.System != "" {
		w.Messages = append(w.Messages, wireMessage{Role: engine.RoleSystem, Content: r.System})
	}
	for i := range r.Messages {
		w.Messages = append(w.Messages, wireMessageOf(&r.Messages[i]))
	}
	for _, t := range r.Tools {
		wt := wireTool{Type: "function"}
		wt.Function.Name, wt.Function.Description, wt.Function.Parameters = t.Name, t.Description, t.Parameters
		w.Tools = append(w.Tools, wt)
	}
	if g := r.Reasoning; g != nil {
		w.Reasoning = &wireReasoning{Level: effortLevel(g.Effort), MaxTokens: g.MaxTokens, Exclude: g.Exclude}
	}
	return w
}

func effortLevel(effort string) int {
	switch effort {
	case "low":
		return 33
	case "medium":
		return 66
	case "high":
		return 100
	default:
		return 0
	}
}

func wireMessageOf(m *engine.ModelMessage) wireMessage {
	w := wireMessage{Role: m.Role, Reasoning: m.Reasoning, ReasoningDetails: m.ReasoningDetails, ToolCallID: m.ToolCallID, ToolName: m.ToolName}
	for _, c := range m.ToolCalls {
		args := json.RawMessage(c.Arguments)
		if !json.Valid(args) {
			args, _ = json.Marshal(c.Arguments) // what the model wrote, as a string
		}
		w.ToolCalls = append(w.ToolCalls, wireCall{ID: c.ID, Name: c.Name, Arguments: args, Extra: c.Extra})
	}
	var parts, images []wirePart
	for _, p := range m.Parts {
		if p.MediaType == "" {
			parts = append(parts, wirePart{Type: "text", Text: p.Text})
			continue
		}
		image := wirePart{Type: "image", Data: p.Data, MediaType: p.MediaType, Name: p.Name}
		parts, images = append(parts, image), append(images, image)
	}
	switch text := m.Text(); {
	case m.Role == engine.RoleAssistant && text == "":
		w.Content = nil
	case len(images) > 0 && m.Role == engine.RoleTool:
		w.Content, w.Attachments = text, images
	case len(images) > 0:
		w.Content = parts
	default:
		w.Content = text
	}
	return w
}

// providerResponse is a ProviderResponse, or what a stream came to.
type providerResponse struct {
	Content          string                   `json:"content"`
	Reasoning        string                   `json:"reasoning"`
	ReasoningDetails []engine.ReasoningDetail `json:"reasoningDetails"`
	ToolCalls        []wireCall               `json:"toolCalls"`
	Images           []struct {
		Data      []byte `json:"data"`
		MediaType string `json:"mediaType"`
	} `json:"images"`
	FinishReason engine.FinishReason `json:"finishReason"`
	Usage        *struct {
		engine.Usage
		Cost *float64 `json:"cost"`
	} `json:"usage"`
	ResponseID string `json:"responseId"`
}

func (r *providerResponse) response() *engine.ModelResponse {
	out := &engine.ModelResponse{
		Text: r.Content, Reasoning: r.Reasoning, ReasoningDetails: r.ReasoningDetails,
		FinishReason: r.FinishReason, ResponseID: r.ResponseID,
	}
	for _, c := range r.ToolCalls {
		args := string(c.Arguments)
		var text string
		if json.Unmarshal(c.Arguments, &text) == nil {
			args = text // a stream that never said the call was done: the text as it came
		}
		if args == "" || args == "null" {
			args = "{}"
		}
		out.ToolCalls = append(out.ToolCalls, engine.ToolCall{ID: c.ID, Name: c.Name, Arguments: args, Extra: c.Extra})
	}
	for _, i := range r.Images {
		out.Images = append(out.Images, engine.ContentPart{MediaType: i.MediaType, Data: i.Data})
	}
	if u := r.Usage; u != nil {
		out.Usage, out.UsageKnown, out.Cost = u.Usage, true, u.Cost
	}
	if out.FinishReason == "" {
		out.FinishReason = engine.FinishStop
		if len(out.ToolCalls) > 0 {
			out.FinishReason = engine.FinishToolCalls
		}
	}
	return out
}
