package opencodedb

// In the package itself, because opening a database takes a hundred times as long as converting a row.

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxFuzzed keeps inputs short, because the fuzzer tries to remove every part of one.
const maxFuzzed = 48

// FuzzRow converts rows of any column content and declared type: each is one JSON object on one line, with every column, and
// texts, numbers and nulls are unchanged.
func FuzzRow(f *testing.F) {
	f.Add([]byte(`{"type":"text"}`), uint8(3), int64(7), 1.5)
	f.Add([]byte("a\nb\"c\\\x00\xff\u2028<&>"), uint8(4), int64(math.MinInt64), math.Inf(1))
	f.Add([]byte{}, uint8(0), int64(0), math.NaN())
	f.Add([]byte{0xed, 0xa0, 0x80}, uint8(11), int64(-1), math.Copysign(0, -1))
	f.Fuzz(func(t *testing.T, text []byte, which uint8, n int64, number float64) {
		if len(text) > maxFuzzed {
			return
		}
		k := kind(which % uint8(kindEnd))
		columns := tables[k].columns
		of := [...]any{nil, n, number, string(text), text, true}
		values := make([]any, len(columns))
		for i := range values {
			values[i] = of[(int(which)+i)%len(of)]
		}
		row, err := makeRow(k, columns, values)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		dec := json.NewDecoder(bytes.NewReader(row.Data))
		dec.UseNumber()
		if err := dec.Decode(&got); err != nil || dec.More() || bytes.IndexByte(row.Data, '\n') >= 0 || len(got) != len(columns)+1 || got["table"] != tables[k].name {
			t.Fatalf("%v in %q", err, row.Data)
		}
		for i, column := range columns {
			if !same(values[i], got[column]) {
				t.Fatalf("column %q is %v, was %v", column, got[column], values[i])
			}
		}
	})
}

// same reports whether a value was read back as it was.
func same(was, is any) bool {
	switch was := was.(type) {
	case int64:
		n, err := is.(json.Number).Int64()
		return err == nil && n == was
	case float64:
		if math.IsInf(was, 0) || math.IsNaN(was) {
			return is == nil
		}
		n, err := is.(json.Number).Float64()
		return err == nil && n == was
	case []byte:
		return same(string(was), is)
	case string:
		text, ok := is.(string)
		return ok && (text == was || !utf8.ValidString(was) && strings.Contains(text, "\ufffd"))
	default:
		return was == is
	}
}
