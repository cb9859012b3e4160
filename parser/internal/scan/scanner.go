package scan

import "errors"

// ErrSyntax is the error for a document that is torn or not JSON.
var ErrSyntax = errors.New("malformed JSON")

// Scanner is a cursor over one document, or over several in sequence. The zero value is an empty document.
// Reuse it: its size is some hundred bytes.
//
// After a syntax error every method returns false, and Err is set.
type Scanner struct {
	data []byte
	pos  int
	// first is true if the container that was just entered has had no member yet, so that no comma is due. One flag
	// serves all levels, since leaving a container or passing a value clears it.
	first bool
	bad   bool
	index index // around the last string that was read
	// The key of the current member is between these offsets.
	nameStart, nameEnd int
	depth              int
	elements           int // number of elements that Element moved to
	// top has one bit for each of the innermost open containers, 1 for an object, the innermost in the lowest bit. deep
	// has the bits of the outer containers, 64 per word.
	top  uint64
	deep []uint64
}

// wordLevels is the number of levels per word.
const wordLevels = 64

// keepDeep is the number of words of deep that are kept for the next document: 4 KiB, for 32,768 levels.
const keepDeep = 1 << 9

// Reset points the scanner at the start of data.
func (s *Scanner) Reset(data []byte) {
	s.data, s.pos, s.first, s.bad, s.depth, s.elements = data, 0, false, false, 0, 0
	s.nameStart, s.nameEnd = 0, 0
	if s.deep = s.deep[:0]; cap(s.deep) > keepDeep {
		s.deep = nil
	}
	s.index.clear()
}

// Err returns ErrSyntax if the document is malformed so far.
func (s *Scanner) Err() error {
	if s.bad {
		return ErrSyntax
	}
	return nil
}

// Offset returns the current offset in bytes.
func (s *Scanner) Offset() int { return s.pos }

// Since returns the raw span from offset start to the current offset.
func (s *Scanner) Since(start int) []byte { return s.data[start:s.pos] }

// Rest returns the unread part of the document, without leading blanks.
func (s *Scanner) Rest() []byte {
	s.blanks()
	return s.data[s.pos:]
}

// Peek returns the kind of the next value without moving past it. It returns KindNone at the end of the input and if no
// value begins there.
func (s *Scanner) Peek() Kind {
	s.blanks()
	if s.pos >= len(s.data) {
		return KindNone
	}
	return kinds[s.data[s.pos]]
}

// Object enters the next object; anything else is malformed.
func (s *Scanner) Object() bool { return s.enter('{', 1) }

// Array enters the next array; anything else is malformed.
func (s *Scanner) Array() bool { return s.enter('[', 0) }

// Key moves to the next member of the current object: Name returns its key, and its value is next. At the end of
// the object it leaves the object and returns false.
func (s *Scanner) Key() bool {
	data, i, comma := s.data, s.pos, byte('{')
	if !s.first {
		i, comma = i+1, ','
	}
	if uint(i) >= uint(len(data)) || data[i] != '"' || data[i-1] != comma { // otherwise it is in the usual form
		if !s.member('}') {
			return false
		}
		if i = s.pos; i >= len(data) || data[i] != '"' {
			return s.fail()
		}
	}
	s.first = false
	end := s.index.near(i + 1)
	if end == 0 {
		if end = s.farStringEnd(i + 1); end < 0 {
			return s.fail()
		}
	}
	colon := skipBlanks(data, end)
	if colon >= len(data) || data[colon] != ':' {
		return s.fail()
	}
	s.nameStart, s.nameEnd, s.pos = i+1, end-1, colon+1
	return true
}

// Name returns the key of the current member, raw: without its quotes, still escaped.
func (s *Scanner) Name() []byte { return s.data[s.nameStart:s.nameEnd] }

// Limits of the elements that Element moves to in one document. Parsers keep hundreds or thousands of bytes per element,
// while an element may take only two bytes. No agent writes so many. A skipped array counts as one.
const (
	leastElements   = 1 << 14
	bytesPerElement = 256
)

// Element moves to the next element of the current array. At the end of the array it leaves the array and returns false. A
// document with more elements than the limits allow is malformed.
func (s *Scanner) Element() bool {
	if !s.member(']') {
		return false
	}
	s.elements++
	return s.elements <= leastElements || s.elements <= leastElements+len(s.data)/bytesPerElement || s.fail()
}

// Value reads the next value of any kind as one span.
func (s *Scanner) Value() Value {
	data, start := s.data, skipBlanks(s.data, s.pos)
	if start >= len(data) {
		s.fail()
		return Value{}
	}
	kind := kinds[data[start]]
	var end int
	switch kind {
	case KindString:
		if end = s.index.near(start + 1); end == 0 {
			end = s.farStringEnd(start + 1)
		}
	case KindObject, KindArray:
		end = s.containerEnd(start)
	default:
		end = wordEnd(data, start, kind)
	}
	if end < 0 {
		s.fail()
		return Value{}
	}
	s.pos, s.first = end, false
	return Value{Kind: kind, Raw: data[start:end]}
}

// Repeat reads the next object, like Value. If it is equal to last, an earlier object, it is not scanned again:
// writers repeat some objects from line to line.
func (s *Scanner) Repeat(last []byte) Value {
	s.blanks()
	if n := len(last); n > 0 && last[0] == '{' && len(s.data)-s.pos >= n && string(s.data[s.pos:s.pos+n]) == string(last) {
		s.pos, s.first = s.pos+n, false
		return Value{Kind: KindObject, Raw: s.data[s.pos-n : s.pos]}
	}
	return s.Value()
}

// Skip moves past the next value.
func (s *Scanner) Skip() { s.Value() }

// fail truncates the document at the current offset, so that every method reaches the end of the input and none needs
// to check for an earlier error.
func (s *Scanner) fail() bool {
	s.bad, s.data = true, s.data[:s.pos]
	return false
}

func (s *Scanner) blanks() { s.pos = skipBlanks(s.data, s.pos) }

func (s *Scanner) enter(open byte, bit uint64) bool {
	s.blanks()
	if s.pos >= len(s.data) || s.data[s.pos] != open {
		return s.fail()
	}
	s.push(bit)
	s.pos++
	s.first = true
	return true
}

// member moves past the comma to the next member of a container. At the closing bracket it leaves the container
// and returns false.
func (s *Scanner) member(closing byte) bool {
	i := skipBlanks(s.data, s.pos)
	if i >= len(s.data) {
		return s.fail()
	}
	c := s.data[i]
	if c == ',' && !s.first {
		s.pos = skipBlanks(s.data, i+1)
		return true
	}
	first := s.first
	s.first = false
	if c == closing {
		s.pos = i + 1
		s.pop()
		return false
	}
	s.pos = i
	return first || s.fail()
}

// push enters a container.
func (s *Scanner) push(bit uint64) {
	if s.depth%wordLevels == 0 && s.depth > 0 {
		s.deep = append(s.deep, s.top) // at most an eighth of the line
	}
	s.top = s.top<<1 | bit
	s.depth++
}

// pop leaves the innermost container.
func (s *Scanner) pop() {
	s.top >>= 1
	if s.depth--; s.depth%wordLevels == 0 && s.depth > 0 {
		last := len(s.deep) - 1
		s.top, s.deep = s.deep[last], s.deep[:last]
	}
}

// containerEnd returns the offset after the object or array at i, or -1 if it is malformed.
func (s *Scanner) containerEnd(i int) int {
	data, base, closing := s.data, s.depth, byte(0)
	for {
		if closing == '}' {
			// A key begins at i, followed by a colon and its value.
			if data[i] != '"' {
				return -1
			}
			if i = s.stringEnd(i + 1); i < 0 {
				return -1
			}
			if i = skipBlanks(data, i); i >= len(data) || data[i] != ':' {
				return -1
			}
			if i = skipBlanks(data, i+1); i >= len(data) {
				return -1
			}
		}
		// A value begins at i.
		switch kind := kinds[data[i]]; kind {
		case KindString:
			i = s.stringEnd(i + 1)
		case KindObject, KindArray:
			opening := data[i]
			if closing = opening + 2; i+1 < len(data) && data[i+1] == closing { // the usual form of an empty container
				i += 2
				if s.depth == base {
					return i
				}
				closing = s.closing()
				break
			}
			s.push(uint64(opening>>5) & 1) // '{' is 0x7b, '[' is 0x5b
			if i = skipBlanks(data, i+1); i >= len(data) {
				return -1
			}
			if data[i] != closing {
				continue
			}
			// handled below
		case KindNumber:
			i = numberEnd(data, i)
		default:
			i = wordEnd(data, i, kind)
		}
		if i < 0 {
			return -1
		}
		// A value ended before i: close the containers that end here, then continue with the next value.
		for {
			if i = skipBlanks(data, i); i >= len(data) {
				return -1
			}
			if data[i] != closing {
				break
			}
			i++
			if s.pop(); s.depth == base {
				return i
			}
			closing = s.closing()
		}
		if data[i] != ',' {
			return -1
		}
		if i = skipBlanks(data, i+1); i >= len(data) {
			return -1
		}
	}
}

// closing returns the bracket that closes the innermost open container.
func (s *Scanner) closing() byte { return ']' + byte(s.top&1)<<5 } // ']' is 0x5d, '}' is 0x7d

// wordEnd returns the offset after the number or literal at i, or -1 if it is malformed.
func wordEnd(data []byte, i int, kind Kind) int {
	switch kind {
	case KindNumber:
		return numberEnd(data, i)
	case KindTrue:
		return literalEnd(data, i, "true")
	case KindFalse:
		return literalEnd(data, i, "false")
	case KindNull:
		return literalEnd(data, i, "null")
	default:
		return -1
	}
}

func literalEnd(data []byte, i int, word string) int {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// skipBlanks is small enough to be inlined. Agents write no blanks between tokens.
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

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'"': KindString, '{': KindObject, '[': KindArray, 't': KindTrue, 'f': KindFalse, 'n': KindNull, '-': KindNumber,
	'0': KindNumber, '1': KindNumber, '2': KindNumber, '3': KindNumber, '4': KindNumber,
	'5': KindNumber, '6': KindNumber, '7': KindNumber, '8': KindNumber, '9': KindNumber,
}
