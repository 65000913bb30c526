package provider

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// errorBody covers the shapes in use: OpenAI's and Anthropic's error object,
// Google's with details, OpenRouter's with the upstream's own text, a bare
// string, and FastAPI's detail.
type errorBody struct {
	Error   json.RawMessage `json:"error"`
	Errors  json.RawMessage `json:"errors"`
	Message looseString     `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Code    looseString     `json:"code"`
	Type    looseString     `json:"type"`
	Status  looseString     `json:"status"`
	Details []struct {
		RetryDelay string `json:"retryDelay"`
	} `json:"details"`
	Metadata struct {
		Raw     json.RawMessage `json:"raw"`
		Reasons []string        `json:"reasons"`
	} `json:"metadata"`
}

// readServerError reads the body of a failed answer or an error object.
func readServerError(raw []byte) serverError {
	raw = bytes.TrimSpace(raw)
	var body errorBody
	if len(raw) > 0 && raw[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			return readServerError(list[0])
		}
	}
	if len(raw) > 0 && raw[0] == '"' {
		return serverError{message: rawText(raw)}
	}
	if json.Unmarshal(raw, &body) != nil {
		return serverError{message: plainText(raw)}
	}
	for _, inner := range []json.RawMessage{body.Error, body.Errors} {
		if len(inner) > 0 && string(inner) != "null" {
			return readServerError(inner)
		}
	}
	s := serverError{message: string(body.Message), code: string(body.Code), typ: string(body.Type)}
	if s.message == "" {
		s.message = rawText(body.Detail)
	}
	if isNumber(s.code) {
		s.status, _ = strconv.Atoi(s.code)
		s.code = string(body.Status) // Google: RESOURCE_EXHAUSTED and the like
	}
	s.detail = rawText(body.Metadata.Raw)
	if len(body.Metadata.Reasons) > 0 {
		s.code = "content_filter"
	}
	for _, d := range body.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			s.retry = wait
		}
	}
	return s
}

// rawText is a JSON string's text, or the JSON itself.
func rawText(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plainText is a body that isn't JSON, on one line; a page of HTML says nothing.
func plainText(raw []byte) string {
	if bytes.HasPrefix(raw, []byte("<")) {
		return ""
	}
	return strings.Join(strings.Fields(string(raw)), " ")
}

// retryAfter reads how long a server wants to be left alone; 0 is no wish.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if h == nil {
		return 0
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if v := h.Get("Retry-After"); v != "" {
		if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
			return time.Duration(s * float64(time.Second))
		}
		if t, err := http.ParseTime(v); err == nil {
			return max(0, t.Sub(now))
		}
	}
	return limitReset(h, now)
}

// limitReset is when an exhausted limit is renewed, from the rate limit headers:
// OpenAI's hold durations, Anthropic's dates. The longest counts.
func limitReset(h http.Header, now time.Time) time.Duration {
	var wait time.Duration
	for _, what := range []string{"Requests", "Tokens"} {
		if h.Get("X-Ratelimit-Remaining-"+what) == "0" {
			if d, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + what)); err == nil {
				wait = max(wait, d)
			}
		}
	}
	for _, what := range []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"} {
		if h.Get("Anthropic-Ratelimit-"+what+"-Remaining") == "0" {
			if t, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+what+"-Reset")); err == nil {
				wait = max(wait, t.Sub(now))
			}
		}
	}
	return wait
}
