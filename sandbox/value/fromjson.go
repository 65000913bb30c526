package value

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
)

// FromJSON reads tagged JSON; see AppendJSON. Plain JSON is tagged JSON.
func FromJSON(raw []byte, fns Functions) (v any, err error) {
	r := &jsonReader{in: json.NewDecoder(bytes.NewReader(raw)), fns: fns, shared: map[int]any{}}
	r.in.UseNumber()
	defer func() {
		if x := recover(); x != nil {
			if x != any(ErrMalformed) {
				panic(x)
			}
			v, err = nil, ErrMalformed
		}
	}()
	return r.value(0), nil
}

type jsonReader struct {
	in     *json.Decoder
	fns    Functions
	shared map[int]any
}

func (r *jsonReader) token() json.Token {
	t, err := r.in.Token()
	if err != nil {
		broken()
	}
	return t
}

func (r *jsonReader) value(depth int) any { return r.valueInto(depth, 0) }

// valueInto reads a value that later references know by the number id, when it
// isn't 0.
func (r *jsonReader) valueInto(depth, id int) any {
	if depth > MaxDepth {
		broken()
	}
	switch t := r.token().(type) {
	case json.Delim:
		if t == '[' {
			a := &Array{}
			r.know(id, a)
			a.Items = r.items(depth)
			a.Length = len(a.Items)
			return a
		}
		if t != '{' {
			broken()
		}
		return r.object(depth, id)
	case json.Number:
		f, err := t.Float64()
		if err != nil && !math.IsInf(f, 0) {
			broken()
		}
		return f
	default:
		return t // nil, bool or string
	}
}

func (r *jsonReader) know(id int, v any) {
	if id != 0 {
		r.shared[id] = v
	}
}

// items reads up to the end of a list.
func (r *jsonReader) items(depth int) []any {
	list := []any{}
	for r.in.More() {
		list = append(list, r.value(depth+1))
	}
	r.token()
	return list
}

// object reads what follows {. A tag is its first property.
func (r *jsonReader) object(depth, id int) any {
	o := &Object{}
	for r.in.More() {
		key, _ := r.token().(string)
		if key == "$type" && len(o.Keys) == 0 {
			kind, _ := r.token().(string)
			return r.tagged(kind, depth, id)
		}
		if len(o.Keys) == 0 {
			r.know(id, o)
		}
		o.Set(key, r.value(depth+1))
	}
	r.know(id, o)
	r.token()
	return o
}

// tagged reads what follows a tag. Containers are known before their parts are read.
func (r *jsonReader) tagged(kind string, depth, id int) any {
	t := &jsonTag{r: r, kind: kind, depth: depth}
	switch kind {
	case "array":
		t.made = &Array{}
	case "object":
		t.made = &Object{}
	case "Map":
		t.made = &Map{}
	case "Set":
		t.made = &Set{}
	case "Error":
		t.made = &Error{Cause: Undefined{}}
	default:
		if Elements(kind) > 0 {
			t.made = &View{Kind: kind}
		}
	}
	if t.made != nil {
		r.know(id, t.made)
	}
	fields := map[string]any{}
	for r.in.More() {
		key, _ := r.token().(string)
		if key == "value" && kind == "shared" {
			n, _ := fields["id"].(float64)
			fields[key] = r.valueInto(depth, int(n))
			continue
		}
		fields[key] = r.value(depth + 1)
	}
	r.token()
	t.fields = fields
	v := t.finish()
	r.know(id, v)
	return v
}

type jsonTag struct {
	r      *jsonReader
	kind   string
	depth  int
	made   any
	fields map[string]any
}

func (t *jsonTag) text(key string) string    { s, _ := t.fields[key].(string); return s }
func (t *jsonTag) number(key string) float64 { f, _ := t.fields[key].(float64); return f }

func (t *jsonTag) size(key string) int {
	f := t.number(key)
	if f < 0 || f > math.MaxUint32 || f != math.Trunc(f) {
		broken()
	}
	return int(f)
}

func (t *jsonTag) list(key string) []any {
	a, ok := t.fields[key].(*Array)
	if !ok {
		broken()
	}
	return a.Items
}

func (t *jsonTag) bytes(key string) []byte {
	b, err := base64.StdEncoding.DecodeString(t.text(key))
	if err != nil {
		broken()
	}
	return b
}

func (t *jsonTag) finish() any {
	switch made := t.made.(type) {
	case *Array:
		made.Items, made.Length = t.list("items"), t.size("length")
		return made
	case *Object:
		flat := t.pairs("entries")
		for i := 0; i < len(flat); i += 2 {
			key, _ := flat[i].(string)
			made.Set(key, flat[i+1])
		}
		return made
	case *Map:
		flat := t.pairs("entries")
		for i := 0; i < len(flat); i += 2 {
			made.Keys, made.Values = append(made.Keys, flat[i]), append(made.Values, flat[i+1])
		}
		return made
	case *Set:
		made.Items = t.list("values")
		return made
	case *Error:
		made.Name, made.Message, made.Stack = t.text("name"), t.text("message"), t.text("stack")
		if cause, ok := t.fields["cause"]; ok {
			made.Cause = cause
		}
		return made
	case *View:
		return t.view(made)
	}
	return t.simple()
}

func (t *jsonTag) pairs(key string) []any {
	flat := t.list(key)
	if len(flat)%2 != 0 {
		broken()
	}
	return flat
}

func (t *jsonTag) view(v *View) any {
	buffer, ok := t.fields["buffer"].(*Buffer)
	v.Offset, v.Length = t.size("offset"), t.size("length")
	size := Elements(v.Kind)
	if !ok || v.Offset%size != 0 || v.Offset > len(buffer.Bytes) || v.Length > (len(buffer.Bytes)-v.Offset)/size {
		broken()
	}
	v.Buffer = buffer
	return v
}

func (t *jsonTag) simple() any {
	switch t.kind {
	case "undefined":
		return Undefined{}
	case "hole":
		return Hole{}
	case "number":
		return map[string]float64{"NaN": math.NaN(), "-0": math.Copysign(0, -1), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}[t.text("value")]
	case "bigint":
		n, ok := new(big.Int).SetString(t.text("value"), 10)
		if !ok || len(t.text("value")) > maxBigDigits {
			broken()
		}
		return n
	case "string":
		return string(t.bytes("wtf8"))
	case "Date":
		f, ok := t.fields["value"].(float64)
		if !ok {
			f = math.NaN()
		}
		return &Date{Millis: f}
	case "RegExp":
		return &RegExp{Source: t.text("source"), Flags: t.text("flags")}
	case "ArrayBuffer":
		return &Buffer{Bytes: t.bytes("base64")}
	case "shared":
		return t.fields["value"]
	case "ref":
		v, ok := t.r.shared[int(t.number("id"))]
		if !ok {
			broken()
		}
		return v
	case "function":
		return t.function()
	}
	broken()
	return nil
}

func (t *jsonTag) function() any {
	if t.r.fns == nil {
		broken()
	}
	id := uint64(t.size("id"))
	if yours, _ := t.fields["yours"].(bool); !yours {
		return t.r.fns.Remote(id, t.text("name"))
	}
	f := t.r.fns.Own(id)
	if f == nil {
		broken()
	}
	return f
}
