package js

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/sideb-dev/sideb/sandbox/value"
)

// intrinsics are what conversions use of a runtime, taken before untrusted code
// can change any of it.
type intrinsics struct {
	rt           *goja.Runtime
	object       *goja.Object // Object.prototype
	dataView     *goja.Object // DataView.prototype
	constructors map[string]goja.Value

	mapEach, mapSet, setEach, setAdd, getTime goja.Callable
	tag, buffer, offset, length               goja.Callable // of typed arrays
	viewBuffer, viewOffset, viewLength        goja.Callable // of DataView
}

const takeSource = `(() => {
  const get = (o, k) => Object.getOwnPropertyDescriptor(o, k).get;
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  return [Map.prototype.forEach, Map.prototype.set, Set.prototype.forEach, Set.prototype.add, Date.prototype.getTime,
    get(typed, Symbol.toStringTag), get(typed, "buffer"), get(typed, "byteOffset"), get(typed, "length"),
    get(DataView.prototype, "buffer"), get(DataView.prototype, "byteOffset"), get(DataView.prototype, "byteLength")];
})()`

func (m *intrinsics) take(rt *goja.Runtime) error {
	list, err := rt.RunString(takeSource)
	if err != nil {
		return err
	}
	for k, f := range []*goja.Callable{&m.mapEach, &m.mapSet, &m.setEach, &m.setAdd, &m.getTime,
		&m.tag, &m.buffer, &m.offset, &m.length, &m.viewBuffer, &m.viewOffset, &m.viewLength} {
		var ok bool
		if *f, ok = goja.AssertFunction(list.ToObject(rt).Get(strconv.Itoa(k))); !ok {
			return errors.New("an intrinsic isn't a function")
		}
	}
	m.rt, m.constructors = rt, map[string]goja.Value{}
	for _, name := range []string{"Map", "Set", "Date", "RegExp", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array",
		"Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
		"Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"} {
		m.constructors[name] = rt.Get(name)
	}
	m.object = rt.NewObject().Prototype()
	m.dataView = rt.Get("DataView").ToObject(rt).Get("prototype").ToObject(rt)
	return nil
}

func must(v goja.Value, err error) goja.Value {
	raise(err)
	return v
}

func (m *intrinsics) millis(v *goja.Object) float64 { return must(m.getTime(v)).ToFloat() }

// entries are a Map's pairs. The callback is native, so nothing of the map's
// owner runs meanwhile.
func (m *intrinsics) entries(v *goja.Object) (list [][2]goja.Value) {
	must(m.mapEach(v, m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		list = append(list, [2]goja.Value{c.Argument(1), c.Argument(0)})
		return goja.Undefined()
	})))
	return list
}

func (m *intrinsics) items(v *goja.Object) (list []goja.Value) {
	must(m.setEach(v, m.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		list = append(list, c.Argument(0))
		return goja.Undefined()
	})))
	return list
}

// viewKind is the kind of a typed array or DataView, else "".
func (m *intrinsics) viewKind(v *goja.Object) string {
	if v.Prototype() == m.dataView {
		return "DataView"
	}
	kind := textOf(must(m.tag(v)))
	if value.Elements(kind) == 0 {
		return ""
	}
	return kind
}

func (m *intrinsics) viewParts(v *goja.Object, kind string) (goja.Value, int, int) {
	if kind == "DataView" {
		return must(m.viewBuffer(v)), int(must(m.viewOffset(v)).ToInteger()), int(must(m.viewLength(v)).ToInteger())
	}
	return must(m.buffer(v)), int(must(m.offset(v)).ToInteger()), int(must(m.length(v)).ToInteger())
}

// wtf8 is a string's text; a lone surrogate is the three bytes that UTF-8 would
// have for it.
func wtf8(s goja.String) string {
	text := s.String()
	if !strings.ContainsRune(text, utf8.RuneError) {
		return text
	}
	var b []byte
	for at := 0; at < s.Length(); at++ {
		c := rune(s.CharAt(at))
		if utf16.IsSurrogate(c) {
			if at+1 < s.Length() {
				if full := utf16.DecodeRune(c, rune(s.CharAt(at+1))); full != utf8.RuneError {
					b, at = utf8.AppendRune(b, full), at+1
					continue
				}
			}
			b = append(b, 0xe0|byte(c>>12), 0x80|byte(c>>6)&0xbf, 0x80|byte(c)&0xbf)
			continue
		}
		b = utf8.AppendRune(b, c)
	}
	return string(b)
}

// stringValue is the string of wtf8's text.
func stringValue(rt *goja.Runtime, text string) goja.Value {
	if utf8.ValidString(text) {
		return rt.ToValue(text)
	}
	var units []uint16
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			if at+2 < len(text) && text[at] == 0xed && text[at+1] >= 0xa0 {
				units = append(units, uint16(text[at]&0x0f)<<12|uint16(text[at+1]&0x3f)<<6|uint16(text[at+2]&0x3f))
				at += 3
				continue
			}
			units, at = append(units, utf8.RuneError), at+1
			continue
		}
		units, at = utf16.AppendRune(units, r), at+n
	}
	return goja.StringFromUTF16(units)
}
