package scan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// windowBytes is how much of a document is searched for quotes at once.
const windowBytes = 64

// window tells where quotes stand in windowBytes bytes of a document. Most strings of a line are short: one window has
// the ends of several, and finding the next one takes no loop whose end the processor would have to guess.
type window struct {
	from int
	// marks has a bit for each byte. A '#' right behind a quote may be marked too.
	marks uint64
}

// noWindow holds no byte.
var noWindow = window{from: -windowBytes}

// endMarks gives the marks of a window where less data than a window is left.
func endMarks(data []byte, word uint64) uint64 {
	var padded [windowBytes]byte
	copy(padded[:], data)
	return marks(&padded, word)
}

// Words of one byte eight times over.
const (
	ones   = 0x0101010101010101
	highs  = 0x80 * ones
	quotes = '"' * ones
	slants = '\\' * ones
)

// zeros marks the zero bytes of w by their highest bits. Above a zero byte a byte of value 1 may be marked too.
func zeros(w uint64) uint64 { return (w - ones) &^ w & highs }

// gather moves the highest bits of the bytes of w together, into the lowest byte.
func gather(w uint64) uint64 { return w * 0x0002040810204081 >> 56 }

// marks sets a bit for each byte that is the one that word is made of, and for some that differ from it in the lowest
// bit alone and stand right behind one ('#' behind '"', ']' behind '\\'): leaving them in is cheaper, and whoever looks
// at the bytes beside a mark can look at the marked one as well.
func marks(b *[windowBytes]byte, word uint64) uint64 {
	return gather(zeros(binary.LittleEndian.Uint64(b[0:])^word)) |
		gather(zeros(binary.LittleEndian.Uint64(b[8:])^word))<<8 |
		gather(zeros(binary.LittleEndian.Uint64(b[16:])^word))<<16 |
		gather(zeros(binary.LittleEndian.Uint64(b[24:])^word))<<24 |
		gather(zeros(binary.LittleEndian.Uint64(b[32:])^word))<<32 |
		gather(zeros(binary.LittleEndian.Uint64(b[40:])^word))<<40 |
		gather(zeros(binary.LittleEndian.Uint64(b[48:])^word))<<48 |
		gather(zeros(binary.LittleEndian.Uint64(b[56:])^word))<<56
}

// stringEnd is the offset behind the string whose first byte behind the opening quote is at i; -1 if it never ends.
func (s *Scanner) stringEnd(i int) int {
	if at := uint(i - s.window.from); at < windowBytes {
		if marks := s.window.marks >> at; marks != 0 {
			if end := i + bits.TrailingZeros64(marks); s.data[end] == '"' && s.data[end-1] != '\\' {
				return end + 1
			}
		}
	}
	return s.farStringEnd(i)
}

// farStringEnd is stringEnd for a string that leaves the window or holds an escape or a '#' where it begins.
func (s *Scanner) farStringEnd(i int) int {
	data, w := s.data, s.window
	for i < len(data) {
		if uint(i-w.from) >= windowBytes {
			w = window{i, 0}
			if len(data)-i >= windowBytes {
				w.marks = marks((*[windowBytes]byte)(data[i:]), quotes)
			} else {
				w.marks = endMarks(data[i:], quotes)
			}
			s.window = w
		}
		for rest := w.marks >> uint(i-w.from); rest != 0; rest &= rest - 1 {
			if end := i + bits.TrailingZeros64(rest); data[end] == '"' && !escaped(data, end) {
				return end + 1
			}
		}
		if i = w.from + windowBytes; w.marks == 0 && i < len(data) {
			// A window without a quote: this is a text, which vectors cross faster.
			n := bytes.IndexByte(data[i:], '"')
			if n < 0 {
				return -1
			}
			i += n
		}
	}
	return -1
}

// escaped reports whether the quote at i stands behind an odd number of backslashes. The quote that opens the string is
// none, so the search ends there.
func escaped(data []byte, i int) bool {
	if data[i-1] != '\\' {
		return false
	}
	return data[i-2] != '\\' || oddSlants(data, i)
}

func oddSlants(data []byte, i int) bool {
	back := i - 1
	for data[back] == '\\' {
		back--
	}
	return (i-1-back)%2 == 1
}
