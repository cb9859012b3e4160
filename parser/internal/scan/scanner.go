package scan

import "errors"

// ErrSyntax is the error of a document that is torn or no JSON.
var ErrSyntax = errors.New("malformed JSON")

// Scanner is a cursor over one document, or over several that follow each other. The zero value is an empty
// document. Reuse it: it is some hundred bytes large.
//
// Once something is malformed every method reports false, and Err is set.
type Scanner struct {
	data []byte
	pos  int
	// first reports that the container just entered has had no member yet, so that no comma is due. One flag serves all
	// levels, since leaving a container or passing a value clears it.
	first bool
	bad   bool
	index index // around the last string that was crossed
	// The key of the current member lies between these offsets.
	nameStart, nameEnd int
	depth              int
	elements           int // that Element moved to
	// top holds a bit for each of the innermost open containers, 1 for an object, the innermost lowest; deep holds those
	// around them, 64 a word.
	top  uint64
	deep []uint64
}

// wordLevels is how many levels a word has bits for.
const wordLevels = 64

// keepDeep is how many words for deep levels are kept for the next document: 4 KiB, for 32,768 levels.
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

// Peek returns the kind of the value that comes next, without moving past it. It is KindNone at the end of the input and
// before what begins no value.
func (s *Scanner) Peek() Kind {
	s.blanks()
	if s.pos >= len(s.data) {
		return KindNone
	}
	return kinds[s.data[s.pos]]
}

// Object steps into the object that comes next; anything else is malformed.
func (s *Scanner) Object() bool { return s.enter('{', 1) }

// Array steps into the array that comes next; anything else is malformed.
func (s *Scanner) Array() bool { return s.enter('[', 0) }

// Key moves to the next member of the current object: Name is its key, and the value comes next. At the end of the
// object it steps out and reports false.
func (s *Scanner) Key() bool {
	data, i, comma := s.data, s.pos, byte('{')
	if !s.first {
		i, comma = i+1, ','
	}
	if uint(i) >= uint(len(data)) || data[i] != '"' || data[i-1] != comma { // else it is as writers put it
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

// Name is the key of the current member, raw: without its quotes, still escaped.
func (s *Scanner) Name() []byte { return s.data[s.nameStart:s.nameEnd] }

// Limits of the elements that Element moves to in one document: parsers keep some hundred bytes or kilobytes of each, and an
// element may take two bytes. No agent writes so many; what is skipped or taken as a whole counts as one.
const (
	leastElements   = 1 << 14
	bytesPerElement = 256
)

// Element moves to the next element of the current array. At the end of the array it steps out and reports false. A document
// with more elements than the limits allow counts as malformed.
func (s *Scanner) Element() bool {
	if !s.member(']') {
		return false
	}
	s.elements++
	return s.elements <= leastElements || s.elements <= leastElements+len(s.data)/bytesPerElement || s.fail()
}

// Value takes the value that comes next as one span, whatever it is.
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

// Repeat takes the object that comes next, as Value does. An object that reads like last, which was one, is not walked
// through again: writers repeat some on line after line.
func (s *Scanner) Repeat(last []byte) Value {
	s.blanks()
	if n := len(last); n > 0 && last[0] == '{' && len(s.data)-s.pos >= n && string(s.data[s.pos:s.pos+n]) == string(last) {
		s.pos, s.first = s.pos+n, false
		return Value{Kind: KindObject, Raw: s.data[s.pos-n : s.pos]}
	}
	return s.Value()
}

// Skip moves past the value that comes next.
func (s *Scanner) Skip() { s.Value() }

// fail cuts the document off where the scanner stands, so that every method finds the end of the input and none needs
// to ask whether something was malformed.
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

// member moves to where the next member of a container begins, over the comma before it; at the closing bracket it
// steps out and reports false.
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

// push opens a container.
func (s *Scanner) push(bit uint64) {
	if s.depth%wordLevels == 0 && s.depth > 0 {
		s.deep = append(s.deep, s.top) // an eighth of the line at most
	}
	s.top = s.top<<1 | bit
	s.depth++
}

// pop closes the innermost container.
func (s *Scanner) pop() {
	s.top >>= 1
	if s.depth--; s.depth%wordLevels == 0 && s.depth > 0 {
		last := len(s.deep) - 1
		s.top, s.deep = s.deep[last], s.deep[:last]
	}
}

// containerEnd is the offset behind the object or array that begins at i; -1 if it is malformed.
func (s *Scanner) containerEnd(i int) int {
	data, base, closing := s.data, s.depth, byte(0)
	for {
		if closing == '}' {
			// A key begins at i, and the value behind its colon.
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
			if closing = opening + 2; i+1 < len(data) && data[i+1] == closing { // as writers put an empty one
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
			// closed at once, below
		case KindNumber:
			i = numberEnd(data, i)
		default:
			i = wordEnd(data, i, kind)
		}
		if i < 0 {
			return -1
		}
		// A value ended before i: close what ends here, then go on to the next value.
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

// closing is the bracket that closes the innermost open container.
func (s *Scanner) closing() byte { return ']' + byte(s.top&1)<<5 } // ']' is 0x5d, '}' is 0x7d

// wordEnd is the offset behind the number or literal that begins at i; -1 if it is malformed.
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

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'"': KindString, '{': KindObject, '[': KindArray, 't': KindTrue, 'f': KindFalse, 'n': KindNull, '-': KindNumber,
	'0': KindNumber, '1': KindNumber, '2': KindNumber, '3': KindNumber, '4': KindNumber,
	'5': KindNumber, '6': KindNumber, '7': KindNumber, '8': KindNumber, '9': KindNumber,
}
