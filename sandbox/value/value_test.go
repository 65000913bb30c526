package value

import (
	"bytes"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
)

// table gives its functions numbers.
type table struct{ byID map[uint64]*Func }

func (t *table) Handle(f *Func) (uint64, bool) {
	if f.Owner == any(t) {
		return f.ID, true
	}
	t.byID[uint64(len(t.byID)+1)] = f
	return uint64(len(t.byID)), false
}
func (t *table) Remote(id uint64, name string) *Func { return &Func{ID: id, Name: name, Owner: t} }
func (t *table) Own(id uint64) *Func                 { return t.byID[id] }

func newTable() *table { return &table{byID: map[uint64]*Func{}} }

func samples() []any {
	cycle := &Object{}
	cycle.Set("self", cycle)
	cycle.Set("list", &Array{Items: []any{cycle, Hole{}, 1.0}, Length: 3})
	buffer := &Buffer{Bytes: []byte{1, 2, 3, 4, 5, 6, 7, 8}}
	return []any{
		nil, Undefined{}, true, false, 0.0, 1.5, -7.0, 1e300, math.Inf(-1), "", "ä€😀", "a\xed\xa0\x80b",
		big.NewInt(-5), new(big.Int).Lsh(big.NewInt(1), 200), &Array{}, &Array{Length: 1 << 30}, cycle,
		&Map{Keys: []any{"k", nil}, Values: []any{1.0, &Set{Items: []any{Undefined{}}}}}, &Date{Millis: 5}, &RegExp{Source: "a", Flags: "gi"},
		&Error{Name: "TypeError", Message: "m", Stack: "s", Cause: Undefined{}}, buffer,
		&Array{Items: []any{&View{Kind: "Uint16Array", Buffer: buffer, Offset: 2, Length: 3}, buffer}, Length: 2},
		&Object{Keys: []string{"$type", "__proto__", ""}, Values: []any{"x", 1.0, nil}},
		&Func{Name: "f", ID: 1},
	}
}

// same compares encoded forms: the model has cycles.
func same(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := Encode(a, "", newTable())
	if err != nil {
		t.Fatal(err)
	}
	y, err := Encode(b, "", newTable())
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(x, y)
}

func TestValuesSurviveBothForms(t *testing.T) {
	for _, v := range samples() {
		raw, err := Encode(v, "", newTable())
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		back, err := Decode(raw, newTable())
		if err != nil || reflect.TypeOf(back) != reflect.TypeOf(v) {
			t.Errorf("%T became %T: %v", v, back, err)
		}
		if _, fn := v.(*Func); !fn && !same(t, v, back) {
			t.Errorf("%v became %v", v, back)
		}
		text, err := AppendJSON(nil, v, "", newTable())
		if err != nil {
			t.Fatalf("%v: %v", v, err)
		}
		read, err := FromJSON(text, newTable())
		if _, fn := v.(*Func); err != nil || !fn && !same(t, v, read) {
			t.Errorf("%s became %v: %v", text, read, err)
		}
	}
}

func TestZeroAndNaN(t *testing.T) {
	for _, f := range []float64{math.Copysign(0, -1), math.NaN(), math.Inf(1)} {
		raw, _ := Encode(f, "", nil)
		text, _ := AppendJSON(nil, f, "", nil)
		for _, back := range []func() (any, error){func() (any, error) { return Decode(raw, nil) }, func() (any, error) { return FromJSON(text, nil) }} {
			v, err := back()
			got, _ := v.(float64)
			if err != nil || math.Float64bits(got) != math.Float64bits(f) && !(math.IsNaN(got) && math.IsNaN(f)) {
				t.Errorf("%v became %v: %v", f, v, err)
			}
		}
	}
}

func TestIdentityOfFunctions(t *testing.T) {
	mine, theirs := newTable(), newTable()
	f := &Func{Name: "f"}
	raw, _ := Encode(&Array{Items: []any{f}}, "", mine)
	there, err := Decode(raw, theirs)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ = Encode(there.(*Array).Items[0], "", theirs)
	back, err := Decode(raw, mine)
	if err != nil || back != any(f) {
		t.Fatalf("%v %v", back, err)
	}
}

func TestGoValues(t *testing.T) {
	raw, err := AppendJSON(nil, map[string]any{"b": []any{1, int64(2), nil}, "a": "x"}, "", nil)
	if err != nil || string(raw) != `{"a":"x","b":[1,2,null]}` {
		t.Fatalf("%s %v", raw, err)
	}
}

func TestRefusalsNameThePath(t *testing.T) {
	for want, v := range map[string]any{
		`root.a["b c"][1] `: map[string]any{"a": map[string]any{"b c": []any{1, make(chan int)}}},
		"root.value(0) ":    &Map{Keys: []any{"k"}, Values: []any{struct{}{}}},
		"root.cause ":       &Error{Cause: &Func{}},
	} {
		if _, err := Encode(v, "root", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	var v any = 1.0
	for range MaxDepth + 2 {
		v = &Array{Items: []any{v}, Length: 1}
	}
	if _, err := Encode(v, "", nil); err == nil {
		t.Error("a value that is too deep was encoded")
	}
	if _, err := AppendJSON(nil, v, "", nil); err == nil {
		t.Error("a value that is too deep was written")
	}
	deep := bytes.Repeat([]byte{byte(tagArray), 1, 1}, 1_000_000)
	if _, err := Decode(deep, nil); err == nil {
		t.Error("a value that is too deep was decoded")
	}
	if _, err := FromJSON([]byte(strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), nil); err == nil {
		t.Error("a value that is too deep was read")
	}
}

// Bytes from a worker that was taken over must not harm the host.
func TestMalformed(t *testing.T) {
	for name, raw := range map[string][]byte{
		"empty": {}, "unknown tag": {0}, "cut number": {byte(tagNumber), 1}, "long string": {byte(tagString), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"huge array": {byte(tagArray), 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f}, "bad reference": {byte(tagRef), 9}, "trailing": {byte(tagNull), byte(tagNull)},
		"a view without a buffer": {byte(tagView), 1, 'x', 0, 0, byte(tagNull)}, "function": {byte(tagMine), 1, 0}, "foreign function": {byte(tagYours), 1},
	} {
		if v, err := Decode(raw, nil); err == nil {
			t.Errorf("%s: %v", name, v)
		}
	}
	for _, text := range []string{``, `{"$type":"x"}`, `{"$type":"ref","id":3}`, `{"$type":"Uint8Array","offset":9,"length":9,"buffer":{"$type":"ArrayBuffer","base64":""}}`, `{"$type":"Map","entries":[1]}`, `[`, `{"$type":"function","id":1}`} {
		if v, err := FromJSON([]byte(text), nil); err == nil {
			t.Errorf("%s: %v", text, v)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range samples() {
		raw, err := Encode(v, "", newTable())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := Decode(raw, newTable())
		if err != nil {
			return
		}
		if _, err := Encode(v, "", newTable()); err != nil {
			t.Fatalf("what was decoded can't be encoded: %v", err)
		}
	})
}

func FuzzFromJSON(f *testing.F) {
	for _, v := range samples() {
		raw, err := AppendJSON(nil, v, "", newTable())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if v, err := FromJSON(raw, newTable()); err == nil {
			_, _ = AppendJSON(nil, v, "", newTable()) // no panic
		}
	})
}
