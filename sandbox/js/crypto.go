package js

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"

	"github.com/dop251/goja"
)

func (v *VM) cryptoNatives() map[string]any {
	return map[string]any{
		"uuid":   func(goja.FunctionCall) goja.Value { return v.rt.ToValue(uuid()) },
		"random": func(c goja.FunctionCall) goja.Value { return v.buffer(random(int(c.Argument(0).ToInteger()))) },
		"digest": func(c goja.FunctionCall) goja.Value {
			h := newHash(c.Argument(0).String())()
			h.Write(bytesOf(c, 1))
			return v.buffer(h.Sum(nil))
		},
		"hmac": func(c goja.FunctionCall) goja.Value { // (hash, key…, data…)
			h := hmac.New(newHash(c.Argument(0).String()), bytesOf(c, 1))
			h.Write(bytesOf(c, 4))
			return v.buffer(h.Sum(nil))
		},
		"equal": func(c goja.FunctionCall) goja.Value { return v.rt.ToValue(hmac.Equal(bytesOf(c, 0), bytesOf(c, 3))) },
	}
}

// newHash is the hash of a name that the prelude has checked.
func newHash(name string) func() hash.Hash {
	switch name {
	case "SHA-1":
		return sha1.New
	case "SHA-384":
		return sha512.New384
	case "SHA-512":
		return sha512.New
	default:
		return sha256.New
	}
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func uuid() string {
	b := random(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
