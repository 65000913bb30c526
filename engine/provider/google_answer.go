package provider

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"strings"

	"google.golang.org/genai"

	"github.com/sideb-dev/sideb/engine"
)

// geminiAnswer builds a response from chunks.
type geminiAnswer struct {
	emit          func(engine.ModelDelta)
	newID         func() string
	hideReasoning bool

	id, model string
	text      strings.Builder
	reasoning strings.Builder
	signature []byte // of the text
	calls     []engine.ToolCall
	images    []engine.ContentPart
	finish    string
	usage     *genai.GenerateContentResponseUsageMetadata
}

func (a *geminiAnswer) read(chunks iter.Seq2[*genai.GenerateContentResponse, error]) error {
	for chunk, err := range chunks {
		if err != nil {
			return err
		}
		if err := a.take(chunk); err != nil {
			return err
		}
	}
	if a.finish == "" {
		return cut()
	}
	return nil
}

func (a *geminiAnswer) take(chunk *genai.GenerateContentResponse) error {
	if chunk.ResponseID != "" {
		a.id = chunk.ResponseID
	}
	if chunk.ModelVersion != "" {
		a.model = chunk.ModelVersion
	}
	if chunk.UsageMetadata != nil {
		a.usage = chunk.UsageMetadata
	}
	if f := chunk.PromptFeedback; f != nil && f.BlockReason != "" {
		return &engine.ModelError{Kind: engine.ModelContentFilter, Message: strings.TrimSpace("the prompt was blocked (" + string(f.BlockReason) + ") " + f.BlockReasonMessage)}
	}
	if len(chunk.Candidates) == 0 {
		return nil
	}
	candidate := chunk.Candidates[0]
	if candidate.Content != nil {
		for _, part := range candidate.Content.Parts {
			a.takePart(part)
		}
	}
	switch candidate.FinishReason {
	case "", genai.FinishReasonUnspecified:
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall:
		a.finish = string(candidate.FinishReason)
		return &engine.ModelError{Kind: engine.ModelUnknown, Message: strings.TrimSpace("the model wrote a tool call that can't be read (" + a.finish + ") " + candidate.FinishMessage)}
	default:
		a.finish = string(candidate.FinishReason)
	}
	return nil
}

func (a *geminiAnswer) send(kind engine.DeltaKind, text, tool string) {
	if a.emit != nil {
		a.emit(engine.ModelDelta{Kind: kind, Text: text, ToolName: tool})
	}
}

func (a *geminiAnswer) takePart(p *genai.Part) {
	switch {
	case p.FunctionCall != nil:
		a.takeCall(p)
		return
	case p.InlineData != nil && !p.Thought:
		a.images = append(a.images, engine.ContentPart{MediaType: p.InlineData.MIMEType, Data: p.InlineData.Data, Name: p.InlineData.DisplayName})
	case p.Thought && p.Text != "" && !a.hideReasoning:
		a.reasoning.WriteString(p.Text)
		a.send(engine.DeltaReasoning, p.Text, "")
	case !p.Thought && p.Text != "":
		a.text.WriteString(p.Text)
		a.send(engine.DeltaText, p.Text, "")
	}
	if len(p.ThoughtSignature) > 0 {
		a.signature = p.ThoughtSignature
	}
}

func (a *geminiAnswer) takeCall(p *genai.Part) {
	call := engine.ToolCall{ID: engine.ToolCallID(p.FunctionCall.ID), Name: p.FunctionCall.Name, Arguments: "{}"}
	if len(p.FunctionCall.Args) > 0 {
		args, _ := json.Marshal(p.FunctionCall.Args) // it came from JSON
		call.Arguments = string(args)
	}
	var x geminiExtra
	x.Google.ID = p.FunctionCall.ID
	if len(p.ThoughtSignature) > 0 {
		x.Google.Signature = base64.StdEncoding.EncodeToString(p.ThoughtSignature)
	}
	if x != (geminiExtra{}) {
		call.Extra, _ = json.Marshal(x) // two strings
	}
	if call.ID == "" {
		call.ID = engine.ToolCallID("call_" + a.newID())
	}
	a.calls = append(a.calls, call)
	a.send(engine.DeltaToolCall, "", call.Name)
}

// response is what has been received so far.
func (a *geminiAnswer) response() *engine.ModelResponse {
	r := &engine.ModelResponse{Text: a.text.String(), Reasoning: a.reasoning.String(), ToolCalls: a.calls, Images: a.images,
		ResponseID: a.id, ProviderModel: a.model, FinishReason: finishReason(a.finish, len(a.calls) > 0)}
	if a.signature != nil {
		r.ReasoningDetails = []engine.ReasoningDetail{{Type: "encrypted", Data: base64.StdEncoding.EncodeToString(a.signature), Format: geminiFormat}}
	}
	if u := a.usage; u != nil {
		r.UsageKnown = true
		r.Usage = engine.Usage{PromptTokens: int64(u.PromptTokenCount + u.ToolUsePromptTokenCount), CompletionTokens: int64(u.CandidatesTokenCount + u.ThoughtsTokenCount),
			TotalTokens: int64(u.TotalTokenCount), CachedTokens: int64(u.CachedContentTokenCount), ReasoningTokens: int64(u.ThoughtsTokenCount)}
	}
	return r
}
