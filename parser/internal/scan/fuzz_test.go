package scan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// FuzzScan checks, against encoding/json:
//   - everything that json.Valid accepts is accepted, whether skipped or walked; everything rejected is rejected by json.Valid
//   - walking yields the same keys, the same raw spans and the same texts, in the same order
//   - no input makes the scanner panic or move past its end
func FuzzScan(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(scanAny)
}

func scanAny(t *testing.T, data []byte) {
	valid := json.Valid(data)
	var s scan.Scanner
	for _, walk := range []bool{false, true} {
		s.Reset(data)
		if walk {
			walkValue(&s)
		} else {
			s.Skip()
		}
		whole := s.Err() == nil && len(s.Rest()) == 0
		if valid {
			require.True(t, whole, "valid JSON refused (walk=%v)", walk)
		}
		require.LessOrEqual(t, s.Offset(), len(data))
	}
	if valid {
		s.Reset(data)
		compare(t, &s, data)
	}
}

// TestRecordedLines checks what FuzzScan and FuzzUnescape check for every line of the recordings, of which those have only a
// few as seeds.
func TestRecordedLines(t *testing.T) {
	for _, line := range recordedLines(t) {
		scanAny(t, line)
		unescapeAny(t, line)
	}
}

// FuzzUnescape checks:
//   - every JSON string has the text that encoding/json gives it, and any bytes yield valid UTF-8
//   - TextLen is the length of that text, and Hash depends only on it
//   - a head is a beginning of it, no shorter than its limit, without a cut character, and the rest yields the rest
func FuzzUnescape(f *testing.F) {
	for _, seed := range []string{"", "plain", `a\nb`, `\ud83d\ude00`, `\ud83d`, `\udc00x`, `\ud83d\ud83d\ude00`, `\u00e9\/\"\\`, "\xff\xfe", `\x`, `\u12`, `\`, `é`, `a\]b\`, `a\n`, `a\\n`, `a\u000A`} {
		f.Add([]byte(seed))
		f.Add([]byte(strings.Repeat("0123456789", 7)[:70-len(seed)/2] + seed + seed))
		f.Add([]byte(strings.Repeat(seed, 40)))
	}
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(unescapeAny)
}

func unescapeAny(t *testing.T, body []byte) {
	got := string(scan.AppendString(nil, body))
	require.Equal(t, got, string(bytes.ToValidUTF8([]byte(got), nil)), "text is no valid UTF-8")
	require.Equal(t, len(got), scan.TextLen(body))
	for _, limit := range []int{0, 1, 7, 8, 20, 100, len(got)} {
		head, rest := scan.AppendHead([]byte("before"), body, limit)
		head = bytes.TrimPrefix(head, []byte("before"))
		require.GreaterOrEqual(t, len(head), min(limit, len(got)))
		require.LessOrEqual(t, len(head), 3*(limit+80))
		require.Equal(t, got, string(head)+string(scan.AppendString(nil, rest)), "cut at %d", limit)
	}
	var a scan.Strings
	quoted := []byte(`"` + string(body) + `"`)
	require.Equal(t, strings.HasSuffix(got, "\n"), scan.EndsLine(body))
	for n := range min(len(body)+1, 64) {
		tail := scan.Tail(body, n)
		require.GreaterOrEqual(t, len(tail), n)
		begin := scan.AppendString(nil, body[:len(body)-len(tail)])
		require.Equal(t, got, string(scan.AppendString(begin, tail)), "the last %d bytes", n)
	}
	require.Equal(t, got, a.Unescape(body))
	require.Equal(t, got, a.Intern(scan.Value{Kind: scan.KindString, Raw: quoted}))
	if json.Valid(quoted) {
		var want string
		require.NoError(t, json.Unmarshal(quoted, &want))
		require.Equal(t, want, got)
	}
}

// FuzzTime checks that times are parsed as by the standard library, except for hours of one digit, which that accepts
// and RFC 3339 does not.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{"2026-11-27T20:43:59.120Z", "2024-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, `"\`) || len(text) < len("2006-01-02T15:04:05Z") {
			return
		}
		got := scan.Value{Kind: scan.KindString, Raw: []byte(`"` + text + `"`)}.Time()
		want, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			want = time.Time{}
		}
		require.Equal(t, want.UTC(), got)
	})
}

// walkValue enters everything.
func walkValue(s *scan.Scanner) {
	switch s.Peek() {
	case scan.KindObject:
		for s.Object(); s.Err() == nil && s.Key(); {
			walkValue(s)
		}
	case scan.KindArray:
		for s.Array(); s.Err() == nil && s.Element(); {
			walkValue(s)
		}
	default:
		s.Value()
	}
}

// compare walks data in parallel with encoding/json.
func compare(t *testing.T, s *scan.Scanner, data []byte) {
	t.Helper()
	data = bytes.Trim(data, " \t\r\n")
	switch data[0] {
	case '{', '[':
		object := data[0] == '{'
		dec := json.NewDecoder(bytes.NewReader(data))
		_, err := dec.Token()
		require.NoError(t, err)
		if object {
			require.True(t, s.Object())
		} else {
			require.True(t, s.Array())
		}
		for dec.More() {
			if object {
				key, err := dec.Token()
				require.NoError(t, err)
				require.True(t, s.Key())
				require.Equal(t, key, string(scan.AppendString(nil, s.Name())))
			} else {
				require.True(t, s.Element())
			}
			var want json.RawMessage
			require.NoError(t, dec.Decode(&want))
			if want[0] == '{' || want[0] == '[' {
				ahead := *s
				require.Equal(t, string(want), string(ahead.Value().Raw))
			}
			compare(t, s, want)
		}
		if object {
			require.False(t, s.Key())
		} else {
			require.False(t, s.Element())
		}
	default:
		got := s.Value()
		require.Equal(t, string(data), string(got.Raw))
		switch got.Kind {
		case scan.KindString:
			var want string
			require.NoError(t, json.Unmarshal(data, &want))
			require.Equal(t, want, string(scan.AppendString(nil, got.Body())))
		case scan.KindNumber:
			var want float64
			if json.Unmarshal(data, &want) == nil {
				assert.Equal(t, want, got.Float())
			}
		}
	}
	require.NoError(t, s.Err())
}

// seeds returns the shapes that have broken readers before, and some lines of the recordings.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	all := [][]byte{
		[]byte(``), []byte(`{}`), []byte(`[]`), []byte(` { "a" : [ 1 , -2.5e+3 , true , null , "x\"y" ] } `),
		[]byte(`{"a":"}{","b":{"c":[{},[[]]]}}`), []byte(`{"a":1}{"b":2}`), []byte(`{"a":"\\"}`), []byte(`{"a":"\\\""}`),
		[]byte(`{"a":01}`), []byte(`{"a":-}`), []byte(`{"a":1.}`), []byte(`{"a":1e}`), []byte(`{"a":tru}`), []byte(`{"a":}`),
		[]byte(`{"a",1}`), []byte(`{"a":1,}`), []byte(`[1,]`), []byte(`[,1]`), []byte(`{"a":1]`), []byte(`[1}`), []byte(`{"a":"torn`),
		append(bytes.Repeat([]byte(`[`), 200), bytes.Repeat([]byte(`]`), 200)...),
		[]byte(`"` + "0123456789abcdef0123456789\\\"abcdef" + `"`), []byte(`{"0123456789abcdef0123456789":1}`),
	}
	for i, line := range recordedLines(t) {
		if i%20 == 0 && len(line) < 4<<10 {
			all = append(all, line)
		}
	}
	return all
}

// recordedLines returns the lines of all recordings.
func recordedLines(t testing.TB) (all [][]byte) {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/*/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, bytes.Split(data, []byte("\n"))...)
	}
	return all
}
