package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// MaxDepth is how deep objects and arrays may lie in each other. It is the limit of encoding/json.
const MaxDepth = 10_000

// ErrSyntax is the error of a document that is torn or no JSON.
var ErrSyntax = errors.New("malformed JSON")

// Scanner is a cursor over one document, or over several that stand one behind the other. The zero value is an empty
// document. It is about 1.3 KiB large; reuse it.
//
// Once something is malformed every method says no, and Err tells.
type Scanner struct {
	data []byte
	pos  int
	// first tells that the container just entered has had no member yet, so that no comma is due. One flag serves all
	// levels, since leaving a container or passing a value clears it.
	first bool
	bad   bool
	name  []byte
	depth int
	// open holds a bit for each open container, 1 for an object.
	open [(MaxDepth + 64) / 64]uint64
}

// Reset points the scanner at the start of data.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.first, s.bad, s.name, s.depth = data, 0, false, false, nil, 0
}

// Err is ErrSyntax if what was read so far is malformed.
func (s *Scanner) Err() error {
	if s.bad {
		return ErrSyntax
	}
	return nil
}

// Offset is where the scanner stands, in bytes from the start.
func (s *Scanner) Offset() int { return s.pos }

// Since is the raw span from offset start to where the scanner stands.
func (s *Scanner) Since(start int) []byte { return s.data[start:s.pos] }

// Rest is what was not read yet, leading blanks left out.
func (s *Scanner) Rest() []byte {
	s.blanks()
	return s.data[s.pos:]
}

// Peek tells the kind of the value that comes next, without moving past it. It is KindNone at the end of the input and
// before what begins no value.
func (s *Scanner) Peek() Kind {
	s.blanks()
	if s.bad || s.pos >= len(s.data) {
		return KindNone
	}
	return kindOf(s.data[s.pos])
}

// Object steps into the object that comes next; anything else is malformed.
func (s *Scanner) Object() bool { return s.enter('{', 1) }

// Array steps into the array that comes next; anything else is malformed.
func (s *Scanner) Array() bool { return s.enter('[', 0) }

// Key moves to the next member of the current object: Name is its key, and the value comes next. At the end of the
// object it steps out and reports false.
func (s *Scanner) Key() bool {
	if !s.member('}') {
		return false
	}
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return s.fail()
	}
	end := stringEnd(s.data, s.pos)
	if end < 0 {
		return s.fail()
	}
	s.name = s.data[s.pos+1 : end-1]
	if end = skipBlanks(s.data, end); end >= len(s.data) || s.data[end] != ':' {
		return s.fail()
	}
	s.pos = end + 1
	return true
}

// Name is the key of the current member, raw: without its quotes, still escaped.
func (s *Scanner) Name() []byte { return s.name }

// Element moves to the next element of the current array. At the end of the array it steps out and reports false.
func (s *Scanner) Element() bool { return s.member(']') }

// Value takes the value that comes next as one span, whatever it is.
func (s *Scanner) Value() Value {
	s.blanks()
	if s.bad || s.pos >= len(s.data) {
		s.fail()
		return Value{}
	}
	start, kind := s.pos, kindOf(s.data[s.pos])
	var end int
	if kind == KindObject || kind == KindArray {
		end = s.containerEnd(start)
	} else {
		end = scalarEnd(s.data, start)
	}
	if end < 0 {
		s.fail()
		return Value{}
	}
	s.pos, s.first = end, false
	return Value{Kind: kind, Raw: s.data[start:end]}
}

// Skip moves past the value that comes next.
func (s *Scanner) Skip() { s.Value() }

func (s *Scanner) fail() bool {
	s.bad = true
	return false
}

func (s *Scanner) blanks() { s.pos = skipBlanks(s.data, s.pos) }

func (s *Scanner) enter(open byte, bit uint64) bool {
	s.blanks()
	if s.bad || s.pos >= len(s.data) || s.data[s.pos] != open || !s.push(bit) {
		return s.fail()
	}
	s.pos++
	s.first = true
	return true
}

// member moves to where the next member of a container begins, over the comma before it; at the closing bracket it
// steps out and reports false.
func (s *Scanner) member(closing byte) bool {
	s.blanks()
	if s.bad || s.pos >= len(s.data) {
		return s.fail()
	}
	switch c := s.data[s.pos]; {
	case c == closing:
		s.pos++
		s.depth--
		s.first = false
		return false
	case s.first:
		s.first = false
		return true
	case c != ',':
		return s.fail()
	}
	s.pos++
	s.blanks()
	return true
}

// push opens a container; it reports false where they lie too deep.
func (s *Scanner) push(bit uint64) bool {
	if s.depth >= MaxDepth {
		return false
	}
	word, shift := s.depth/64, uint(s.depth%64)
	s.open[word] = s.open[word]&^(1<<shift) | bit<<shift
	s.depth++
	return true
}

func (s *Scanner) inObject() bool { return s.open[(s.depth-1)/64]>>(uint(s.depth-1)%64)&1 == 1 }

// containerEnd is the offset behind the object or array that begins at i; -1 if it is malformed.
func (s *Scanner) containerEnd(i int) int {
	data, base := s.data, s.depth
	for {
		// A value begins at i.
		switch data[i] {
		case '{', '[':
			opening := data[i]
			if !s.push(uint64(opening>>5) & 1) { // '{' is 0x7b, '[' is 0x5b
				return -1
			}
			if i = skipBlanks(data, i+1); i >= len(data) {
				return -1
			}
			if data[i] != opening+2 { // not closed at once
				if opening == '{' {
					if i = keyEnd(data, i); i < 0 {
						return -1
					}
				}
				continue
			}
			s.depth--
			i++
		default:
			if i = scalarEnd(data, i); i < 0 {
				return -1
			}
		}
		// A value ended before i: close what ends here, then go on to the next value.
		for {
			if s.depth == base {
				return i
			}
			if i = skipBlanks(data, i); i >= len(data) {
				return -1
			}
			object := s.inObject()
			if c := data[i]; c == ',' {
				if i = skipBlanks(data, i+1); i >= len(data) {
					return -1
				}
				if object {
					if i = keyEnd(data, i); i < 0 {
						return -1
					}
				}
				break
			} else if object && c != '}' || !object && c != ']' {
				return -1
			}
			s.depth--
			i++
		}
	}
}

// keyEnd is the offset of the value whose key begins at i; -1 if there is none.
func keyEnd(data []byte, i int) int {
	if data[i] != '"' {
		return -1
	}
	if i = stringEnd(data, i); i < 0 {
		return -1
	}
	if i = skipBlanks(data, i); i >= len(data) || data[i] != ':' {
		return -1
	}
	if i = skipBlanks(data, i+1); i >= len(data) {
		return -1
	}
	return i
}

// scalarEnd is the offset behind the string, number or literal that begins at i; -1 if it is malformed.
func scalarEnd(data []byte, i int) int {
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case 't':
		return literalEnd(data, i, "true")
	case 'f':
		return literalEnd(data, i, "false")
	case 'n':
		return literalEnd(data, i, "null")
	default:
		return numberEnd(data, i)
	}
}

// nearBytes is how far a string is looked through a word at a time: most keys and many values are shorter than a call
// to bytes.IndexByte is worth.
const nearBytes = 64

// Words of one byte eight times over.
const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	quotes = '"' * ones
	slants = '\\' * ones
)

// zeros marks the zero bytes of w by their highest bits. A mark above the lowest one may be false.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// stringEnd is the offset behind the string whose opening quote is at i; -1 if it never ends.
func stringEnd(data []byte, i int) int {
	i++
	for near := min(i+nearBytes, len(data)-7); i < near; {
		w := binary.LittleEndian.Uint64(data[i:])
		marks := zeros(w^quotes) | zeros(w^slants)
		if marks == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(marks) / 8
		if data[i] == '"' {
			return i + 1
		}
		i += 2 // an escape: what it escapes ends nothing
	}
	return farStringEnd(data, i)
}

// farStringEnd is stringEnd from i on, which no escape reaches over.
func farStringEnd(data []byte, i int) int {
	for from := i; from < len(data); {
		n := bytes.IndexByte(data[from:], '"')
		if n < 0 {
			return -1
		}
		from += n + 1
		// The quote ends the string if an even number of backslashes stands before it.
		back := from - 2
		for back >= i && data[back] == '\\' {
			back--
		}
		if (from-2-back)%2 == 0 {
			return from
		}
	}
	return -1
}

func literalEnd(data []byte, i int, word string) int {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// numberEnd is the offset behind the number that begins at i; -1 if it is none.
func numberEnd(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	switch {
	case i >= len(data):
		return -1
	case data[i] == '0':
		i++
	case data[i] >= '1' && data[i] <= '9':
		i = digitsEnd(data, i)
	default:
		return -1
	}
	if i < len(data) && data[i] == '.' {
		start := i + 1
		if i = digitsEnd(data, start); i == start {
			return -1
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		start := i + 1
		if start < len(data) && (data[start] == '+' || data[start] == '-') {
			start++
		}
		if i = digitsEnd(data, start); i == start {
			return -1
		}
	}
	return i
}

func digitsEnd(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}

// skipBlanks is small enough to be inlined; agents write no blanks between tokens.
func skipBlanks(data []byte, i int) int {
	if i < len(data) && data[i] <= ' ' {
		return blanksEnd(data, i)
	}
	return i
}

func blanksEnd(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

func kindOf(c byte) Kind {
	switch {
	case c == '"':
		return KindString
	case c == '{':
		return KindObject
	case c == '[':
		return KindArray
	case c == 't':
		return KindTrue
	case c == 'f':
		return KindFalse
	case c == 'n':
		return KindNull
	case c == '-' || c >= '0' && c <= '9':
		return KindNumber
	default:
		return KindNone
	}
}
