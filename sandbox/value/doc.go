// Package value is a model in Go of the JavaScript values that may cross between
// the host and a sandbox, and their binary form. Encode and Decode are the entry
// points.
//
// What stands for what:
//
//	undefined      Undefined{}            null          nil
//	boolean        bool                   number        float64
//	string         string                 bigint        *big.Int
//	array          *Array                 plain object  *Object
//	Map, Set       *Map, *Set             Date          *Date
//	RegExp         *RegExp                Error         *Error
//	ArrayBuffer    *Buffer                typed array   *View
//	function       *Func
//
// Encode takes Go's own values too: integers, []any, []byte, map[string]any,
// time.Time. A string holds UTF-8 or, where a JavaScript string has a lone
// surrogate, its three bytes as UTF-8 would have them (WTF-8).
//
// Invariants:
//   - Pointers are identities: what is shared or cyclic before is so after.
//   - Decode never allocates more than a small multiple of its input, and neither
//     Encode nor Decode recurses deeper than MaxDepth: what a worker sends can't
//     harm the host.
package value
