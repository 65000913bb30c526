package js

import (
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// Values leave an isolate in two steps: goja's to package value's model, and that
// to bytes. Both run inside the worker, since getters and traps are untrusted
// code too.

var (
	typeProxy   = reflect.TypeFor[goja.Proxy]()
	typeMap     = reflect.TypeFor[[][2]any]()
	typeSet     = reflect.TypeFor[[]any]()
	typeDate    = reflect.TypeFor[time.Time]()
	typeBuffer  = reflect.TypeFor[goja.ArrayBuffer]()
	typePromise = reflect.TypeFor[*goja.Promise]()
)

// maxValue is how long an encoded value may be.
const maxValue = 32 << 20

// maxSparse is how many elements an array may lack before what it has.
const maxSparse = 1 << 20

// outward converts one value that leaves.
type outward struct {
	i    *Isolate
	seen map[*goja.Object]any
	path []string
	// lenient writes text for what can't leave, as a console does.
	lenient bool
}

// toBytes encodes v, named root in errors. It runs getters of untrusted code.
func (i *Isolate) toBytes(v goja.Value, root string) ([]byte, error) {
	o := &outward{i: i, seen: map[*goja.Object]any{}, path: []string{root}}
	model, err := o.try(v)
	if err != nil {
		return nil, err
	}
	raw, err := value.Encode(model, root, &i.fns)
	if err == nil && len(raw) > maxValue {
		return nil, &value.SerializationError{Path: root, What: fmt.Sprintf("a value of %d bytes, more than %d MiB,", len(raw), maxValue>>20)}
	}
	return raw, err
}

// lenient converts the elements of an array, which always succeeds for all but
// what throws.
func (i *Isolate) lenient(args goja.Value) ([]any, error) {
	o := &outward{i: i, seen: map[*goja.Object]any{}, path: []string{"argument"}, lenient: true}
	model, err := o.try(args)
	if err != nil {
		return []any{"[value that can't be shown]"}, nil
	}
	return model.(*value.Array).Items, nil
}

func (o *outward) try(v goja.Value) (model any, err error) {
	thrown := o.i.rt.Try(func() { model, err = o.value(v, 0) })
	if thrown != nil {
		return nil, thrown
	}
	return model, err
}

func (o *outward) refuse(what string) (any, error) {
	if o.lenient {
		return "[" + what + "]", nil
	}
	path := ""
	for _, p := range o.path {
		path += p
	}
	return nil, &value.SerializationError{Path: path, What: what}
}

func (o *outward) at(step string, v goja.Value, depth int) (any, error) {
	o.path = append(o.path, step)
	model, err := o.value(v, depth+1)
	o.path = o.path[:len(o.path)-1]
	return model, err
}

func (o *outward) value(v goja.Value, depth int) (any, error) {
	if depth > value.MaxDepth {
		return o.refuse(fmt.Sprintf("a value nested deeper than %d levels", value.MaxDepth))
	}
	switch v := v.(type) {
	case nil:
		return value.Undefined{}, nil
	case goja.String:
		return wtf8(v), nil
	case *goja.Symbol:
		return o.refuse("a symbol")
	case *goja.Object:
		return o.object(v, depth)
	}
	switch {
	case goja.IsUndefined(v):
		return value.Undefined{}, nil
	case goja.IsNull(v):
		return nil, nil
	}
	switch x := v.Export().(type) {
	case bool:
		return x, nil
	case *big.Int:
		return x, nil
	default:
		return v.ToFloat(), nil
	}
}

func (o *outward) object(v *goja.Object, depth int) (any, error) {
	if known, ok := o.seen[v]; ok {
		return known, nil
	}
	t := v.ExportType()
	switch {
	case t == typeProxy:
		return o.refuse("a Proxy")
	case t == typePromise:
		return o.refuse("a Promise")
	case t.Kind() == reflect.Func:
		return o.function(v)
	case v.ClassName() == "Array":
		return o.array(v, depth)
	case v.ClassName() == "Error":
		return o.error(v, depth)
	case v.ClassName() == "RegExp":
		r := &value.RegExp{Source: textOf(v.Get("source")), Flags: textOf(v.Get("flags"))}
		o.seen[v] = r
		return r, nil
	case t == typeMap:
		return o.mapping(v, depth)
	case t == typeSet:
		return o.set(v, depth)
	case t == typeDate || v.ClassName() == "Date":
		d := &value.Date{Millis: o.i.made.millis(v)}
		o.seen[v] = d
		return d, nil
	case t == typeBuffer:
		b := &value.Buffer{Bytes: v.Export().(goja.ArrayBuffer).Bytes()}
		o.seen[v] = b
		return b, nil
	}
	if kind := o.i.made.viewKind(v); kind != "" {
		return o.view(v, kind, depth)
	}
	return o.plain(v, depth)
}

func (o *outward) function(v *goja.Object) (any, error) {
	name := textOf(v.Get("name"))
	if o.lenient {
		return "[Function " + name + "]", nil
	}
	return o.i.fns.outward(v, name), nil
}

func (o *outward) array(v *goja.Object, depth int) (any, error) {
	a := &value.Array{Length: int(v.Get("length").ToInteger())}
	o.seen[v] = a
	if a.Length > maxSparse && len(v.Keys()) < a.Length/2 {
		return o.sparse(v, a, depth)
	}
	for n := range a.Length {
		x := v.Get(strconv.Itoa(n))
		if x == nil {
			a.Items = append(a.Items, value.Hole{})
			continue
		}
		model, err := o.at("["+strconv.Itoa(n)+"]", x, depth)
		if err != nil {
			return nil, err
		}
		a.Items = append(a.Items, model)
	}
	return a, nil
}

// sparse converts a long array that has few elements.
func (o *outward) sparse(v *goja.Object, a *value.Array, depth int) (any, error) {
	for _, key := range v.Keys() {
		n, err := strconv.Atoi(key)
		if err != nil {
			continue
		}
		if n > maxSparse+2*len(a.Items) {
			return o.refuse("an array with too many holes")
		}
		for len(a.Items) < n {
			a.Items = append(a.Items, value.Hole{})
		}
		model, err := o.at("["+key+"]", v.Get(key), depth)
		if err != nil {
			return nil, err
		}
		a.Items = append(a.Items, model)
	}
	return a, nil
}

func (o *outward) error(v *goja.Object, depth int) (any, error) {
	d := o.i.describe(v)
	e := &value.Error{Name: d.Name, Message: d.Message, Stack: d.Stack, Cause: value.Undefined{}}
	o.seen[v] = e
	if cause := v.Get("cause"); cause != nil {
		var err error
		if e.Cause, err = o.at(".cause", cause, depth); err != nil {
			return nil, err
		}
	}
	return e, nil
}

func (o *outward) mapping(v *goja.Object, depth int) (any, error) {
	m := &value.Map{}
	o.seen[v] = m
	for n, pair := range o.i.made.entries(v) {
		k, err := o.at(".key("+strconv.Itoa(n)+")", pair[0], depth)
		if err != nil {
			return nil, err
		}
		x, err := o.at(".value("+strconv.Itoa(n)+")", pair[1], depth)
		if err != nil {
			return nil, err
		}
		m.Keys, m.Values = append(m.Keys, k), append(m.Values, x)
	}
	return m, nil
}

func (o *outward) set(v *goja.Object, depth int) (any, error) {
	s := &value.Set{}
	o.seen[v] = s
	for n, item := range o.i.made.items(v) {
		x, err := o.at(".item("+strconv.Itoa(n)+")", item, depth)
		if err != nil {
			return nil, err
		}
		s.Items = append(s.Items, x)
	}
	return s, nil
}

func (o *outward) view(v *goja.Object, kind string, depth int) (any, error) {
	buffer, offset, length := o.i.made.viewParts(v, kind)
	w := &value.View{Kind: kind, Offset: offset, Length: length}
	o.seen[v] = w
	model, err := o.at(".buffer", buffer, depth)
	if err != nil {
		return nil, err
	}
	w.Buffer = model.(*value.Buffer)
	return w, nil
}

// plain converts a plain object; one of a class can't leave.
func (o *outward) plain(v *goja.Object, depth int) (any, error) {
	if proto := v.Prototype(); proto != nil && !proto.SameAs(o.i.made.object) && !o.lenient {
		return o.refuse(instanceOf(v))
	}
	out := &value.Object{}
	o.seen[v] = out
	for _, key := range v.Keys() {
		x := v.Get(key)
		model, err := o.at(value.Step(key), x, depth)
		if err != nil {
			return nil, err
		}
		out.Set(key, model)
	}
	return out, nil
}

func instanceOf(v *goja.Object) string {
	if c, ok := v.Get("constructor").(*goja.Object); ok {
		if name := textOf(c.Get("name")); name != "" {
			return "an instance of " + name
		}
	}
	return "an object with a prototype of its own"
}

// textOf is a value's text, where it is a string.
func textOf(v goja.Value) string {
	if s, ok := v.(goja.String); ok {
		return wtf8(s)
	}
	return ""
}

// handles are the isolate's functions that the host knows by number, and the
// host's that the isolate knows.
type handles struct {
	isolate *Isolate
	byID    map[uint64]*goja.Object
	ids     map[*goja.Object]uint64
	hosts   map[*goja.Object]uint64
	bridged map[uint64]*goja.Object
	shared  atomic.Bool
}

// function in the model: its Owner is the object itself.
func (h *handles) outward(v *goja.Object, name string) *value.Func {
	return &value.Func{Name: name, Owner: v}
}

func (h *handles) Handle(f *value.Func) (uint64, bool) {
	v := f.Owner.(*goja.Object)
	if id, ok := h.hosts[v]; ok {
		return id, true
	}
	id, ok := h.ids[v]
	if !ok {
		id = uint64(len(h.ids) + 1)
		h.ids[v], h.byID[id] = id, v
	}
	h.shared.Store(true)
	return id, false
}

func (h *handles) Remote(id uint64, name string) *value.Func {
	return &value.Func{Name: name, ID: id}
}

func (h *handles) Own(id uint64) *value.Func {
	if v := h.byID[id]; v != nil {
		return &value.Func{Owner: v}
	}
	return nil
}

// inward is the function in this isolate.
func (h *handles) inward(f *value.Func) (goja.Value, error) {
	if v, own := f.Owner.(*goja.Object); own {
		return v, nil
	}
	if v := h.bridged[f.ID]; v != nil {
		return v, nil
	}
	rt := h.isolate.rt
	made, err := h.isolate.glue.bridge(goja.Undefined(), rt.ToValue(f.ID), stringValue(rt, f.Name))
	if err != nil {
		return nil, err
	}
	if h.hosts == nil {
		h.hosts, h.bridged = map[*goja.Object]uint64{}, map[uint64]*goja.Object{}
	}
	v := made.ToObject(rt)
	h.hosts[v], h.bridged[f.ID] = f.ID, v
	return v, nil
}
