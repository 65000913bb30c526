package provider

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// jsonWriter appends JSON. Requests are written with it rather than through the
// libraries' parameter types: it costs a tenth, and raw schemas and extras pass
// as they were given.
type jsonWriter struct {
	b    []byte
	more bool // a value has been written at this level
}

func (w *jsonWriter) sep() {
	if w.more {
		w.b = append(w.b, ',')
	}
	w.more = true
}

func (w *jsonWriter) open(c byte)  { w.sep(); w.b = append(w.b, c); w.more = false }
func (w *jsonWriter) close(c byte) { w.b = append(w.b, c); w.more = true }

func (w *jsonWriter) key(k string) {
	w.sep()
	w.b = append(append(append(w.b, '"'), k...), '"', ':')
	w.more = false
}

// keyOpen begins the object or array that is k's value.
func (w *jsonWriter) keyOpen(k string, c byte) { w.key(k); w.open(c) }

func (w *jsonWriter) str(k, v string) { w.key(k); w.text(v) }
func (w *jsonWriter) raw(k string, v []byte) {
	w.key(k)
	w.b = append(w.b, v...)
	w.more = true
}
func (w *jsonWriter) num(k string, v int)   { w.raw(k, strconv.AppendInt(nil, int64(v), 10)) }
func (w *jsonWriter) bool(k string, v bool) { w.raw(k, strconv.AppendBool(nil, v)) }

// dataURL writes v as a base64 data URL.
func (w *jsonWriter) dataURL(k, mediaType string, v []byte) {
	w.key(k)
	w.b = appendString(w.b, "data:"+mediaType+";base64,")
	w.b = w.b[:len(w.b)-1] // the value goes on
	w.b = base64.StdEncoding.AppendEncode(w.b, v)
	w.b = append(w.b, '"')
	w.more = true
}

// text writes s as a JSON string value.
func (w *jsonWriter) text(s string) {
	w.sep()
	w.b = appendString(w.b, s)
}

// base64 writes v as a base64 string.
func (w *jsonWriter) base64(k string, v []byte) {
	w.key(k)
	w.b = append(base64.StdEncoding.AppendEncode(append(w.b, '"'), v), '"')
	w.more = true
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[start:i]...), `\ufffd`...)
				start = i + 1
			}
			i += size
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

// extras are the top-level fields that providerOptions add; they win over ours.
type extras map[string]json.RawMessage

func readExtras(raw json.RawMessage) (extras, error) {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == "{}" {
		return nil, nil
	}
	var x extras
	err := json.Unmarshal(raw, &x)
	return x, err
}

func (x extras) has(k string) bool { _, ok := x[k]; return ok }

// write appends the extras to an open object, in alphabetical order so that equal
// requests have equal bytes.
func (x extras) write(w *jsonWriter) {
	for _, k := range slices.Sorted(maps.Keys(x)) {
		w.sep()
		w.b = append(appendString(w.b, k), ':')
		w.b = append(w.b, x[k]...)
	}
}
