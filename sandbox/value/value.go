package value

import (
	"context"
	"fmt"
)

// MaxDepth is how deep values may be nested.
const MaxDepth = 2000

// Undefined is JavaScript's undefined.
type Undefined struct{}

// Hole is an element that an array doesn't have.
type Hole struct{}

// Array is an array. Its length is Length where that is more than Items has:
// what follows Items are holes.
type Array struct {
	Items  []any
	Length int
}

// Object is a plain object: its own enumerable properties in order.
type Object struct {
	Keys   []string
	Values []any
}

// Get is the property key, or Undefined.
func (o *Object) Get(key string) any {
	for i, k := range o.Keys {
		if k == key {
			return o.Values[i]
		}
	}
	return Undefined{}
}

// Set adds a property; key must be new.
func (o *Object) Set(key string, v any) {
	o.Keys, o.Values = append(o.Keys, key), append(o.Values, v)
}

// Map is a Map in the order of insertion.
type Map struct{ Keys, Values []any }

// Set is a Set in the order of insertion.
type Set struct{ Items []any }

// Date is a Date: milliseconds since 1970 UTC, NaN when invalid.
type Date struct{ Millis float64 }

// RegExp is a regular expression.
type RegExp struct{ Source, Flags string }

// Error is an Error of any kind. Cause is Undefined when it has none.
type Error struct {
	Name, Message, Stack string
	Cause                any
}

// Buffer is an ArrayBuffer.
type Buffer struct{ Bytes []byte }

// View is a typed array or a DataView: Length elements of Buffer from the byte Offset.
type View struct {
	Kind           string // such as "Uint8Array"
	Buffer         *Buffer
	Offset, Length int
}

// Func is a function. Call runs it where it lives and waits for the promise that
// it returned; a thrown value is an error.
type Func struct {
	Name string
	Call func(ctx context.Context, args []any) (any, error)

	// Owner and ID tell the codec whose function it is; zero in one made here.
	Owner any
	ID    uint64
}

// Elements is the size of a view's elements in bytes; 0 for an unknown kind.
func Elements(kind string) int {
	switch kind {
	case "Int8Array", "Uint8Array", "Uint8ClampedArray", "DataView":
		return 1
	case "Int16Array", "Uint16Array":
		return 2
	case "Int32Array", "Uint32Array", "Float32Array":
		return 4
	case "Float64Array", "BigInt64Array", "BigUint64Array":
		return 8
	}
	return 0
}

// SerializationError says that a value can't cross. Path leads to it from the
// value that should have crossed, such as "result.list[3]".
type SerializationError struct{ Path, What string }

func (e *SerializationError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s can't leave or enter the sandbox", e.What)
	}
	return fmt.Sprintf("%s at %s can't leave or enter the sandbox", e.What, e.Path)
}
