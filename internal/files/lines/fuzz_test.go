package lines

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Invariants:
//   - FuzzSplit: however input is cut into reads, the lines, their offsets and what is skipped are the same, and they
//     are those of the plainest splitting.
//   - FuzzCompleteObject: an object that encoding/json takes is complete; a beginning of it is not.
//   - FuzzBalanced: a whole JSON object or array is balanced, and no beginning of it is.

func FuzzSplit(f *testing.F) {
	f.Add([]byte("a\nbc\n\ndef"), []byte{1, 2}, uint16(0), uint16(10))
	f.Add([]byte("\xef\xbb\xbf{\"a\":\"\xf0\x9f\x8d\x90\"}\r\n{}"), []byte{0}, uint16(3), uint16(20))
	f.Add(make([]byte, 2000), []byte{255, 7}, uint16(512), uint16(1000))
	f.Fuzz(func(t *testing.T, input, cuts []byte, buffer, limit uint16) {
		tokens, rest, pending := cutAt(input, cuts, int(buffer), int(limit))
		wantLines, wantRest, wantPending := wantTokens(input, int(limit))
		require.Equal(t, wantLines, tokens)
		require.Equal(t, wantRest, rest)
		require.Equal(t, wantPending, pending)
	})
}

func FuzzCompleteObject(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"}"}],"c":"\"}"}`))
	f.Add([]byte(` {"a":{}} `))
	f.Fuzz(func(t *testing.T, input []byte) {
		complete := CompleteObject(input)
		trimmed := TrimBlanks(input)
		if !json.Valid(input) || trimmed[0] != '{' {
			return
		}
		require.True(t, complete)
		for i := range trimmed {
			require.False(t, CompleteObject(trimmed[:i]), "cut at %d", i)
		}
	})
}

// FuzzBalanced: a complete JSON object or array is balanced, and no prefix of it is.
func FuzzBalanced(f *testing.F) {
	for _, text := range []string{`{"a":"}\\\""}`, `[[],{}]`, " {} ", "\xef\xbb\xbf{}", `{"a`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		valid := TrimBlanks(text)
		if !json.Valid(valid) || valid[0] != '{' && valid[0] != '[' {
			Balanced(text)
			return
		}
		if !Balanced(text) {
			t.Errorf("not balanced: %q", text)
		}
		for cut := range valid {
			if Balanced(valid[:cut]) {
				t.Errorf("balanced: %q", valid[:cut])
			}
		}
	})
}
