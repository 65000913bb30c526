package js

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Thrown is what JavaScript threw, with positions in the source.
type Thrown struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Stack   string          `json:"stack,omitempty"`
	File    string          `json:"file,omitempty"`
	Line    int             `json:"line,omitempty"`
	Column  int             `json:"column,omitempty"`
	Code    string          `json:"code,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (t *Thrown) Error() string {
	if t.Name == "" {
		return t.Message
	}
	return t.Name + ": " + t.Message
}

const (
	scriptPrefix = "linked:"
	preludeName  = "prelude:"
)

// place sets the position of t from one in linked text.
func (e *Engine) place(t *Thrown, script string, line, column int) {
	if file, l, c, ok := e.original(script, line, column); ok && t.File == "" {
		t.File, t.Line, t.Column = file, l, c
	}
}

func (e *Engine) original(script string, line, column int) (string, int, int, bool) {
	p := e.program(script)
	if p == nil {
		return "", 0, 0, false
	}
	return p.source.find(line, column)
}

// finish maps the stack that t came with and takes t's position from it.
func (e *Engine) finish(t *Thrown) {
	var out strings.Builder
	head := t.Name + ": " + t.Message
	for i, line := range strings.Split(strings.TrimRight(t.Stack, "\n"), "\n") {
		if !strings.HasPrefix(line, "\tat ") {
			if i == 0 {
				head = line
			} else if out.Len() == 0 {
				head += "\n" + line
			}
			continue
		}
		mapped, file, l, c, ok := e.mapFrame(line)
		if !ok {
			continue
		}
		if t.File == "" && file != "" {
			t.File, t.Line, t.Column = file, l, c
		}
		out.WriteString("\n" + mapped)
	}
	if t.Stack != "" {
		t.Stack = head + out.String()
	}
}

// mapFrame maps one line of a stack. Frames of the prelude, of the linker's
// helpers and of native code are dropped.
func (e *Engine) mapFrame(line string) (mapped, file string, l, c int, ok bool) {
	start, end, script, l, c := findPosition(line)
	if start < 0 {
		return "", "", 0, 0, false
	}
	if file, l, c, ok = e.original(script, l, c); !ok {
		return "", "", 0, 0, false
	}
	return "    " + strings.TrimSpace(line[:start]+file+":"+strconv.Itoa(l)+":"+strconv.Itoa(c)+line[end:]), file, l, c, true
}

// mapText maps the frames in any text, such as a stack that is printed.
func (e *Engine) mapText(text string) string {
	if !strings.Contains(text, scriptPrefix) && !strings.Contains(text, preludeName) {
		return text
	}
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if i := strings.Index(line, "\tat "); i >= 0 && strings.TrimSpace(line[:i]) == "" {
			mapped, _, _, _, ok := e.mapFrame(line)
			if ok {
				out = append(out, mapped)
			}
			continue
		}
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// findPosition finds "linked:N:LINE:COLUMN(PC)" in a line of a stack.
func findPosition(line string) (start, end int, script string, l, c int) {
	start = strings.Index(line, scriptPrefix)
	if start < 0 {
		return -1, 0, "", 0, 0
	}
	n, at := number(line, start+len(scriptPrefix))
	l, at = number(line, at+1)
	c, at = number(line, at+1)
	if at < len(line) && line[at] == '(' {
		if close := strings.IndexByte(line[at:], ')'); close > 0 {
			at += close + 1
		}
	}
	return start, min(at, len(line)), scriptPrefix + strconv.Itoa(n), l, c
}

func number(s string, at int) (n, end int) {
	for end = at; end < len(s) && s[end] >= '0' && s[end] <= '9'; end++ {
		n = n*10 + int(s[end]-'0')
	}
	return n, end
}
