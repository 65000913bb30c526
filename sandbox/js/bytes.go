package js

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/net/idna"
)

func (v *VM) bytesNatives() map[string]any {
	return map[string]any{
		"utf8Encode": func(c goja.FunctionCall) goja.Value { return v.buffer([]byte(c.Argument(0).String())) },
		"utf8Decode": v.nativeUTF8Decode,
		"toBase64": func(c goja.FunctionCall) goja.Value {
			return v.rt.ToValue(base64.StdEncoding.EncodeToString(bytesOf(c, 0)))
		},
		"fromBase64": v.nativeFromBase64, "domainToASCII": v.nativeDomainToASCII, "ipv6": v.nativeIPv6,
	}
}

// nativeDomainToASCII is (name): its ASCII form, lower case; "" when it has none.
func (v *VM) nativeDomainToASCII(c goja.FunctionCall) goja.Value {
	name, err := idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false)).ToASCII(c.Argument(0).String())
	if err != nil {
		name = ""
	}
	return v.rt.ToValue(name)
}

// nativeIPv6 is (text): the address in its shortest form, or undefined.
func (v *VM) nativeIPv6(c goja.FunctionCall) goja.Value {
	addr, err := netip.ParseAddr(c.Argument(0).String())
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return goja.Undefined()
	}
	if !addr.Is4In6() {
		return v.rt.ToValue(addr.String())
	}
	b := addr.As16()
	return v.rt.ToValue(fmt.Sprintf("::ffff:%x:%x", uint16(b[12])<<8|uint16(b[13]), uint16(b[14])<<8|uint16(b[15])))
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
