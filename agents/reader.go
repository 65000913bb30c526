package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/sideb-dev/sideb/engine"
)

// reporter collects the problems of one definition file, each with its place.
type reporter struct {
	file     string
	src      *text
	problems []engine.Problem
}

func (r *reporter) report(s engine.Severity, at place, hint, message string) {
	r.problems = append(r.problems, engine.Problem{
		Severity: s, File: r.file, Line: at.line, Column: at.column, Message: message, Hint: hint,
	})
}

// fails reports whether an error was reported.
func (r *reporter) fails() bool {
	return slices.ContainsFunc(r.problems, func(p engine.Problem) bool { return p.Severity == engine.SeverityError })
}

// object reads the properties of one described object. A property of a wrong
// type is reported and read as absent.
type object struct {
	r      *reporter
	what   string   // what the object is, for messages: `agent "x"`
	path   []string // the properties that lead to it, for places
	fields map[string]json.RawMessage
	known  map[string]bool
}

// readObject reads raw, which must be a JSON object; nil and a report where it
// isn't.
func readObject(r *reporter, what string, path []string, raw json.RawMessage) *object {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil || special(fields) {
		r.report(engine.SeverityError, r.src.find(path, ""), "write it as an object: { … }",
			fmt.Sprintf("%s must be an object, it is %s", what, typeName(raw)))
		return nil
	}
	return &object{r: r, what: what, path: path, fields: fields, known: map[string]bool{}}
}

// special reports whether an object stands for something that JSON can't say.
func special(fields map[string]json.RawMessage) bool {
	for k := range fields {
		if strings.HasPrefix(k, "$") {
			return true
		}
	}
	return false
}

func typeName(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "missing"
	}
	switch raw[0] {
	case '"':
		return "a string"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case '{':
		var o map[string]json.RawMessage
		_ = json.Unmarshal(raw, &o)
		switch {
		case o["$function"] != nil:
			return "a function"
		case o["$schema"] != nil || o["$schemaError"] != nil:
			return "a schema"
		case o["$other"] != nil:
			return string(o["$other"])
		}
		return "an object"
	default:
		return "a number"
	}
}

// raw is a property as JSON, nil where it is absent or null.
func (o *object) raw(key string) json.RawMessage {
	o.known[key] = true
	v := o.fields[key]
	if len(v) == 0 || string(v) == "null" {
		return nil
	}
	return v
}

func (o *object) place(key string) place {
	return o.r.src.find(append(slices.Clone(o.path), key), "")
}

func (o *object) wrong(key, want string, v json.RawMessage) {
	o.r.report(engine.SeverityError, o.place(key), "", fmt.Sprintf("`%s` of %s must be %s, it is %s", key, o.what, want, typeName(v)))
}

func (o *object) warn(key, hint, message string) {
	o.r.report(engine.SeverityWarning, o.place(key), hint, message)
}

func (o *object) fail(key, hint, message string) {
	o.r.report(engine.SeverityError, o.place(key), hint, message)
}

// read decodes a property into dst and reports whether it was there and right.
func (o *object) read(key, want string, dst any) bool {
	v := o.raw(key)
	if v == nil {
		return false
	}
	if err := json.Unmarshal(v, dst); err != nil {
		o.wrong(key, want, v)
		return false
	}
	return true
}

func (o *object) str(key string) string {
	var s string
	o.read(key, "a string", &s)
	return s
}

// required is a string that must be there and not empty.
func (o *object) required(key, hint string) string {
	had := o.raw(key) != nil
	s := o.str(key)
	if strings.TrimSpace(s) == "" && (!had || string(o.fields[key]) == `""`) {
		o.fail(key, hint, fmt.Sprintf("%s has no `%s`", o.what, key))
	}
	return s
}

func (o *object) boolean(key string, def bool) bool {
	b := def
	if !o.read(key, "true or false", &b) {
		return def
	}
	return b
}

// count is a whole number that isn't negative, 0 where it is absent.
func (o *object) count(key string) int {
	var f float64
	if !o.read(key, "a number", &f) {
		return 0
	}
	if f < 0 || f != math.Trunc(f) || f > math.MaxInt32 {
		o.fail(key, "", fmt.Sprintf("`%s` of %s must be a whole number that isn't negative, it is %s", key, o.what, o.fields[key]))
		return 0
	}
	return int(f)
}

func (o *object) strings(key string) []string {
	var list []string
	o.read(key, "an array of strings", &list)
	return list
}

// env reads the environment values under key and its older alias tenvs.
func (o *object) env() map[string]string {
	out := map[string]string{}
	for _, key := range []string{"tenvs", "env"} {
		var m map[string]json.RawMessage
		if !o.read(key, "an object of strings", &m) || special(m) {
			continue
		}
		for name, v := range m {
			var s string
			if json.Unmarshal(v, &s) != nil {
				s = string(v)
			}
			if string(v) != "null" {
				out[name] = s
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// one of a list of words; "" where it is absent or wrong.
func (o *object) oneOf(key string, words ...string) string {
	s := o.str(key)
	if s == "" || slices.Contains(words, s) {
		return s
	}
	o.fail(key, "use one of "+quotedList(words), fmt.Sprintf("`%s` of %s can't be %q%s", key, o.what, s, didYouMean(s, words)))
	return ""
}

// rest warns of the properties that nothing read. later are those that only
// version 0.2 of the specification has.
func (o *object) rest(later ...string) {
	var unknown, known []string
	for k := range o.known {
		known = append(known, k)
	}
	for k := range o.fields {
		if !o.known[k] {
			unknown = append(unknown, k)
		}
	}
	sort.Strings(unknown)
	sort.Strings(known)
	for _, k := range unknown {
		if slices.Contains(later, k) {
			o.warn(k, "remove it, or ignore this", fmt.Sprintf("`%s` of %s belongs to version 0.2 of the specification and has no effect", k, o.what))
			continue
		}
		hint := "remove it"
		if near := nearest(k, known); near != "" {
			hint = fmt.Sprintf("did you mean `%s`?", near)
		}
		o.warn(k, hint, fmt.Sprintf("%s has no property `%s`; it has no effect", o.what, k))
	}
}

func quotedList(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = "'" + w + "'"
	}
	return strings.Join(q, ", ")
}
