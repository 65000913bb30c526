package js

import (
	"math/big"
	"strconv"

	"github.com/dop251/goja"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// inward makes one value that enters.
type inward struct {
	i    *Isolate
	made map[any]goja.Value
}

// fromBytes makes what was encoded; nothing is undefined.
func (i *Isolate) fromBytes(raw []byte) (goja.Value, error) {
	if len(raw) == 0 {
		return i.rt.NewObject(), nil
	}
	model, err := value.Decode(raw, &i.fns)
	if err != nil {
		return nil, err
	}
	n := &inward{i: i, made: map[any]goja.Value{}}
	return n.value(model)
}

// list makes several values.
func (n *inward) list(models []any) ([]any, error) {
	out := make([]any, len(models))
	for k, m := range models {
		v, err := n.value(m)
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

func (n *inward) value(model any) (goja.Value, error) {
	switch m := model.(type) {
	case value.Undefined:
		return goja.Undefined(), nil
	case nil:
		return goja.Null(), nil
	case string:
		return stringValue(n.i.rt, m), nil
	case bool, float64, *big.Int:
		return n.i.rt.ToValue(m), nil
	case *value.Func:
		return n.i.fns.inward(m)
	}
	if v, ok := n.made[model]; ok {
		return v, nil
	}
	return n.object(model)
}

func (n *inward) object(model any) (goja.Value, error) {
	rt, made := n.i.rt, &n.i.made
	switch m := model.(type) {
	case *value.Array:
		return n.array(m)
	case *value.Object:
		o := rt.NewObject()
		n.made[model] = o
		for k, key := range m.Keys {
			v, err := n.value(m.Values[k])
			if err != nil {
				return nil, err
			}
			// Defined, not set: a setter named __proto__ must not run.
			if err := o.DefineDataProperty(key, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
				return nil, err
			}
		}
		return o, nil
	case *value.Map:
		return n.mapping(m)
	case *value.Set:
		o, err := rt.New(made.constructors["Set"])
		if err != nil {
			return nil, err
		}
		n.made[model] = o
		items, err := n.list(m.Items)
		for _, item := range items {
			if _, err = made.setAdd(o, item.(goja.Value)); err != nil {
				break
			}
		}
		return o, err
	case *value.Date:
		return n.keep(model, "Date", rt.ToValue(m.Millis))
	case *value.RegExp:
		return n.keep(model, "RegExp", stringValue(n.i.rt, m.Source), stringValue(n.i.rt, m.Flags))
	case *value.Error:
		v := n.i.errorOf(m)
		n.made[model] = v
		if _, none := m.Cause.(value.Undefined); !none {
			cause, err := n.value(m.Cause)
			if err != nil {
				return nil, err
			}
			return v, v.DefineDataProperty("cause", cause, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		}
		return v, nil
	case *value.Buffer:
		v := rt.ToValue(rt.NewArrayBuffer(append([]byte(nil), m.Bytes...)))
		n.made[model] = v
		return v, nil
	case *value.View:
		buffer, err := n.value(m.Buffer)
		if err != nil {
			return nil, err
		}
		return n.keep(model, m.Kind, buffer, rt.ToValue(m.Offset), rt.ToValue(m.Length))
	}
	return nil, value.ErrMalformed
}

// keep constructs with an intrinsic.
func (n *inward) keep(model any, constructor string, args ...goja.Value) (goja.Value, error) {
	v, err := n.i.rt.New(n.i.made.constructors[constructor], args...)
	if err == nil {
		n.made[model] = v
	}
	return v, err
}

func (n *inward) array(m *value.Array) (goja.Value, error) {
	a := n.i.rt.NewArray()
	n.made[m] = a
	for k, item := range m.Items {
		if _, hole := item.(value.Hole); hole {
			continue
		}
		v, err := n.value(item)
		if err != nil {
			return nil, err
		}
		if err := a.DefineDataProperty(strconv.Itoa(k), v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			return nil, err
		}
	}
	return a, a.Set("length", max(m.Length, len(m.Items)))
}

func (n *inward) mapping(m *value.Map) (goja.Value, error) {
	o, err := n.i.rt.New(n.i.made.constructors["Map"])
	if err != nil {
		return nil, err
	}
	n.made[m] = o
	keys, err := n.list(m.Keys)
	if err != nil {
		return nil, err
	}
	values, err := n.list(m.Values)
	if err != nil {
		return nil, err
	}
	for k := range keys {
		if _, err := n.i.made.mapSet(o, keys[k].(goja.Value), values[k].(goja.Value)); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// errorOf makes an Error of the model.
func (i *Isolate) errorOf(m *value.Error) *goja.Object {
	c := i.made.constructors[m.Name]
	if c == nil || !isErrorName(m.Name) {
		c = i.made.constructors["Error"]
	}
	o, err := i.rt.New(c, stringValue(i.rt, m.Message))
	if err != nil {
		o = i.rt.NewTypeError("%s", m.Message)
	}
	if name := o.Get("name"); name == nil || name.String() != m.Name {
		raise(o.DefineDataProperty("name", stringValue(i.rt, m.Name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	stack := m.Name + ": " + m.Message
	if m.Stack != "" {
		stack = m.Stack
	}
	raise(o.DefineDataProperty("stack", stringValue(i.rt, stack), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return o
}

func isErrorName(name string) bool {
	switch name {
	case "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError":
		return true
	}
	return false
}
