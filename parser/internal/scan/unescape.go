package scan

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// AppendString appends the text of a string, given the bytes between its quotes. It resolves escapes and replaces a lone
// surrogate or a byte of invalid UTF-8 by U+FFFD, as encoding/json does. A backslash that begins no JSON escape is
// copied, so that a line which passed the scanner always has a text.
func AppendString(dst, body []byte) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(body)) // only invalid UTF-8 makes a text longer than its source
	n, _ := unescape(dst[start:start+len(body)], body, len(body)+1)
	return repair(dst[:start+n], start)
}

// AppendHead appends the beginning of the text that AppendString appends: at least limit bytes, or all of it. It
// returns the remainder of body and never cuts a character.
func AppendHead(dst, body []byte, limit int) (head, rest []byte) {
	start := len(dst)
	room := min(limit+headSlack, len(body))
	dst = slices.Grow(dst, room)
	n, used := unescape(dst[start:start+room], body, limit)
	for i := 1; used < len(body) && i < utf8.UTFMax && i <= used && body[used] >= utf8.RuneSelf && !utf8.RuneStart(body[used]); i++ {
		dst = append(dst[:start+n], body[used]) // the last character was incomplete
		used, n = used+1, n+1
	}
	return repair(dst[:start+n], start), body[used:]
}

// headSlack is how far a head may exceed its limit: by one block, the unit of decoding.
const headSlack = blockBytes + overrun

// overrun is the number of excess bytes that may be copied after a plain sequence, which avoids a loop for short ones.
const overrun = 16

// unescape writes the text of body to buf until it has limit bytes or body is used up. It returns how many bytes it
// wrote and used. buf must have room for all of body, or for headSlack bytes more than limit. The text is never longer
// than its source, so that excess bytes are overwritten.
func unescape(buf, body []byte, limit int) (n, used int) {
	for used < len(body) && n < limit {
		run := bytes.IndexByte(body[used:], '\\') // vectorized: most texts are plain, or begin so
		if run < 0 {
			run = len(body) - used
		}
		run = copy(buf[n:], body[used:used+min(run, limit-n)])
		n, used = n+run, used+run
		if used < len(body) && n < limit {
			size := min(max(limit-n, blockBytes), indexBytes, len(body)-used)
			n, used = unescapePart(buf, n, body, used, size)
		}
	}
	return n, used
}

// unescapePart is unescape for the next size bytes of body and for the rest of an escape that begins in them.
func unescapePart(buf []byte, n int, body []byte, used, size int) (int, int) {
	var blocks [indexBlocks]marks
	from, carry := used, uint64(0)
	mark(blocks[:], body[from:from+size])
	for k := range blocks[:(size+blockBytes-1)/blockBytes] {
		begin, _ := escapes(blocks[k].slants, &carry)
		for ; begin != 0; begin &= begin - 1 {
			at := from + k*blockBytes + bits.TrailingZeros64(begin)
			if at < used { // the second half of a pair
				continue
			}
			run := at - used
			if run <= overrun && used+overrun <= len(body) && n+overrun <= len(buf) {
				*(*[overrun]byte)(buf[n:]) = *(*[overrun]byte)(body[used:])
			} else {
				copy(buf[n:], body[used:at])
			}
			n += run
			if at+1 < len(body) {
				if c := simpleEscapes[body[at+1]]; c != 0 {
					buf[n] = c
					n, used = n+1, at+2
					continue
				}
			}
			out, length := appendEscape(buf[:n], body[at:])
			n, used = len(out), at+length
		}
	}
	if end := from + size; used < end {
		n, used = n+copy(buf[n:], body[used:end]), end
	}
	return n, used
}

// repair replaces invalid UTF-8 in dst from start on. It is rarely needed, since JSON writers emit valid UTF-8.
func repair(dst []byte, start int) []byte {
	if utf8.Valid(dst[start:]) {
		return dst
	}
	return append(dst[:start], appendValid(nil, dst[start:])...)
}

// AppendJSON appends the JSON of a value, with invalid UTF-8 replaced as in [AppendString].
func AppendJSON(dst, raw []byte) []byte { return appendValid(dst, raw) }

// simpleEscapes maps the letter of a one-letter escape to its character.
var simpleEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// Hash returns a hash of the text of a string, given the bytes between its quotes. It does not depend on how the
// text is encoded: "\u0063" and "c" have the same hash.
func Hash(seed maphash.Seed, body []byte) uint64 {
	if plain(body) {
		return maphash.Bytes(seed, body)
	}
	return maphash.Bytes(seed, AppendString(nil, body))
}

// TextLen returns the length in bytes of the text of a string, given the bytes between its quotes: the number
// of bytes that [AppendString] appends, without decoding.
func TextLen(body []byte) int {
	if !utf8.Valid(body) {
		return len(AppendString(nil, body))
	}
	c := escapeCount{body: body}
	for from := 0; from < len(body); from += indexBytes {
		if c.carry == 0 {
			run := bytes.IndexByte(body[from:], '\\')
			if run < 0 {
				break
			}
			from += run
		}
		c.add(from, min(from+indexBytes, len(body)))
	}
	return len(body) - c.saved
}

// escapeCount counts the bytes by which escapes make a body longer than its text.
type escapeCount struct {
	body  []byte
	saved int
	end   int    // end of the last escape that is longer than two bytes
	carry uint64 // 1 if the next byte is escaped
}

// add counts the escapes in a part of the body.
func (c *escapeCount) add(from, to int) {
	var blocks [indexBlocks]letters
	n := markText(blocks[:], c.body[from:to])
	for k, b := range blocks[:n] {
		_, escaped := escapes(b.slants, &c.carry)
		if escaped&^b.simple == 0 { // the usual case, without a loop of unpredictable length
			c.saved += bits.OnesCount64(escaped)
			continue
		}
		for ; escaped != 0; escaped &= escaped - 1 {
			c.one(from + k*blockBytes + bits.TrailingZeros64(escaped))
		}
	}
}

// one counts the escape of the byte at i.
func (c *escapeCount) one(i int) {
	switch {
	case i >= len(c.body):
	case simpleEscapes[c.body[i]] != 0:
		c.saved++
	case i > c.end: // not the second half of a pair
		var text [utf8.UTFMax]byte
		out, length := appendEscape(text[:0], c.body[i-1:])
		c.saved, c.end = c.saved+length-len(out), i-1+length
	}
}

// shortBytes is the maximum length of a string that is searched word by word.
const shortBytes = 64

// plain reports whether body is identical to its text.
func plain(body []byte) bool {
	if n := len(body); n >= 8 && n <= shortBytes {
		odd := uint64(0)
		for i := 0; i+8 < n; i += 8 {
			w := binary.LittleEndian.Uint64(body[i:])
			odd |= zeros(w^slantWord) | w&highs
		}
		w := binary.LittleEndian.Uint64(body[n-8:])
		if odd |= zeros(w^slantWord) | w&highs; odd == 0 {
			return true
		}
	}
	return bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body)
}

func appendValid(dst, s []byte) []byte {
	for !utf8.Valid(s) {
		i := 0
		for {
			r, n := utf8.DecodeRune(s[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, replacement...)
		s = s[i+1:]
	}
	return append(dst, s...)
}

// appendEscape appends the character of the \u escape at the start of s and returns the length of the escape. A
// backslash that begins no escape is copied.
func appendEscape(dst, s []byte) ([]byte, int) {
	r := hexRune(s)
	if r < 0 {
		return append(dst, '\\'), 1
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(dst, r), 6
	}
	if pair := utf16.DecodeRune(r, hexRune(s[6:])); pair != utf8.RuneError {
		return utf8.AppendRune(dst, pair), 12
	}
	return append(dst, replacement...), 6
}

// hexRune parses the \u escape with four digits at the start of s; -1 if there is none.
func hexRune(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	r := rune(0)
	for _, c := range s[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
