package provider

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/sideb-dev/sideb/engine"
)

const maxMessage = 2 << 10 // bytes of a server's message that are kept

// failure turns the error of a request into what Generate returns. malformed
// says that the answer couldn't be understood.
func (r *Registry) failure(c *call, ep endpoint, err error) error {
	if cause := c.parent.Err(); cause != nil {
		return cause
	}
	var known *engine.ModelError
	if errors.As(err, &known) {
		known.Provider = ep.provider
		known.Message = redact(known.Message, ep.key)
		return known
	}
	e := &engine.ModelError{Provider: ep.provider, Err: redacted(err, ep.key)}
	switch {
	case c.stalled():
		e.Kind, e.Message, e.Err = engine.ModelTimeout, "the server sent nothing for too long", errStalled
	case c.status >= 400:
		r.httpFailure(e, c)
	case timedOut(err):
		e.Kind, e.Message = engine.ModelTimeout, "no answer in time: "+err.Error()
	default:
		e.Kind, e.Message = engine.ModelNetwork, err.Error()
	}
	e.Message = redact(e.Message, ep.key)
	return e
}

func timedOut(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

func (r *Registry) httpFailure(e *engine.ModelError, c *call) {
	said := readServerError(c.errTxt)
	e.HTTPStatus = c.status
	e.Kind = classify(c.status, said)
	e.Message = said.text()
	if e.Message == "" {
		e.Message = http.StatusText(c.status)
	}
	e.RetryAfter = retryAfter(c.header, r.opts.Now())
	if e.RetryAfter == 0 {
		e.RetryAfter = said.retry
	}
}

// classify maps an HTTP status and what the server said to a kind.
func classify(status int, said serverError) engine.ModelErrorKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired:
		return engine.ModelAuth
	case status == http.StatusForbidden:
		if said.filtered() {
			return engine.ModelContentFilter
		}
		return engine.ModelAuth
	case status == http.StatusRequestTimeout:
		return engine.ModelTimeout
	case status == http.StatusRequestEntityTooLarge:
		return engine.ModelContextLength
	case status == http.StatusTooManyRequests:
		return engine.ModelRateLimit
	case status >= 500:
		if said.tooLong() { // some servers answer 500 to a long prompt
			return engine.ModelContextLength
		}
		return engine.ModelServerError
	case status == http.StatusConflict:
		return engine.ModelUnknown
	case said.tooLong():
		return engine.ModelContextLength
	case said.filtered():
		return engine.ModelContentFilter
	case said.badKey():
		return engine.ModelAuth
	case status >= 400:
		return engine.ModelInvalidRequest
	}
	return said.kind()
}

// serverError is what a provider says about a failure, whatever shape it chose.
type serverError struct {
	message string
	code    string
	typ     string
	status  int // where the body holds one
	detail  string
	retry   time.Duration
}

func (s serverError) text() string {
	m := s.message
	if s.detail != "" && !strings.Contains(m, s.detail) {
		m = strings.TrimSpace(m + " " + s.detail)
	}
	if s.code != "" && !strings.Contains(m, s.code) && !isNumber(s.code) {
		m = strings.TrimSpace(m + " (" + s.code + ")")
	}
	if len(m) > maxMessage {
		m = strings.ToValidUTF8(m[:maxMessage], "") + "…"
	}
	return m
}

func (s serverError) tooLong() bool {
	switch s.code {
	case "context_length_exceeded", "string_above_max_length":
		return true
	}
	if s.typ == "exceed_context_size_error" {
		return true
	}
	return containsAny(s.message+" "+s.detail, "context length", "context window", "context size", "context_length", "prompt is too long",
		"input is too long", "input token count", "too many tokens", "reduce the length of the")
}

func (s serverError) filtered() bool {
	return s.code == "content_filter" || s.code == "content_policy_violation" || s.typ == "content_filter" ||
		containsAny(s.message, "content management policy", "flagged", "content policy")
}

func (s serverError) badKey() bool {
	return s.code == "invalid_api_key" || s.typ == "authentication_error" || containsAny(s.message, "api key not valid", "invalid api key")
}

// kind classifies an error that came inside a stream, without a status.
func (s serverError) kind() engine.ModelErrorKind {
	words := s.typ + " " + s.code
	switch {
	case s.tooLong():
		return engine.ModelContextLength
	case s.filtered():
		return engine.ModelContentFilter
	case containsAny(words, "rate_limit", "quota", "resource_exhausted", "too_many"):
		return engine.ModelRateLimit
	case containsAny(words, "auth", "permission", "invalid_api_key"):
		return engine.ModelAuth
	case containsAny(words, "overloaded", "server_error", "api_error", "unavailable", "internal"):
		return engine.ModelServerError
	case containsAny(words, "timeout"):
		return engine.ModelTimeout
	case containsAny(words, "invalid_request", "invalid_argument", "not_found"):
		return engine.ModelInvalidRequest
	}
	return engine.ModelUnknown
}

// streamError is the failure that a server reports inside its answer.
func streamError(raw []byte) *engine.ModelError {
	said := readServerError(raw)
	e := &engine.ModelError{HTTPStatus: said.status, RetryAfter: said.retry, Message: said.text()}
	if said.status >= 400 {
		e.Kind = classify(said.status, said)
	} else {
		e.Kind = said.kind()
	}
	if e.Message == "" {
		e.Message = "the provider reported an error in the middle of its answer"
	}
	return e
}

// malformed is the failure of an answer that can't be read.
func malformed(what string, err error) *engine.ModelError {
	return &engine.ModelError{Kind: engine.ModelNetwork, Message: what + ": " + err.Error(), Err: err}
}

// cut is the failure of an answer that ended early.
func cut() *engine.ModelError {
	return &engine.ModelError{Kind: engine.ModelNetwork, Message: "the answer ended before it was complete"}
}

func containsAny(s string, words ...string) bool {
	s = strings.ToLower(s)
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }

func redact(s, key string) string {
	if len(key) < 4 || !strings.Contains(s, key) {
		return s
	}
	return strings.ReplaceAll(s, key, "[redacted]")
}

// redacted keeps err as a cause unless its text holds the key.
func redacted(err error, key string) error {
	if err == nil || len(key) < 4 || !strings.Contains(err.Error(), key) {
		return err
	}
	return errors.New(redact(err.Error(), key))
}

// looseString reads a JSON string or number as text.
type looseString string

func (l *looseString) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(l))
	}
	if string(b) != "null" {
		*l = looseString(b)
	}
	return nil
}
