package value

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
)

// ErrMalformed says that bytes aren't an encoded value.
var ErrMalformed = errors.New("an encoded value is malformed")

// maxBigDigits bounds what a bigint's decimal text may cost to read.
const maxBigDigits = 1 << 20

type decoder struct {
	in   []byte
	fns  Functions
	refs []any
}

// Decode reads one value and nothing after it.
func Decode(in []byte, fns Functions) (v any, err error) {
	d := &decoder{in: in, fns: fns}
	defer func() {
		if x := recover(); x != nil {
			if x != any(ErrMalformed) {
				panic(x)
			}
			v, err = nil, ErrMalformed
		}
	}()
	v = d.value(0)
	if len(d.in) > 0 {
		return nil, ErrMalformed
	}
	return v, nil
}

// broken unwinds to Decode, which returns ErrMalformed.
func broken() { panic(ErrMalformed) }

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.in)) {
		broken()
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		broken()
	}
	d.in = d.in[n:]
	return v
}

// count reads a number of things that take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.uint()
	if n > uint64(len(d.in)/size) {
		broken()
	}
	return int(n)
}

func (d *decoder) text() string { return string(d.bytes(d.uint())) }
func (d *decoder) float() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(d.bytes(8)))
}

func (d *decoder) value(depth int) any {
	if depth > MaxDepth+1 {
		broken()
	}
	switch t := tag(d.bytes(1)[0]); t {
	case tagUndefined:
		return Undefined{}
	case tagNull:
		return nil
	case tagFalse:
		return false
	case tagTrue:
		return true
	case tagNumber:
		return d.float()
	case tagInt:
		v, n := binary.Varint(d.in)
		if n <= 0 {
			broken()
		}
		d.in = d.in[n:]
		return float64(v)
	case tagBigInt:
		text := d.text()
		if len(text) > maxBigDigits {
			broken()
		}
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			broken()
		}
		return n
	case tagString:
		return d.text()
	case tagRef:
		n := d.uint()
		if n >= uint64(len(d.refs)) {
			broken()
		}
		return d.refs[n]
	case tagMine:
		return d.remote()
	case tagYours:
		return d.own()
	default:
		return d.reference(t, depth)
	}
}

func (d *decoder) remote() any {
	id, name := d.uint(), d.text()
	if d.fns == nil {
		broken()
	}
	return d.fns.Remote(id, name)
}

func (d *decoder) own() any {
	id := d.uint()
	if d.fns == nil {
		broken()
	}
	f := d.fns.Own(id)
	if f == nil {
		broken()
	}
	return f
}

func (d *decoder) keep(v any) { d.refs = append(d.refs, v) }

func (d *decoder) reference(t tag, depth int) any {
	switch t {
	case tagArray:
		return d.array(depth)
	case tagObject:
		o := &Object{}
		d.keep(o)
		for n := d.count(2); n > 0; n-- {
			o.Set(d.text(), d.value(depth+1))
		}
		return o
	case tagMap:
		m := &Map{}
		d.keep(m)
		for n := d.count(2); n > 0; n-- {
			m.Keys = append(m.Keys, d.value(depth+1))
			m.Values = append(m.Values, d.value(depth+1))
		}
		return m
	case tagSet:
		s := &Set{}
		d.keep(s)
		for n := d.count(1); n > 0; n-- {
			s.Items = append(s.Items, d.value(depth+1))
		}
		return s
	case tagDate:
		v := &Date{Millis: d.float()}
		d.keep(v)
		return v
	case tagRegExp:
		r := &RegExp{Source: d.text(), Flags: d.text()}
		d.keep(r)
		return r
	case tagError:
		e := &Error{Name: d.text(), Message: d.text(), Stack: d.text()}
		d.keep(e)
		e.Cause = d.value(depth + 1)
		return e
	case tagBuffer:
		b := &Buffer{Bytes: append([]byte{}, d.bytes(d.uint())...)}
		d.keep(b)
		return b
	case tagView:
		return d.view(depth)
	default:
		broken()
		return nil
	}
}

func (d *decoder) array(depth int) any {
	length := d.uint()
	n := d.count(1)
	if length > math.MaxUint32 || length < uint64(n) {
		broken()
	}
	a := &Array{Length: int(length)}
	d.keep(a)
	for range n {
		if len(d.in) > 0 && tag(d.in[0]) == tagHole {
			d.in = d.in[1:]
			a.Items = append(a.Items, Hole{})
			continue
		}
		a.Items = append(a.Items, d.value(depth+1))
	}
	return a
}

func (d *decoder) view(depth int) any {
	v := &View{Kind: d.text()}
	d.keep(v)
	offset, length := d.uint(), d.uint()
	buffer, ok := d.value(depth + 1).(*Buffer)
	size := uint64(Elements(v.Kind))
	if !ok || size == 0 {
		broken()
	}
	total := uint64(len(buffer.Bytes))
	if offset > total || offset%size != 0 || length > (total-offset)/size {
		broken()
	}
	v.Buffer, v.Offset, v.Length = buffer, int(offset), int(length)
	return v
}
