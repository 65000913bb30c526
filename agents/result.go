package agents

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// toolResult maps what execute returned to a ToolResult (authoring surface §5):
// a ToolResult as it is, the legacy content list, a string, nothing, or any other
// value as JSON.
func toolResult(v json.RawMessage) *engine.ToolResult {
	v = bytes.TrimSpace(v)
	ok := &engine.ToolResult{Status: engine.ToolSuccess}
	if len(v) == 0 || string(v) == "null" {
		return ok
	}
	if json.Unmarshal(v, &ok.Result) == nil {
		return ok
	}
	var r wireResult
	if v[0] != '{' || json.Unmarshal(v, &r) != nil || !r.isToolResult() {
		ok.Result = indented(v)
		return ok
	}
	return r.result()
}

// wireResult is a ToolResult as project code writes it.
type wireResult struct {
	Status      engine.ToolStatus `json:"status"`
	Result      json.RawMessage   `json:"result"`
	Error       json.RawMessage   `json:"error"`
	Stack       string            `json:"stack"`
	ErrorCode   string            `json:"error_code"`
	ErrorData   json.RawMessage   `json:"error_data"`
	SubagentID  engine.ThreadID   `json:"subagent_id"`
	Attachments []attachment      `json:"attachments"`
	Content     []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
}

// attachment is a ToolAttachment (with data, in base64) or an AttachmentRef.
type attachment struct {
	engine.Attachment
	Data json.RawMessage `json:"data"`
}

// bytes decodes the data of a new file: base64 text of either alphabet, alone or
// in a data: URL.
func (a *attachment) bytes() ([]byte, error) {
	if len(a.Data) == 0 || string(a.Data) == "null" {
		return nil, nil
	}
	var text string
	if json.Unmarshal(a.Data, &text) != nil {
		return nil, fmt.Errorf("the data of the attachment %q isn't a string: it must be base64 text", a.Name)
	}
	if head, rest, ok := strings.Cut(text, ","); ok && strings.HasPrefix(head, "data:") {
		text = rest
	}
	text = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "").Replace(strings.TrimRight(strings.TrimSpace(text), "="))
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("the data of the attachment %q isn't base64 text: %w", a.Name, err)
	}
	return b, nil
}

// isToolResult tells a ToolResult from an object that merely is the result.
func (r *wireResult) isToolResult() bool {
	return r.Status == engine.ToolSuccess || r.Status == engine.ToolError || len(r.Content) > 0
}

func (r *wireResult) result() *engine.ToolResult {
	out := &engine.ToolResult{
		Status: r.Status, Result: textOf(r.Result), Error: textOf(r.Error), Stack: r.Stack,
		ErrorCode: r.ErrorCode, ErrorData: r.ErrorData, SubagentID: r.SubagentID,
	}
	if out.Status == "" {
		out.Status = engine.ToolSuccess
	}
	if len(r.Content) > 0 {
		var lines []string
		for _, c := range r.Content {
			if c.Type == "text" {
				lines = append(lines, c.Text)
			}
		}
		out.Result = strings.Join(lines, "\n")
	}
	if out.Status == engine.ToolError && out.Error == "" {
		out.Error = out.Result
	}
	for i := range r.Attachments {
		data, err := r.Attachments[i].bytes()
		if err != nil {
			return engine.ErrorResult(err.Error())
		}
		out.Attachments = append(out.Attachments, engine.NewAttachment{Attachment: r.Attachments[i].Attachment, Data: data})
	}
	return out
}

// textOf is a string as it is and any other value as JSON.
func textOf(v json.RawMessage) string {
	var s string
	if len(v) == 0 || string(v) == "null" || json.Unmarshal(v, &s) == nil {
		return s
	}
	return indented(v)
}

func indented(v json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, v, "", "  ") != nil {
		return string(v)
	}
	return b.String()
}
