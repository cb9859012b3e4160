package lines

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// token is what a Splitter found, to be compared.
type token struct {
	text         string
	offset, next int64
	tooLong      bool
}

// cutAt feeds a Splitter with pieces of the given sizes, repeatedly, and returns the tokens and the unfinished rest.
func cutAt(input []byte, sizes []byte, buffer, limit int) (tokens []token, rest string, pending int64) {
	s := NewSplitter(NewPool(buffer, limit), limit)
	s.Reset(0, 0)
	for i := 0; ; i++ {
		for {
			line, kind := s.Next()
			if kind == TokenNone {
				break
			}
			tokens = append(tokens, token{string(line.Data), line.Offset, line.Next, kind == TokenTooLong})
		}
		if len(input) == 0 {
			return tokens, string(s.Unfinished()), s.Pending()
		}
		room := s.Room()
		n := len(room)
		if len(sizes) > 0 {
			n = min(n, int(sizes[i%len(sizes)])+1)
		}
		n = copy(room[:n], input)
		s.Wrote(n)
		input = input[n:]
	}
}

// kept is what is kept of a line over the limit.
func kept(line string) string {
	var a abridge.Abridger
	a.Reset()
	a.Write([]byte(line))
	short, ok := a.Line()
	if !ok {
		return ""
	}
	return string(short)
}

// wantTokens splits the input into lines in the simplest way.
func wantTokens(input []byte, limit int) (tokens []token, rest string, pending int64) {
	var offset int64
	for {
		i := bytes.IndexByte(input, '\n')
		if i < 0 {
			pending = int64(len(input))
			if len(input) <= limit {
				rest = string(input)
			}
			return tokens, rest, pending
		}
		one := token{offset: offset, next: offset + int64(i) + 1, tooLong: i > limit}
		if one.text = string(input[:i]); one.tooLong {
			one.text = kept(one.text)
		}
		tokens = append(tokens, one)
		input, offset = input[i+1:], one.next
	}
}

func TestSplitter(t *testing.T) {
	tests := []struct {
		name  string
		input string
		limit int
	}{
		{"nothing", "", 10},
		{"lines", "a\nbc\n\ndef\n", 10},
		{"an unfinished line", "a\nbc", 10},
		{"carriage return and byte order mark stay", "\xef\xbb\xbfa\r\nb\r\n", 10},
		{"other separators are no newline", "a\u2028b\u0085c\vd\n", 20},
		{"as long as may be", strings.Repeat("x", 10) + "\n" + strings.Repeat("y", 11) + "\nz\n", 10},
		{"longer than the buffer", strings.Repeat("x", 5000) + "\nz\n" + strings.Repeat("y", 9000) + "\n", 6000},
		{"an object longer than the buffer", `{"id":1,"t":"` + strings.Repeat("x", 9000) + `","last":2}` + "\nz\n[" + strings.Repeat(`"y",`, 9000) + "1]\n", 6000},
		{"an unfinished long line", "a\n" + strings.Repeat("y", 9000), 6000},
		{"characters of four bytes", strings.Repeat("\U0001F350", 700) + "\n", 6000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]byte{nil, {0}, {1}, {2, 6}, {255}, {127, 0}} {
				tokens, rest, pending := cutAt([]byte(tt.input), sizes, 0, tt.limit)
				wantLines, wantRest, wantPending := wantTokens([]byte(tt.input), tt.limit)
				assert.Equal(t, wantLines, tokens, "cut by %v", sizes)
				assert.Equal(t, wantRest, rest, "cut by %v", sizes)
				assert.Equal(t, wantPending, pending, "cut by %v", sizes)
			}
		})
	}
}

func TestSplitterMemoryIsBounded(t *testing.T) {
	const limit = 10_000
	s := NewSplitter(NewPool(1000, limit), limit)
	s.Reset(0, 0)
	for range 10_000 { // 100 limits long
		n := min(len(s.Room()), 100)
		copy(s.Room(), strings.Repeat("x", n))
		s.Wrote(n)
		_, kind := s.Next()
		assert.Equal(t, TokenNone, kind)
		assert.LessOrEqual(t, len(s.buf), limit+1+fingerprint.TailSize+500)
	}
	s.Reset(0, 0)
	assert.Len(t, s.buf, 1000, "a buffer that has grown is released")
}

// feed makes a Splitter read one piece, as far as there is room, and returns the rest and the lines.
func feed(s *Splitter, input string) (left string, lines []string) {
	n := copy(s.Room(), input)
	s.Wrote(n)
	for {
		line, kind := s.Next()
		if kind == TokenNone {
			return input[n:], lines
		}
		lines = append(lines, string(line.Data))
	}
}

// TestSplitterReleasesLongBuffers: the buffer for a long line is held while lines are long, and no longer.
func TestSplitterReleasesLongBuffers(t *testing.T) {
	b := NewPool(1000, 100_000)
	s := NewSplitter(b, 100_000)
	s.Reset(0, 0)
	read := func(input string) (lines []string, most int) {
		for len(input) > 0 {
			var some []string
			input, some = feed(s, input)
			lines = append(lines, some...)
			most = max(most, len(s.buf))
		}
		return lines, most
	}
	long, short := strings.Repeat("x", 3000), strings.Repeat("y", 90)
	lines, most := read(strings.Repeat(long+"\n", 4))
	assert.Equal(t, []string{long, long, long, long}, lines)
	assert.Equal(t, 4000, most)
	lines, _ = read(strings.Repeat(short+"\n", 100))
	assert.Len(t, lines, 100)
	assert.Len(t, s.buf, 1000)
	assert.Zero(t, s.grown)
	_, most = read(long + "\n" + strings.Repeat(short+"\n", 100) + long)
	assert.Equal(t, 4000, most)
	s.Release()
	assert.Nil(t, s.buf)
	s.Reset(7, 0)
	assert.Len(t, s.buf, 1000)
}

// TestSplittersShareBuffers: one Splitter may write to what another released, and the lines of each are not changed.
func TestSplittersShareBuffers(t *testing.T) {
	b := NewPool(0, 20_000)
	var splitters [3]*Splitter
	var left, want [3]string
	var got [3][]string
	for i := range splitters {
		splitters[i] = NewSplitter(b, 20_000)
		splitters[i].Reset(0, 0)
		for n := range 200 {
			want[i] += strings.Repeat(string(rune('a'+i)), n*n%(1000+5000*i)) + "\n"
		}
		left[i] = want[i]
	}
	for more := true; more; {
		more = false
		for i, s := range splitters {
			var lines []string
			left[i], lines = feed(s, left[i])
			got[i] = append(got[i], lines...)
			more = more || left[i] != ""
		}
	}
	for i := range splitters {
		assert.Equal(t, want[i], strings.Join(got[i], "\n")+"\n")
	}
}

func TestBuffers(t *testing.T) {
	b := NewPool(256<<10, 16<<20)
	var sizes []int
	for k := range b.pools {
		sizes = append(sizes, b.length(k))
	}
	assert.Equal(t, []int{256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20, 8 << 20, 16 << 20, 16<<20 + 1 + fingerprint.TailSize + 128<<10}, sizes)
	assert.Len(t, NewPool(1000, 10).pools, 2, "room for a line, its newline and a tail")
	buf := b.get(len(b.pools) - 1)
	buf[0] = 'x'
	b.put(len(b.pools)-1, buf)
	assert.Zero(t, b.get(len(b.pools) - 1)[0], "the largest are not kept")
}

func TestSplitterBefore(t *testing.T) {
	text := ""
	for n := range 100 {
		text += strings.Repeat("x", 20+n) + "\n"
	}
	s := NewSplitter(NewPool(0, 10_000), 10_000)
	s.Reset(0, 0)
	for input := text; len(input) > 0; {
		n := copy(s.Room(), input[:min(len(input), 37)])
		s.Wrote(n)
		input = input[n:]
		if line, kind := s.Next(); kind == TokenLine {
			assert.Equal(t, text[max(0, line.Next-fingerprint.TailSize):line.Next], string(s.Before(line.Next)))
		}
	}
}

func TestCompleteObject(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want bool
	}{
		{"empty", "", false},
		{"object", `{"a":1}`, true},
		{"blanks around it", " {\"a\":1}\r", true},
		{"nested", `{"a":[{"b":"}"},[1]],"c":{}}`, true},
		{"quotes and backslashes", `{"a":"\"}\\"}`, true},
		{"half", `{"a":{"b":1}`, false},
		{"ends in a string", `{"a":"}`, false},
		{"ends in an escape", `{"a":"\"}`, false},
		{"cut after a brace in a string", `{"a":"{}`, false},
		{"array", `[1]`, false},
		{"number", `12`, false},
		{"two objects", `{"a":1}{"b":2}`, false},
		{"an object and the beginning of one", `{"a":1} {}}`, false},
		{"closes more than it opens", `{"a":1}}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, CompleteObject([]byte(tt.in)), "input: %s", tt.in)
		})
	}
}

func TestBalanced(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, " {\"a\":[1]}\n": true, "\xef\xbb\xbf{}": true, `[]`: true, `[{"a":"]"}]`: true,
		``: false, `{`: false, `[`: false, `{}{}`: false, `{"a":[1]`: false, `[1]]`: false, `"{}"`: false, `{"a":"}`: false, `[}`: false,
	} {
		assert.Equal(t, want, Balanced([]byte(text)), text)
	}
}
