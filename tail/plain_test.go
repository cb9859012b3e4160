package tail

import (
	"bytes"

	"github.com/tailspan/tailspan/internal/files/abridge"
)

// token is what a Splitter found, to be compared.
type token struct {
	text         string
	offset, next int64
	tooLong      bool
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

// wantTokens says what lines the input has, in the plainest way.
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
