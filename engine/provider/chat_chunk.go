package provider

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sideb-dev/sideb/engine"
)

// chatChunk is a chunk of a stream, or a whole answer. It is read with gjson,
// which takes a fifth of the time of encoding/json and doesn't mind a field of an
// unexpected type.
type chatChunk struct {
	id, model string
	err       []byte // what the server reports instead of an answer
	usage     *chatUsage
	choice    bool // there was one
	delta     chatDelta
	finish    string
}

type chatDelta struct {
	text, refusal, reasoning string
	details                  []routerDetail
	calls                    []chatCall
	images                   []string // data URLs
}

// chatCall is a tool call, or a fragment of one.
type chatCall struct {
	index     int // -1 where the server doesn't number calls
	id, name  string
	extra     json.RawMessage
	arguments string
}

// routerDetail is a fragment of OpenRouter's reasoning_details.
type routerDetail struct {
	engine.ReasoningDetail
	index int
}

type chatUsage struct {
	engine.Usage
	cost *float64
}

func readChunk(data []byte) (c chatChunk, err error) {
	if !gjson.ValidBytes(data) {
		var any any
		return c, malformed("the answer isn't valid JSON", json.Unmarshal(data, &any))
	}
	root := gjson.ParseBytes(data)
	if !root.IsObject() {
		return c, malformed("the answer isn't an object", errors.New(root.Type.String()))
	}
	root.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			c.id = v.String()
		case "model":
			c.model = v.String()
		case "error":
			c.fail(v)
		case "usage":
			c.count(v)
		case "x_groq":
			if c.usage == nil {
				c.count(v.Get("usage"))
			}
		case "choices":
			v.ForEach(func(_, choice gjson.Result) bool { c.readChoice(choice); return true })
		}
		return true
	})
	return c, nil
}

func (c *chatChunk) fail(v gjson.Result) {
	if v.Type != gjson.Null {
		c.err = []byte(v.Raw)
	}
}

func (c *chatChunk) readChoice(choice gjson.Result) {
	if choice.Get("index").Int() != 0 {
		return // an alternative that somebody's options asked for
	}
	c.choice = true
	choice.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "delta", "message":
			c.delta.read(v)
		case "finish_reason":
			c.finish = v.String()
		case "error":
			c.fail(v)
		}
		return true
	})
}

func (d *chatDelta) read(v gjson.Result) {
	v.ForEach(func(key, v gjson.Result) bool {
		if v.Type == gjson.Null {
			return true
		}
		switch key.Str {
		case "content":
			text, thought := contentText(v)
			d.text, d.reasoning = text, d.reasoning+thought
		case "refusal":
			d.refusal = v.String()
		case "reasoning_content", "reasoning": // a server that sends both repeats itself
			if v.Type == gjson.String && d.reasoning == "" {
				d.reasoning = v.String()
			}
		case "reasoning_details":
			v.ForEach(func(_, v gjson.Result) bool { d.details = append(d.details, readDetail(v)); return true })
		case "tool_calls":
			v.ForEach(func(_, v gjson.Result) bool { d.calls = append(d.calls, readCall(v)); return true })
		case "images":
			v.ForEach(func(_, v gjson.Result) bool {
				d.images = append(d.images, v.Get("image_url.url").String())
				return true
			})
		}
		return true
	})
}

// contentText reads content: a string, or the parts that some servers send.
func contentText(v gjson.Result) (text, thought string) {
	if v.Type == gjson.String {
		return v.String(), ""
	}
	v.ForEach(func(_, part gjson.Result) bool {
		if part.Get("type").Str == "thinking" {
			t, _ := contentText(part.Get("thinking"))
			thought += t
		} else {
			text += part.Get("text").String()
		}
		return v.IsArray()
	})
	return text, thought
}

func readCall(v gjson.Result) chatCall {
	call := chatCall{index: -1}
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "index":
			if v.Type == gjson.Number {
				call.index = int(v.Int())
			}
		case "id":
			call.id = v.String()
		case "extra_content":
			if v.Type != gjson.Null {
				call.extra = json.RawMessage(v.Raw)
			}
		case "function":
			call.name = v.Get("name").String()
			call.arguments = v.Get("arguments").String() // of an object: its text
		}
		return true
	})
	return call
}

func readDetail(v gjson.Result) routerDetail {
	d := routerDetail{index: -1}
	if i := v.Get("index"); i.Type == gjson.Number {
		d.index = int(i.Int())
	}
	d.Type = strings.TrimPrefix(v.Get("type").String(), "reasoning.")
	d.ID, d.Format = v.Get("id").String(), v.Get("format").String()
	d.Text = v.Get("text").String() + v.Get("summary").String()
	d.Data = v.Get("data").String() + v.Get("signature").String()
	return d
}

// count reads usage. Reasoning tokens belong to the completion, which some
// servers count beside it.
func (c *chatChunk) count(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	u := &chatUsage{Usage: engine.Usage{
		PromptTokens:     v.Get("prompt_tokens").Int(),
		CompletionTokens: v.Get("completion_tokens").Int(),
		TotalTokens:      v.Get("total_tokens").Int(),
		CachedTokens:     max(v.Get("prompt_tokens_details.cached_tokens").Int(), v.Get("prompt_cache_hit_tokens").Int()),
		ReasoningTokens:  v.Get("completion_tokens_details.reasoning_tokens").Int(),
	}}
	if u.ReasoningTokens > 0 && u.TotalTokens == u.PromptTokens+u.CompletionTokens+u.ReasoningTokens {
		u.CompletionTokens += u.ReasoningTokens
	}
	if u.TotalTokens == 0 {
		u.TotalTokens = u.PromptTokens + u.CompletionTokens
	}
	if cost := v.Get("cost"); cost.Type == gjson.Number {
		f := cost.Float()
		u.cost = &f
	}
	c.usage = u
}
