package value

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Tagged JSON says what JSON can't with objects that have a property $type:
// undefined, number (NaN, -0, Infinity), bigint, string (with lone surrogates),
// hole, array (longer than its items), object (with a property $type of its
// own), Map, Set, Date, RegExp, Error, ArrayBuffer, the typed arrays, function,
// and shared and ref for what occurs more than once.

// AppendJSON writes v as tagged JSON. root names v in errors.
func AppendJSON(out []byte, v any, root string, fns Functions) ([]byte, error) {
	w := &jsonWriter{encoder: encoder{fns: fns, path: []string{root}}, out: out, times: map[any]int{}, ids: map[any]int{}}
	v = normal(v)
	if err := w.count(v, 0); err != nil {
		return nil, err
	}
	if err := w.value(v); err != nil {
		return nil, err
	}
	return w.out, nil
}

type jsonWriter struct {
	encoder
	out   []byte
	times map[any]int // how often each reference occurs
	ids   map[any]int // of what occurs more than once
}

// normal turns Go's own kinds into the model.
func normal(v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case []byte:
		return &View{Kind: "Uint8Array", Buffer: &Buffer{Bytes: v}, Length: len(v)}
	case []any:
		return &Array{Items: v}
	case map[string]any:
		return FromMap(v)
	}
	return v
}

// count finds what occurs more than once, and what is nested too deeply.
func (w *jsonWriter) count(v any, depth int) error {
	if depth > MaxDepth {
		return w.refuse("a value nested too deeply")
	}
	switch v.(type) {
	case *Array, *Object, *Map, *Set, *Date, *RegExp, *Error, *Buffer, *View:
		if w.times[v]++; w.times[v] > 1 {
			return nil
		}
	default:
		return nil
	}
	for _, part := range parts(v) {
		if err := w.count(part, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// parts are the values inside v.
func parts(v any) []any {
	switch v := v.(type) {
	case *Array:
		return v.Items
	case *Object:
		return v.Values
	case *Map:
		return append(append([]any{}, v.Keys...), v.Values...)
	case *Set:
		return v.Items
	case *Error:
		return []any{v.Cause}
	case *View:
		return []any{v.Buffer}
	}
	return nil
}

func (w *jsonWriter) raw(s string)   { w.out = append(w.out, s...) }
func (w *jsonWriter) quote(s string) { w.out = appendQuoted(w.out, s) }

func appendQuoted(out []byte, s string) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return append(out, strings.TrimSuffix(b.String(), "\n")...)
}

// tagged writes {"$type":kind and leaves the object open.
func (w *jsonWriter) tagged(kind string) { w.raw(`{"$type":"` + kind + `"`) }

func (w *jsonWriter) value(v any) error {
	v = normal(v)
	if n := w.times[v]; n > 1 && isReference(v) {
		if id, known := w.ids[v]; known {
			w.raw(`{"$type":"ref","id":` + strconv.Itoa(id) + "}")
			return nil
		}
		w.ids[v] = len(w.ids) + 1
		w.raw(`{"$type":"shared","id":` + strconv.Itoa(w.ids[v]) + `,"value":`)
		defer w.raw("}")
		return w.plain(v)
	}
	return w.plain(v)
}

func isReference(v any) bool {
	switch v.(type) {
	case *Array, *Object, *Map, *Set, *Date, *RegExp, *Error, *Buffer, *View:
		return true
	}
	return false
}

func (w *jsonWriter) plain(v any) error {
	switch v := v.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.raw(strconv.FormatBool(v))
	case float64:
		w.number(v)
	case string:
		w.text(v)
	case Undefined:
		w.raw(`{"$type":"undefined"}`)
	case Hole:
		w.raw(`{"$type":"hole"}`)
	case *big.Int:
		w.raw(`{"$type":"bigint","value":"` + v.String() + `"}`)
	case *Date:
		w.tagged("Date")
		w.raw(`,"value":`)
		w.number(v.Millis)
		w.raw("}")
	case *RegExp:
		w.tagged("RegExp")
		w.raw(`,"source":`)
		w.text(v.Source)
		w.raw(`,"flags":`)
		w.quote(v.Flags)
		w.raw("}")
	case *Buffer:
		w.tagged("ArrayBuffer")
		w.raw(`,"base64":"` + base64.StdEncoding.EncodeToString(v.Bytes) + `"}`)
	case *Func:
		return w.function(v)
	default:
		return w.container(v)
	}
	return nil
}

func (w *jsonWriter) number(f float64) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || f == 0 && math.Signbit(f):
		text := strconv.FormatFloat(f, 'f', -1, 64)
		text = strings.Replace(strings.TrimPrefix(text, "+"), "Inf", "Infinity", 1)
		w.raw(`{"$type":"number","value":"` + text + `"}`)
	default:
		raw, _ := json.Marshal(f) // it is finite
		w.out = append(w.out, raw...)
	}
}

func (w *jsonWriter) text(s string) {
	if utf8.ValidString(s) {
		w.quote(s)
		return
	}
	w.raw(`{"$type":"string","wtf8":"` + base64.StdEncoding.EncodeToString([]byte(s)) + `"}`)
}

func (w *jsonWriter) function(f *Func) error {
	if w.fns == nil {
		return w.refuse("a function")
	}
	id, yours := w.fns.Handle(f)
	w.raw(`{"$type":"function","id":` + strconv.FormatUint(id, 10) + `,"yours":` + strconv.FormatBool(yours) + `,"name":`)
	w.text(f.Name)
	w.raw("}")
	return nil
}

func (w *jsonWriter) container(v any) error {
	switch v := v.(type) {
	case *Array:
		if v.Length <= len(v.Items) {
			return w.list(v.Items)
		}
		w.raw(`{"$type":"array","length":` + strconv.Itoa(v.Length) + `,"items":`)
		err := w.list(v.Items)
		w.raw("}")
		return err
	case *Object:
		return w.object(v)
	case *Map:
		flat := make([]any, 0, 2*len(v.Keys))
		for i := range v.Keys {
			flat = append(flat, v.Keys[i], v.Values[i])
		}
		return w.with("Map", "entries", flat)
	case *Set:
		return w.with("Set", "values", v.Items)
	case *Error:
		w.tagged("Error")
		for _, f := range [...][2]string{{"name", v.Name}, {"message", v.Message}, {"stack", v.Stack}} {
			w.raw(`,"` + f[0] + `":`)
			w.text(f[1])
		}
		w.raw(`,"cause":`)
		err := w.value(v.Cause)
		w.raw("}")
		return err
	case *View:
		w.tagged(v.Kind)
		w.raw(`,"offset":` + strconv.Itoa(v.Offset) + `,"length":` + strconv.Itoa(v.Length) + `,"buffer":`)
		err := w.value(v.Buffer)
		w.raw("}")
		return err
	}
	return w.refuse("a Go value that has no JavaScript value")
}

func (w *jsonWriter) with(kind, key string, items []any) error {
	w.tagged(kind)
	w.raw(`,"` + key + `":`)
	err := w.list(items)
	w.raw("}")
	return err
}

func (w *jsonWriter) list(items []any) error {
	w.raw("[")
	for i, x := range items {
		if i > 0 {
			w.raw(",")
		}
		if err := w.value(x); err != nil {
			return err
		}
	}
	w.raw("]")
	return nil
}

// object writes an object; one with a $type of its own as entries.
func (w *jsonWriter) object(o *Object) error {
	for _, k := range o.Keys {
		if k == "$type" || !utf8.ValidString(k) {
			flat := make([]any, 0, 2*len(o.Keys))
			for i := range o.Keys {
				flat = append(flat, o.Keys[i], o.Values[i])
			}
			return w.with("object", "entries", flat)
		}
	}
	w.raw("{")
	for i, k := range o.Keys {
		if i > 0 {
			w.raw(",")
		}
		w.quote(k)
		w.raw(":")
		if err := w.value(o.Values[i]); err != nil {
			return err
		}
	}
	w.raw("}")
	return nil
}
