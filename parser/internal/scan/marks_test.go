package scan

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMarks compares the marks of both implementations with a search byte by byte, and checks that nothing is marked beyond the
// end. The letters of a text may be omitted.
func TestMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bytes := []byte{'"', '\\', '"' + 1, '\\' + 1, '"' - 1, '"' | 0x80, '\\' | 0x80, 0, 0xff, 'a', 'n', 'r', 't', 'u', 'n' | 0x80}
	data := make([]byte, indexBytes)
	for range 500 {
		for i := range data {
			data[i] = bytes[r.IntN(len(bytes))]
		}
		part := data[r.IntN(16):][:r.IntN(len(data)-16)]
		text, simple := make([]letters, indexBlocks), make([]uint64, indexBlocks)
		want, got, words := make([]marks, indexBlocks), make([]marks, indexBlocks), make([]marks, len(part)/blockBytes)
		for i, c := range part {
			if strings.IndexByte(`"\nrt`, c) >= 0 {
				simple[i/blockBytes] |= 1 << (i % blockBytes)
			}
			switch c {
			case '"':
				want[i/blockBytes].quotes |= 1 << (i % blockBytes)
			case '\\':
				want[i/blockBytes].slants |= 1 << (i % blockBytes)
			}
		}
		mark(got, part)
		require.Equal(t, want, got, "%q", part)
		markWords(words, part)
		require.Equal(t, want[:len(words)], words, "%q", part)
		markText(text, part)
		for k, b := range text {
			require.Equal(t, want[k].slants, b.slants, "%q", part)
			require.Contains(t, []uint64{0, simple[k]}, b.simple, "%q", part)
		}
	}
}

// TestEscapes compares the escaped bytes with a walk byte by byte, across block boundaries.
func TestEscapes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data := make([]byte, indexBytes)
	for range 500 {
		few := 1 + r.IntN(4)
		for i := range data {
			data[i] = '\\'
			if r.IntN(few) > 0 {
				data[i] = 'n'
			}
		}
		var blocks [indexBlocks]marks
		mark(blocks[:], data)
		after, carry := false, uint64(0)
		for k := range blocks {
			var wantBegin, wantEscaped uint64
			for i, c := range data[k*blockBytes : (k+1)*blockBytes] {
				switch {
				case after:
					wantEscaped |= 1 << i
					after = false
				case c == '\\':
					wantBegin |= 1 << i
					after = true
				}
			}
			begin, escaped := escapes(blocks[k].slants, &carry)
			require.Equal(t, []uint64{wantBegin, wantEscaped}, []uint64{begin, escaped}, "block %d of %q", k, data)
		}
		require.Equal(t, after, carry == 1)
	}
}
