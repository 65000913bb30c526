package provider

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"google.golang.org/genai"

	"github.com/sideb-dev/sideb/engine"
)

const geminiFormat = "google-gemini-v1"

// geminiExtra is what a call of this API carries in ToolCall.Extra. The shape of
// the signature is that of Google's own chat completions server.
type geminiExtra struct {
	Google struct {
		Signature string `json:"thought_signature,omitempty"`
		ID        string `json:"id,omitempty"` // the API gave the call this id and wants it back
	} `json:"google"`
}

func readGeminiExtra(raw json.RawMessage) (x geminiExtra) {
	_ = json.Unmarshal(raw, &x) // another provider's data isn't ours to read
	return x
}

func geminiConfig(req *engine.ModelRequest) (*genai.GenerateContentConfig, error) {
	config := &genai.GenerateContentConfig{MaxOutputTokens: int32(req.MaxOutputTokens), ThinkingConfig: geminiThinking(req)}
	if len(req.ProviderOptions) > 0 {
		var extra map[string]any
		if err := json.Unmarshal(req.ProviderOptions, &extra); err != nil {
			return nil, err
		}
		config.HTTPOptions = &genai.HTTPOptions{ExtraBody: extra}
	}
	if req.System != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: req.System}}}
	}
	if len(req.Tools) == 0 || !able(req.Model.Capabilities.SupportsToolCalls) {
		return config, nil
	}
	tool := &genai.Tool{}
	for i := range req.Tools {
		t := &req.Tools[i]
		tool.FunctionDeclarations = append(tool.FunctionDeclarations, &genai.FunctionDeclaration{Name: t.Name, Description: t.Description, ParametersJsonSchema: t.Parameters})
	}
	config.Tools = []*genai.Tool{tool}
	if mode, ok := map[string]genai.FunctionCallingConfigMode{"auto": "AUTO", "required": "ANY", "none": "NONE"}[req.ToolChoice]; ok {
		config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: &genai.FunctionCallingConfig{Mode: mode}}
	}
	return config, nil
}

// geminiThinking asks for thinking: by budget from models before Gemini 3, by
// level from later ones and where the model's definition has levels.
func geminiThinking(req *engine.ModelRequest) *genai.ThinkingConfig {
	r := req.Reasoning
	if r == nil {
		return nil
	}
	levels := req.Model.Capabilities.ReasoningLevels
	config := &genai.ThinkingConfig{IncludeThoughts: !r.Exclude}
	word := reasoningLevel(r.Effort, levels)
	byBudget := len(levels) == 0 && containsAny(req.Model.Model, "gemini-1", "gemini-2", "gemini-flash", "gemini-pro")
	switch {
	case r.MaxTokens > 0:
		n := int32(r.MaxTokens)
		config.ThinkingBudget = &n
	case word == "":
	case byBudget:
		n := map[string]int32{"low": 1024, "medium": 8192, "high": 24576}[word]
		if n > 0 {
			config.ThinkingBudget = &n
		}
	default:
		config.ThinkingLevel = genai.ThinkingLevel(strings.ToUpper(word))
	}
	return config
}

// geminiContents converts messages; those of one role in a row become one.
func geminiContents(req *engine.ModelRequest) []*genai.Content {
	images := able(req.Model.Capabilities.SupportsImages)
	var out []*genai.Content
	add := func(role string, parts ...*genai.Part) {
		if len(parts) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			return
		}
		out = append(out, &genai.Content{Role: role, Parts: parts})
	}
	own := map[engine.ToolCallID]bool{} // ids that the API gave
	for i := range req.Messages {
		msg := &req.Messages[i]
		switch msg.Role {
		case engine.RoleAssistant:
			add("model", geminiAssistant(req.Model.Model, msg, own)...)
		case engine.RoleTool:
			add("user", geminiResult(msg, images, own[msg.ToolCallID])...)
		case engine.RoleSystem:
			if text := msg.Text(); text != "" {
				add("user", &genai.Part{Text: "<system>\n" + text + "\n</system>"})
			}
		case engine.RoleUser:
			add("user", geminiParts(keptParts(msg.Parts, images))...)
		}
	}
	if len(out) == 0 || out[0].Role == "model" {
		out = append([]*genai.Content{{Role: "user", Parts: []*genai.Part{{Text: opening}}}}, out...)
	}
	return out
}

func geminiParts(parts []engine.ContentPart) []*genai.Part {
	out := make([]*genai.Part, 0, len(parts))
	for _, p := range parts {
		if p.MediaType == "" {
			out = append(out, &genai.Part{Text: p.Text})
		} else {
			out = append(out, &genai.Part{InlineData: &genai.Blob{MIMEType: p.MediaType, Data: p.Data}})
		}
	}
	return out
}

func geminiAssistant(model string, msg *engine.ModelMessage, own map[engine.ToolCallID]bool) []*genai.Part {
	var parts []*genai.Part
	if text, _ := splitParts(msg.Parts, false); text != "" {
		part := &genai.Part{Text: text}
		for _, d := range msg.ReasoningDetails {
			if d.Format == geminiFormat {
				part.ThoughtSignature = signature(d.Data)
			}
		}
		parts = append(parts, part)
	}
	for i := range msg.ToolCalls {
		call := &msg.ToolCalls[i]
		x := readGeminiExtra(call.Extra)
		part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: x.Google.ID, Name: call.Name, Args: decodeArguments(call.Arguments)}, ThoughtSignature: signature(x.Google.Signature)}
		own[call.ID] = x.Google.ID != ""
		if i == 0 && part.ThoughtSignature == nil && strings.HasPrefix(model, "gemini-3") {
			part.ThoughtSignature = []byte(unsigned)
		}
		parts = append(parts, part)
	}
	return parts
}

// unsigned is the API's documented word for a call that another model made:
// Gemini 3 rejects a call without a signature.
const unsigned = "skip_thought_signature_validator"

// signature decodes base64 of either alphabet; nil where there is none.
func signature(s string) []byte {
	if s == "" {
		return nil
	}
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(s), "="))
	if err != nil {
		return nil
	}
	return b
}

func geminiResult(msg *engine.ModelMessage, images, withID bool) []*genai.Part {
	text, files := splitParts(msg.Parts, images)
	field := "output"
	if msg.ToolError {
		field = "error"
	}
	response := &genai.FunctionResponse{Name: msg.ToolName, Response: map[string]any{field: text}}
	if withID {
		response.ID = string(msg.ToolCallID)
	}
	return append([]*genai.Part{{FunctionResponse: response}}, geminiParts(files)...)
}
