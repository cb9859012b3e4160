package process

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestClean(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "one\ntwo\t3\n", "one\ntwo\t3"},
		{"colours", "\x1b[31mred\x1b[0m\x00\n", "red"},
		{"title", "\x1b]0;title\x07text", "text"},
		{"title by ST", "\x1b]0;title\x1b\\text", "text"},
		{"title that never ends", "\x1b]0;title\ntext", "text"},
		{"progress", "10%\r20%\r\n", "10%20%"},
		{"half a character first", "\xa4\xb8x", "x"},
		{"bidirectional", "a\u202eb", "ab"},
		{"C1", "a\u009b31mb", "a31mb"},
		{"two-byte sequence", "\x1b7x\x1b8", "x"},
		{"an ESC at the end", "x\x1b", "x"},
		{"nothing", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, Clean([]byte(tc.in))) })
	}
}

// FuzzClean: valid UTF-8, no control characters except newline and tab, and cleaning is idempotent.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"\x1b[31mred\x1b[0m", "\x1b]0;t\x07x", "\x1b\x1b[[", "\xe4\xb8", "\u009b\u202e", "\x1bPq\x1b\\"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, tail []byte) {
		s := Clean(tail)
		assert.True(t, utf8.ValidString(s))
		for _, r := range s {
			if r != '\n' && r != '\t' && (r < 0x20 || r >= 0x7f && r < 0xa0) {
				t.Errorf("control %U in %q", r, s)
			}
		}
		assert.Equal(t, s, Clean([]byte(s)))
	})
}

func TestRing(t *testing.T) {
	all := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	for limit := 1; limit <= 8; limit++ {
		for step := 1; step <= 12; step++ {
			r := ring{limit: limit}
			for from := 0; from < len(all); from += step {
				to := min(from+step, len(all))
				r.write(all[from:to])
				assert.Equal(t, string(all[max(0, to-limit):to]), string(r.last()), "limit %d, step %d", limit, step)
				assert.LessOrEqual(t, len(r.buf), 2*limit)
			}
		}
	}
}
