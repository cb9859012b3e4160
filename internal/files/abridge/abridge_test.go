package abridge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/abridge"
)

func abridged(line string, size int) (string, bool) {
	var a abridge.Abridger
	a.Reset()
	for piece := range slices.Chunk([]byte(line), size) {
		a.Write(piece)
	}
	short, ok := a.Line()
	return string(short), ok
}

// most is the maximum size of a short line.
const most = abridge.HardLimit + abridge.KeepString + 2*abridge.KeepShort

func TestAbridge(t *testing.T) {
	long := strings.Repeat("A", 3*abridge.KeepString)
	cut := long[:abridge.KeepString] + "…"
	elements := strings.Repeat(`{"type":"text","text":"x"},`, 5000) + `{"type":"end"}`
	for _, tc := range []struct {
		name, line, want string
		broken           bool
	}{
		{name: "nothing to cut", line: `{ "a" : [ 1 , true , null , "x\"y" , -2.5e3 , {} , [ ] ] }`, want: `{"a":[1,true,null,"x\"y",-2.5e3,{},[]]}`},
		{name: "a long string", line: `{"type":"x","text":"` + long + `","id":"c1"}`, want: `{"type":"x","text":"` + cut + `","id":"c1"}`},
		{name: "several", line: `{"a":{"t":"` + long + `"},"b":["` + long + `","` + long + `"],"id":7}`, want: `{"a":{"t":"` + cut + `"},"b":["` + cut + `","` + cut + `"],"id":7}`},
		{name: "cut behind an escape", line: `{"t":"` + strings.Repeat(`A`, abridge.KeepString-1) + `\u00e9\nx"}`, want: `{"t":"` + strings.Repeat(`A`, abridge.KeepString-1) + `\u00e9…"}`},
		{name: "cut behind a character", line: `{"t":"` + strings.Repeat(`A`, abridge.KeepString-1) + `😀x"}`, want: `{"t":"` + strings.Repeat(`A`, abridge.KeepString-1) + `😀…"}`},
		{name: "a quote behind backslashes", line: `{"t":"` + strings.Repeat(`\\\"`, abridge.KeepString) + `","id":1}`, want: `{"t":"` + strings.Repeat(`\\\"`, abridge.KeepString/4) + `…","id":1}`},
		{name: "a long key", line: `{"` + long + `":1,"b":2}`, want: `{"` + long[:abridge.KeepShort] + `…":1,"b":2}`},
		{name: "server-sent event", line: `data: {"a":"` + long + `"}`, want: `data:{"a":"` + cut + `"}`},
		{name: "two objects", line: `{"a":1} {"b":2}`, want: `{"a":1}{"b":2}`},
		{name: "zeros around", line: "\x00{\"a\":1}\x00", want: `{"a":1}`},
		{name: "words", line: long, broken: true},
		{name: "torn", line: `{"a":"` + long, broken: true},
		{name: "torn in a dropped part", line: `{"c":[` + elements, broken: true},
		{name: "words behind", line: `{"a":1}` + long, broken: true},
		{name: "wrong bracket", line: `{"a":[1}}`, broken: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, size := range []int{1, 7, 4096, 1 << 20} {
				got, ok := abridged(tc.line, size)
				require.Equal(t, !tc.broken, ok, "pieces of %d", size)
				if ok {
					require.Equal(t, tc.want, got, "pieces of %d", size)
				}
			}
		})
	}
}

func TestAbridgeWhatIsLongWithoutLongStrings(t *testing.T) {
	elements := strings.Repeat(`{"type":"text","text":"x"},`, 50_000) + `{"type":"end"}`
	deep := strings.Repeat(`{"a":`, 100) + strings.Repeat(`[1,`, 20_000) + `1` + strings.Repeat(`]`, 20_000) + strings.Repeat(`}`, 100)
	for name, line := range map[string]string{
		"elements": `{"type":"t","message":{"content":[` + elements + `],"usage":{"n":1,"in":{"deep":{"deeper":1}},"many":[1,2]}},"id":"c1","long":"` + strings.Repeat("A", 1000) + `"}`,
		"numbers":  `{"type":"t","message":{"content":[` + strings.Repeat("1234,", 50_000) + `1]},"id":"c1"}`,
		"deep":     `{"type":"t","message":` + deep + `,"id":"c1"}`,
		"keys":     `{"type":"t","message":{"a":{"b":{"c":{` + strings.Repeat(`"k":1,`, 50_000) + `"k":1}}}},"id":"c1"}`,
		"digits":   `{"type":"t","n":1` + strings.Repeat("0", 1<<20) + `,"id":"c1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, json.Valid([]byte(line)) || name == "deep")
			short, ok := abridged(line, 4096)
			require.True(t, ok)
			var got struct{ Type, ID, Long string }
			require.NoError(t, json.Unmarshal([]byte(short), &got), short[len(short)-200:])
			assert.Equal(t, "t", got.Type)
			assert.Equal(t, "c1", got.ID)
			assert.LessOrEqual(t, len(short), most)
			if name == "elements" {
				assert.Contains(t, short, `"usage":{"n":1,"in":{"deep":{"deeper":1}}}`[:len(`"usage":{"n":1,"in":{`)])
				assert.NotContains(t, short, "many")
				assert.Equal(t, strings.Repeat("A", abridge.KeepShort)+"…", got.Long)
			}
		})
	}
}

// Many top-level members, or many objects, exceed the limit; they are bounded all the same.
func TestAbridgeIsBounded(t *testing.T) {
	for name, line := range map[string]string{
		"members": `{"a":0` + strings.Repeat(`,"k":"v"`, 100_000) + `}`,
		"objects": strings.Repeat(`{"a":1}`, 100_000),
		"strings": `{"a":0` + strings.Repeat(`,"k":"`+strings.Repeat("x", abridge.KeepString)+`"`, 100) + `}`,
	} {
		short, ok := abridged(line, 4096)
		require.True(t, ok, name)
		assert.LessOrEqual(t, len(short), most, name)
		dec := json.NewDecoder(strings.NewReader(short))
		for dec.More() {
			var v any
			require.NoError(t, dec.Decode(&v), name)
		}
	}
}

// FuzzAbridge holds:
//   - a valid object or array gives a valid one, which is bounded; one that needs no cutting stays as it is, but for blanks
//   - how a line is cut into pieces makes no difference
//   - short members of the outermost object stay, as long as the short line has room
//   - no bytes at all make it panic, or grow
func FuzzAbridge(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b",{"c":null}]}`, `[{"a":1}]`, `data: {"a":1}`, `{"a":"\u00e9\\\"😀"}`, `{"a":tru`, `{}{}`, `[[[[[[]]]]]]`} {
		f.Add([]byte(seed), uint16(3), uint16(1))
		f.Add([]byte(seed), uint16(1), uint16(20_000))
	}
	f.Fuzz(func(t *testing.T, data []byte, size, times uint16) {
		data = bytes.ReplaceAll(data, []byte("\n"), nil)
		line := string(data)
		if n := int(times) % 3000; n > 1 && len(data)*n < 1<<20 { // long ones: the fuzzer's input, repeated
			line = `{"first":1,"all":[` + strings.Repeat(line+",", n) + line + `],"last":"z"}`
		}
		got, ok := abridged(line, int(size)+1)
		whole, same := abridged(line, 1<<30)
		require.Equal(t, whole, got)
		require.Equal(t, same, ok)
		require.LessOrEqual(t, len(got), most)
		trimmed := bytes.TrimSpace([]byte(line))
		if !json.Valid(trimmed) || trimmed[0] != '{' && trimmed[0] != '[' {
			return
		}
		require.True(t, ok)
		require.True(t, json.Valid([]byte(got)), got)
		if len(line) < abridge.KeepShort {
			var want bytes.Buffer
			require.NoError(t, json.Compact(&want, trimmed))
			require.Equal(t, want.String(), got)
		}
		if strings.HasPrefix(line, `{"first":1,"all":[`) && times > 1 {
			require.Contains(t, got, `"first":1`)
			require.Contains(t, got, `"last":"z"`)
		}
	})
}

func BenchmarkAbridge(b *testing.B) {
	for name, unit := range map[string]string{"plain": "some words, ", "escapes": `a \"word\"\n`} {
		b.Run("text="+name, func(b *testing.B) {
			line := fmt.Appendf(nil, `{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]},"id":"c1"}`, strings.Repeat(unit, 1<<20))
			var a abridge.Abridger
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				a.Reset()
				a.Write(line)
			}
		})
	}
}
