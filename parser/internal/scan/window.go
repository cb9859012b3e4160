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
	// marks has a bit for each byte. A '#' right behind a quote may be marked too, see quoteMarks.
	marks uint64
}

// noWindow holds no byte.
var noWindow = window{from: -windowBytes}

// look moves the window so that it holds the byte at i.
func (w *window) look(data []byte, i int) {
	if len(data) < windowBytes {
		var padded [windowBytes]byte
		copy(padded[:], data)
		w.from, w.marks = 0, quoteMarks(&padded)
		return
	}
	w.from = min(i, len(data)-windowBytes)
	w.marks = quoteMarks((*[windowBytes]byte)(data[w.from:]))
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

// quoteMarks sets a bit for each byte that is a quote, and for some that are '#' (a quote but for the lowest bit) and
// stand right behind one: leaving them in is a third cheaper, and whoever looks at the byte before the quote can look at
// the quote as well.
func quoteMarks(b *[windowBytes]byte) uint64 {
	return gather(zeros(binary.LittleEndian.Uint64(b[0:])^quotes)) |
		gather(zeros(binary.LittleEndian.Uint64(b[8:])^quotes))<<8 |
		gather(zeros(binary.LittleEndian.Uint64(b[16:])^quotes))<<16 |
		gather(zeros(binary.LittleEndian.Uint64(b[24:])^quotes))<<24 |
		gather(zeros(binary.LittleEndian.Uint64(b[32:])^quotes))<<32 |
		gather(zeros(binary.LittleEndian.Uint64(b[40:])^quotes))<<40 |
		gather(zeros(binary.LittleEndian.Uint64(b[48:])^quotes))<<48 |
		gather(zeros(binary.LittleEndian.Uint64(b[56:])^quotes))<<56
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
	data := s.data
	for i < len(data) {
		if uint(i-s.window.from) >= windowBytes {
			s.window.look(data, i)
		}
		marks := s.window.marks >> uint(i-s.window.from)
		for ; marks != 0; marks &= marks - 1 {
			if end := i + bits.TrailingZeros64(marks); data[end] == '"' && !escaped(data, end) {
				return end + 1
			}
		}
		if i = s.window.from + windowBytes; s.window.marks == 0 && i < len(data) {
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
	back := i - 1
	for data[back] == '\\' {
		back--
	}
	return (i-1-back)%2 == 1
}
