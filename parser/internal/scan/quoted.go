package scan

import (
	"bytes"
	"math/bits"
)

// Quoted reads an object whose JSON is the text of a string, as the arguments of a model's call often are: {"a":"b"}
// appears in the line as "{\"a\":\"b\"}". It scans the escaped form and decodes only the wanted members, so that the
// rest, such as the content of a file to write, is neither unescaped nor scanned again. The zero value is ready to use,
// by one goroutine at a time.
type Quoted struct {
	data []byte
	// ends covers data from from to to. carry is 1 if the byte at to is escaped. inner holds the bytes there that escapes of
	// the inner JSON escape, see quotedEscapes.
	from, to     int
	carry, inner uint64
	// ends has a bit for each quote that begins or ends a string of the object.
	ends [indexBlocks]uint64
	bad  bool
}

// quotedDepth is the maximum nesting depth of objects and arrays; a Scanner must read deeper ones.
const quotedDepth = 64

// Members reads body, the bytes between the quotes of a string, as an object. It appends to m the members whose names are
// wanted, and their values to buf. It checks the whole object as a [Scanner] does, and [MaxMembers] includes unwanted
// members. It returns false, with m and buf unchanged, if body is not a whole object or if it is encoded in an unusual
// way: then the caller must decode the text and scan it.
func (q *Quoted) Members(m Members, buf, body []byte, wanted func(name []byte) bool) (Members, []byte, bool) {
	q.data, q.from, q.to, q.carry, q.bad = body, 0, 0, 0, false
	i := q.blanks(0)
	if i >= len(body) || body[i] != '{' {
		return m, buf, false
	}
	k := kept{members: m, buf: buf, wanted: wanted, left: MaxMembers}
	end := q.container(i, 0, &k)
	whole := end >= 0 && !q.bad && q.blanks(end) == len(body)
	q.data = nil
	if !whole {
		return m, buf, false
	}
	return k.members, k.buf, true
}

// kept collects the members of the outermost object.
type kept struct {
	members Members
	buf     []byte
	wanted  func(name []byte) bool
	left    int // how many more members may follow
}

func (k *kept) add(name, value []byte) {
	if k.left--; k.left < 0 || !k.wanted(name) {
		return
	}
	start := len(k.buf)
	k.buf = AppendString(k.buf, value)
	raw := k.buf[start:len(k.buf):len(k.buf)]
	k.members = append(k.members, Member{name, Value{Kind: kinds[raw[0]], Raw: raw}})
}

// container returns the offset after the object or array at i, or -1 if it is malformed. It adds the members to k
// unless k is nil.
func (q *Quoted) container(i, depth int, k *kept) int {
	data, closing := q.data, q.data[i]+2 // '{' is 0x7b and '}' 0x7d, '[' is 0x5b and ']' 0x5d
	if depth >= quotedDepth {
		return -1
	}
	if i = q.blanks(i + 1); i < len(data) && data[i] == closing {
		return i + 1
	}
	for i < len(data) {
		var name []byte
		if closing == '}' {
			start := i + len(`\"`)
			if i = q.stringEnd(i); i < 0 {
				return -1
			}
			if name = data[start : i-len(`\"`)]; k != nil && bytes.IndexByte(name, '\\') >= 0 {
				return -1 // it could be encoded in an unusual way
			}
			if i = q.blanks(i); i >= len(data) || data[i] != ':' {
				return -1
			}
			i = q.blanks(i + 1)
		}
		start := i
		if i = q.valueEnd(i, depth); i < 0 {
			return -1
		}
		if k != nil {
			k.add(name, data[start:i])
		}
		if i = q.blanks(i); i >= len(data) {
			return -1
		}
		if data[i] == closing {
			return i + 1
		}
		if data[i] != ',' {
			return -1
		}
		i = q.blanks(i + 1)
	}
	return -1
}

// valueEnd returns the offset after the value at i, or -1 if there is none.
func (q *Quoted) valueEnd(i, depth int) int {
	if i >= len(q.data) {
		return -1
	}
	switch c := q.data[i]; c {
	case '\\':
		return q.stringEnd(i)
	case '{', '[':
		return q.container(i, depth+1, nil)
	default:
		return wordEnd(q.data, i, kinds[c])
	}
}

// blanks returns the offset of the next token from i on. It skips blanks and escaped white space such as \n.
func (q *Quoted) blanks(i int) int {
	for i < len(q.data) {
		switch c := q.data[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(q.data) && (q.data[i+1] == 'n' || q.data[i+1] == 't' || q.data[i+1] == 'r'):
			i += 2
		default:
			return i
		}
	}
	return i
}

// stringEnd returns the offset after the string whose escaped opening quote is at i, or -1 if there is none or it never ends.
func (q *Quoted) stringEnd(i int) int {
	if i+1 >= len(q.data) || q.data[i] != '\\' || q.data[i+1] != '"' {
		return -1
	}
	if i += 2; i < q.from || i >= q.to {
		if i >= len(q.data) {
			return -1
		}
		q.load(i, 0, 0)
	}
	at := uint(i - q.from)
	k := at / blockBytes
	ends := q.ends[k] >> (at % blockBytes) << (at % blockBytes)
	for ends == 0 {
		if k++; k == indexBlocks {
			if q.to >= len(q.data) {
				return -1
			}
			q.load(q.to, q.carry, q.inner)
			k = 0
		}
		ends = q.ends[k]
	}
	return q.from + int(k)*blockBytes + bits.TrailingZeros64(ends) + 1
}

// load finds the quotes in the part that begins at i; carry and inner are as in q. It sets q.bad for an
// invalid escape, and for one that may encode a quote or a backslash of the inner JSON in another way.
func (q *Quoted) load(i int, carry, inner uint64) {
	var blocks [indexBlocks]marks
	q.from, q.to = i, min(len(q.data), i+indexBytes)
	n := mark(blocks[:], q.data[q.from:q.to])
	clear(q.ends[n:])
	for k := range blocks[:n] {
		b := &blocks[k]
		_, escaped := escapes(b.slants, &carry)
		base := q.from + k*blockBytes
		q.ends[k] = b.quotes & escaped &^ quotedEscapes(b.slants&escaped, &inner)
		for rest := escaped &^ (b.quotes | b.slants); rest != 0; rest &= rest - 1 {
			if !harmless(q.data, base+bits.TrailingZeros64(rest)) {
				q.bad = true
			}
		}
	}
	q.carry, q.inner = carry, inner
}

// quotedEscapes returns the end of each pair that the inner JSON escapes, such as the quote in \\\". slants marks the ends of
// the pairs \\, each of which is a backslash of the inner JSON: in a sequence of them every other one begins an escape, starting
// with the first. carry holds what the last pairs of the previous block escape, and is updated for the next block.
func quotedEscapes(slants uint64, carry *uint64) uint64 {
	escaped := *carry
	if slants|escaped == 0 {
		return 0
	}
	// This is the arithmetic of escapes on digits of two bits, for pairs that begin at even and at odd places.
	const even, odd = 0x5555555555555555, 0xcccccccccccccccc
	begin := uint64(0)
	for place := range 2 {
		pairs := slants >> place & even
		first := 3 * (pairs &^ (escaped >> place))
		begin |= ((first<<2 | odd) - first ^ odd) & pairs << place
	}
	*carry = begin >> (blockBytes - 2)
	return escaped | begin<<2
}

// harmless reports whether the escape whose second byte is at i encodes a character that is not part of JSON's syntax
// within a string.
func harmless(data []byte, i int) bool {
	if i >= len(data) {
		return false
	}
	if data[i] != 'u' {
		return simpleEscapes[data[i]] != 0
	}
	r := hexRune(data[i-1:])
	return r >= 0 && r != '"' && r != '\\'
}
