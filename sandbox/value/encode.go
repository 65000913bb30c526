package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"time"
)

type tag byte

const (
	tagUndefined tag = iota + 1
	tagNull
	tagFalse
	tagTrue
	tagNumber // 8 bytes
	tagInt    // zigzag varint: a number that is a small integer
	tagBigInt // decimal text
	tagString
	tagHole // in arrays only
	tagArray
	tagObject
	tagMap
	tagSet
	tagDate
	tagRegExp
	tagError
	tagBuffer
	tagView
	tagRef  // number of a value that came before
	tagMine // function of who encodes: handle, name
	tagYours
)

// Functions gives functions handles while values are encoded, and turns handles
// into functions while they are decoded. Nil allows none.
type Functions interface {
	// Handle is f's handle; yours says that f is the other side's own.
	Handle(f *Func) (id uint64, yours bool)
	// Remote is the other side's function id.
	Remote(id uint64, name string) *Func
	// Own is our function id, which came back; nil when there is none.
	Own(id uint64) *Func
}

type encoder struct {
	out  []byte
	fns  Functions
	seen map[any]uint64
	path []string
}

// Encode writes v. root names v in errors, which are *SerializationError.
func Encode(v any, root string, fns Functions) ([]byte, error) {
	e := &encoder{fns: fns, path: []string{root}}
	if err := e.value(v, 0); err != nil {
		return nil, err
	}
	return e.out, nil
}

func (e *encoder) refuse(what string) error {
	path := ""
	for _, p := range e.path {
		path += p
	}
	return &SerializationError{Path: path, What: what}
}

func (e *encoder) tag(t tag)     { e.out = append(e.out, byte(t)) }
func (e *encoder) uint(n uint64) { e.out = binary.AppendUvarint(e.out, n) }
func (e *encoder) text(s string) { e.uint(uint64(len(s))); e.out = append(e.out, s...) }
func (e *encoder) float(f float64) {
	e.out = binary.LittleEndian.AppendUint64(e.out, math.Float64bits(f))
}
func (e *encoder) head(t tag, n int) { e.tag(t); e.uint(uint64(n)) }

func (e *encoder) number(f float64) {
	if n := int64(f); float64(n) == f && n > -1<<31 && n < 1<<31 && (n != 0 || !math.Signbit(f)) {
		e.tag(tagInt)
		e.out = binary.AppendVarint(e.out, n)
		return
	}
	e.tag(tagNumber)
	e.float(f)
}

// at encodes v one level down, at step of the path.
func (e *encoder) at(step string, v any, depth int) error {
	e.path = append(e.path, step)
	err := e.value(v, depth+1)
	e.path = e.path[:len(e.path)-1]
	return err
}

// again writes a reference when p was written before.
func (e *encoder) again(p any) bool {
	if n, ok := e.seen[p]; ok {
		e.tag(tagRef)
		e.uint(n)
		return true
	}
	if e.seen == nil {
		e.seen = map[any]uint64{}
	}
	e.seen[p] = uint64(len(e.seen))
	return false
}

func (e *encoder) value(v any, depth int) error {
	if depth > MaxDepth {
		return e.refuse(fmt.Sprintf("a value nested deeper than %d levels", MaxDepth))
	}
	switch v := v.(type) {
	case nil:
		e.tag(tagNull)
	case Undefined:
		e.tag(tagUndefined)
	case bool:
		if v {
			e.tag(tagTrue)
		} else {
			e.tag(tagFalse)
		}
	case float64:
		e.number(v)
	case string:
		e.tag(tagString)
		e.text(v)
	case *big.Int:
		e.tag(tagBigInt)
		e.text(v.String())
	default:
		if done, err := e.goValue(v, depth); done {
			return err
		}
		return e.reference(v, depth)
	}
	return nil
}

// goValue encodes Go's own kinds of values.
func (e *encoder) goValue(v any, depth int) (bool, error) {
	switch v := v.(type) {
	case int:
		e.number(float64(v))
	case int64:
		e.number(float64(v))
	case uint64:
		e.number(float64(v))
	case int32:
		e.number(float64(v))
	case float32:
		e.number(float64(v))
	case time.Time:
		return true, e.value(&Date{Millis: float64(v.UnixMilli())}, depth)
	case []byte:
		b := &Buffer{Bytes: v}
		return true, e.value(&View{Kind: "Uint8Array", Buffer: b, Length: len(v)}, depth)
	case []any:
		return true, e.value(&Array{Items: v}, depth)
	case map[string]any:
		return true, e.value(FromMap(v), depth)
	default:
		return false, nil
	}
	return true, nil
}

// FromMap is an Object with the keys in order.
func FromMap(m map[string]any) *Object {
	o := &Object{}
	for k := range m {
		o.Keys = append(o.Keys, k)
	}
	sort.Strings(o.Keys)
	for _, k := range o.Keys {
		o.Values = append(o.Values, m[k])
	}
	return o
}

func (e *encoder) reference(v any, depth int) error {
	switch v := v.(type) {
	case *Func:
		return e.function(v)
	case *Array, *Object, *Map, *Set, *Date, *RegExp, *Error, *Buffer, *View:
		if e.again(v) {
			return nil
		}
	default:
		return e.refuse(fmt.Sprintf("a Go value of type %T", v))
	}
	switch v := v.(type) {
	case *Array:
		return e.array(v, depth)
	case *Object:
		e.head(tagObject, len(v.Keys))
		for i, k := range v.Keys {
			e.text(k)
			if err := e.at(Step(k), v.Values[i], depth); err != nil {
				return err
			}
		}
	case *Map:
		e.head(tagMap, len(v.Keys))
		for i := range v.Keys {
			if err := e.at(".key("+strconv.Itoa(i)+")", v.Keys[i], depth); err != nil {
				return err
			}
			if err := e.at(".value("+strconv.Itoa(i)+")", v.Values[i], depth); err != nil {
				return err
			}
		}
	case *Set:
		e.head(tagSet, len(v.Items))
		for i, x := range v.Items {
			if err := e.at(".item("+strconv.Itoa(i)+")", x, depth); err != nil {
				return err
			}
		}
	case *Date:
		e.tag(tagDate)
		e.float(v.Millis)
	case *RegExp:
		e.tag(tagRegExp)
		e.text(v.Source)
		e.text(v.Flags)
	case *Error:
		e.tag(tagError)
		e.text(v.Name)
		e.text(v.Message)
		e.text(v.Stack)
		return e.at(".cause", v.Cause, depth)
	case *Buffer:
		e.head(tagBuffer, len(v.Bytes))
		e.out = append(e.out, v.Bytes...)
	case *View:
		e.tag(tagView)
		e.text(v.Kind)
		e.uint(uint64(v.Offset))
		e.uint(uint64(v.Length))
		return e.at(".buffer", v.Buffer, depth)
	}
	return nil
}

func (e *encoder) array(v *Array, depth int) error {
	e.head(tagArray, max(v.Length, len(v.Items)))
	e.uint(uint64(len(v.Items)))
	for i, x := range v.Items {
		if _, hole := x.(Hole); hole {
			e.tag(tagHole)
			continue
		}
		switch x := x.(type) { // no path is needed for what always crosses
		case float64:
			e.number(x)
			continue
		case string:
			e.tag(tagString)
			e.text(x)
			continue
		}
		if err := e.at("["+strconv.Itoa(i)+"]", x, depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) function(f *Func) error {
	if e.fns == nil {
		return e.refuse("a function")
	}
	id, yours := e.fns.Handle(f)
	if yours {
		e.tag(tagYours)
		e.uint(id)
		return nil
	}
	e.tag(tagMine)
	e.uint(id)
	e.text(f.Name)
	return nil
}

// Step is the property k as a step of a path.
func Step(k string) string {
	for i, c := range k {
		if c != '_' && c != '$' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return "[" + strconv.Quote(k) + "]"
		}
	}
	if k == "" {
		return `[""]`
	}
	return "." + k
}
