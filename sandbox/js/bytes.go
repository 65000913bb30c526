package js

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja_nodejs/url"
)

func (v *VM) bytesNatives() map[string]any {
	return map[string]any{
		"utf8Encode": func(c goja.FunctionCall) goja.Value { return v.buffer([]byte(c.Argument(0).String())) },
		"utf8Decode": v.nativeUTF8Decode,
		"toBase64": func(c goja.FunctionCall) goja.Value {
			return v.rt.ToValue(base64.StdEncoding.EncodeToString(bytesOf(c, 0)))
		},
		"fromBase64": v.nativeFromBase64,
	}
}

// urlNatives adds URL and URLSearchParams.
func (v *VM) urlNatives(all map[string]any) {
	module := v.rt.NewObject()
	exports := v.rt.NewObject()
	v.must(module.Set("exports", exports))
	url.Require(v.rt, module)
	all["URL"], all["URLSearchParams"] = exports.Get("URL"), exports.Get("URLSearchParams")
}

func (v *VM) buffer(b []byte) goja.Value { return v.rt.ToValue(v.rt.NewArrayBuffer(b)) }

// bytesOf is the bytes of the arguments (buffer, offset, length) from at on. They
// are the buffer's own: copy what outlives the task.
func bytesOf(c goja.FunctionCall, at int) []byte {
	buffer, ok := c.Argument(at).Export().(goja.ArrayBuffer)
	if !ok {
		return nil
	}
	offset, length := int(c.Argument(at+1).ToInteger()), int(c.Argument(at+2).ToInteger())
	return buffer.Bytes()[offset : offset+length]
}

// nativeUTF8Decode is (buffer, offset, length, fatal): undefined when fatal and invalid.
func (v *VM) nativeUTF8Decode(c goja.FunctionCall) goja.Value {
	b := bytesOf(c, 0)
	if utf8.Valid(b) {
		return v.rt.ToValue(string(b))
	}
	if c.Argument(3).ToBoolean() {
		return goja.Undefined()
	}
	return v.rt.ToValue(replaceInvalid(b))
}

// replaceInvalid writes U+FFFD for each maximal part of an ill-formed sequence,
// as the Encoding standard asks, where strings.ToValidUTF8 writes one for a run.
func replaceInvalid(b []byte) string {
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = truncated(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// truncated is the length of the ill-formed sequence at the start of b: as many
// bytes as begin some valid character.
func truncated(b []byte) int {
	for n := min(3, len(b)); n > 1; n-- {
		for _, fill := range [...]byte{0x80, 0x90, 0x8f, 0x9f, 0xa0, 0xbf} {
			try := append([]byte(nil), b[:n]...)
			for len(try) < utf8.UTFMax {
				try = append(try, fill)
				if r, size := utf8.DecodeRune(try); r != utf8.RuneError && size == len(try) {
					return n
				}
			}
		}
	}
	return 1
}

func (v *VM) nativeFromBase64(c goja.FunctionCall) goja.Value {
	text := strings.TrimRight(c.Argument(0).String(), "=")
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		if b, err = base64.RawURLEncoding.DecodeString(text); err != nil {
			return goja.Undefined()
		}
	}
	return v.buffer(b)
}
