package input_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/internal/files/abridge"
)

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*input.BufferSize+7)
	for name, input := range map[string]string{
		"empty": "", "one": "a\n", "no newline at the end": "a\nb", "blank lines": "\n\na\n\n", "carriage returns": "a\r\nb\rc\n",
		"long": "a\n" + long + "\nb\n" + long, "other separators": "a\u2028b\u0085c\n",
	} {
		want := strings.Split(strings.TrimSuffix(input, "\n"), "\n")
		if input == "" {
			want = nil
		}
		for _, reader := range []io.Reader{strings.NewReader(input), iotest.DataErrReader(strings.NewReader(input)), iotest.HalfReader(strings.NewReader(input))} {
			assert.Equal(t, want, lines(t, reader), name)
		}
	}
}

func lines(t testing.TB, r io.Reader) (all []string) {
	t.Helper()
	require.NoError(t, input.NewLines(input.LineSettings{Max: input.DefaultMaxLine}).Each(r, func(line []byte, _ bool) error {
		all = append(all, string(line))
		return nil
	}))
	return all
}

func TestLinesStop(t *testing.T) {
	stop := errors.New("stop")
	assert.ErrorIs(t, input.NewLines(input.LineSettings{Max: 9}).Each(strings.NewReader("a\nb\n"), func([]byte, bool) error { return stop }), stop)
	assert.ErrorIs(t, input.NewLines(input.LineSettings{Max: 9}).Each(iotest.ErrReader(io.ErrClosedPipe), func([]byte, bool) error { return nil }), io.ErrClosedPipe)
}

func TestLinesTooLong(t *testing.T) {
	long := strings.Repeat("x", 2*input.BufferSize)
	l := input.NewLines(input.LineSettings{Max: 5})
	var got []string
	var shortened []bool
	object := `{"id":"` + long + `"}`
	require.NoError(t, l.Each(strings.NewReader("12345\n123456\n"+long+"\n"+object+"\n{\"a\":1}\nend\n"+object+"\n"+long), func(line []byte, abridged bool) error {
		shortened = append(shortened, abridged)
		got = append(got, string(line))
		return nil
	}))
	kept := `{"id":"` + long[:abridge.KeepString] + `…"}`
	assert.Equal(t, []string{"12345", "12345", long[:5], kept, `{"a":1}`, "end", kept, long[:5]}, got)
	assert.Equal(t, []bool{false, true, true, true, true, false, true, true}, shortened)
	assert.Equal(t, 6, l.TooLong())
}

// TestOffset checks that each record has the offset of its line in the input: IDs are made of it.
func TestOffset(t *testing.T) {
	for name, text := range map[string]string{
		"lines": "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n", "text": "a\n\nb\n", "blank lines first": "\n\n{\"a\":1}\n{\"b\":2}\n",
		"long first line": `{"a":"` + strings.Repeat("x", 100) + "\"}\n{\"b\":2}\n{\"c\":3}\n",
	} {
		l := input.NewLines(input.LineSettings{Name: "run.jsonl", Max: 50})
		at, read := 0, strings.SplitAfter(text, "\n")
		require.NoError(t, l.Records(strings.NewReader(text), func([]byte) error {
			assert.EqualValues(t, at, l.Offset(), name)
			at, read = at+len(read[0]), read[1:]
			return nil
		}), name)
		assert.Equal(t, len(text), at, name)
	}
}

// FuzzSplit checks that the lines do not depend on how the input is cut into reads, and equal those of a plain split.
func FuzzSplit(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), uint16(1))
	f.Add(bytes.Repeat([]byte("x"), 100), uint16(7))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		if len(data) == 0 {
			want = nil
		}
		step := int(cut)%64 + 1
		r := io.MultiReader(readers(slices.Collect(slices.Chunk(data, step)))...)
		require.Equal(t, want, lines(t, bufio.NewReader(r)))
		require.Equal(t, want, lines(t, bytes.NewReader(data)))
	})
}

func readers(chunks [][]byte) []io.Reader {
	all := make([]io.Reader, len(chunks))
	for i, c := range chunks {
		all[i] = bytes.NewReader(c)
	}
	return all
}
