package lines

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/internal/files/abridge"
	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// Line is one line as read.
type Line struct {
	// Data is the line without its newline, otherwise unchanged; valid until the consumer returns.
	Data []byte
	// Offset is where the line begins in the file, and Next where the following line begins.
	Offset, Next int64
	// Live is true if the line was written after the end of the file had been reached once.
	Live bool
	// Abridged is true if the line was over the limit; Data is then what package abridge keeps of it.
	Abridged bool
	// Replayed is true if the line was acknowledged before and is delivered again to rebuild the consumer's state.
	Replayed bool
	// Again is true for a row of a database that the consumer before this one has had, and that others refer to.
	Again bool
	// Arrival is when the line arrived, if that was recorded; zero means when it was read.
	Arrival time.Time
}

// minBuffer is the smallest read buffer: room for the tail before a line and for reading.
const minBuffer = 4 * fingerprint.TailSize

// Token is what a Splitter found.
type Token uint8

// The tokens.
const (
	TokenNone    Token = iota // no newline yet: read more
	TokenLine                 // a line
	TokenTooLong              // a line over the limit ended; its data is what is kept of it, or nil
)

// Splitter splits bytes into lines only at '\n', so no character can be cut. Bytes go in through [Splitter.Room] and
// [Splitter.Wrote], tokens come from [Splitter.Next]; the sizes of the reads make no difference to the tokens.
//
//	0        ≤ start ≤ scanned ≤ end ≤ len(buf)
//	buf[start:end]  is the current line and what follows it
//	buf[:start]     ends with up to fingerprint.TailSize bytes from before the current line
//
// While a line over the limit is skipped, dropped counts its bytes that are no longer in buf, and start moves with the bytes
// that were scanned.
type Splitter struct {
	buf                 []byte
	start, scanned, end int
	offset              int64 // in the file, of the first byte of the current line
	dropped             int64 // bytes of a line over the limit that are no longer in buf
	skipping            bool
	limit               int // maximum length of a line without its newline

	buffers *Pool
	grown   int  // index of the size that buf has
	long    bool // the last line was longer than half of the smallest size
	short   abridge.Abridger
}

// NewSplitter returns a splitter for lines of up to limit bytes. Call Reset first.
func NewSplitter(b *Pool, limit int) *Splitter { return &Splitter{buffers: b, limit: limit} }

// Reset prepares for bytes from another place: the first lead bytes are from before offset, and the first line begins at
// offset. A buffer that grew for a long line is released.
func (s *Splitter) Reset(offset int64, lead int) {
	if s.grown > 0 {
		s.Release()
	}
	if s.buf == nil {
		s.buf = s.buffers.get(0)
	}
	*s = Splitter{buf: s.buf, start: lead, scanned: lead, offset: offset, limit: s.limit, buffers: s.buffers, short: s.short}
}

// Release returns the buffer to the pool. Returned lines become invalid, and only Reset may be called next.
func (s *Splitter) Release() {
	s.buffers.put(s.grown, s.buf)
	s.buf, s.grown = nil, 0
}

// Buffer returns the whole buffer, for separate reads after Reset.
func (s *Splitter) Buffer() []byte { return s.buf }

// Room returns space to read into; it is never empty. It moves or drops bytes that Next has passed.
func (s *Splitter) Room() []byte {
	s.skipLong()
	from := s.from()
	switch {
	case s.grown > 0 && !s.long && s.end-from <= s.buffers.size/2:
		s.move(from, 0)
	case s.end > len(s.buf)-fingerprint.TailSize && from > 0 && s.end >= s.start:
		s.move(from, s.grown)
	}
	if s.end == len(s.buf) {
		s.move(0, s.grown+1)
	}
	return s.buf[s.end:]
}

// from returns where the part of the buffer that is still needed begins: the current line and the tail before it.
func (s *Splitter) from() int { return max(0, s.start-fingerprint.TailSize) }

// move copies the bytes starting at from to the front of a buffer of the k-th size.
func (s *Splitter) move(from, k int) {
	left := s.buf[from:s.end]
	if k == s.grown {
		s.end = copy(s.buf, left)
	} else {
		buf := s.buffers.get(k)
		s.end = copy(buf, left)
		s.buffers.put(s.grown, s.buf)
		s.buf, s.grown = buf, k
	}
	s.start -= from
	s.scanned -= from
}

// Wrote adds n bytes that were read into the space of Room.
func (s *Splitter) Wrote(n int) { s.end += n }

// Next returns the next token. The line's data is valid until the next call of Room.
func (s *Splitter) Next() (Line, Token) {
	from := max(s.scanned, s.start)
	if from >= s.end {
		return Line{}, TokenNone
	}
	i := bytes.IndexByte(s.buf[from:s.end], '\n')
	if i < 0 {
		s.scanned = s.end
		return Line{}, TokenNone
	}
	newline := from + i
	length := s.dropped + int64(newline-s.start)
	line := Line{Data: s.buf[s.start:newline:newline], Offset: s.offset, Next: s.offset + length + 1}
	kind := TokenLine
	if s.skipping || length > int64(s.limit) {
		line.Data, kind = s.abridge(newline), TokenTooLong
		line.Abridged = true
	}
	s.start, s.scanned, s.offset = newline+1, newline+1, line.Next
	s.dropped, s.skipping, s.long = 0, false, length > int64(s.buffers.size/2)
	return line, kind
}

// skipLong drops the bytes of a line over the limit, so that the buffer stays small.
func (s *Splitter) skipLong() {
	if s.scanned < s.end || !s.skipping && s.end-s.start <= s.limit {
		return
	}
	s.shorten(s.end)
	s.dropped += int64(s.end - s.start)
	s.start, s.scanned = s.end, s.end
}

// shorten passes the bytes of a line over the limit, up to end, to the abridger.
func (s *Splitter) shorten(end int) {
	if !s.skipping {
		s.short.Reset()
		s.skipping = true
	}
	s.short.Write(s.buf[s.start:end])
}

// abridge returns what is kept of a line over the limit that stops at end.
func (s *Splitter) abridge(end int) []byte {
	s.shorten(end)
	short, ok := s.short.Line()
	if !ok {
		return nil
	}
	return bytes.Clone(short) // this is rare, and a batch may hold several
}

// TooLong reports whether the unfinished line is over the limit.
func (s *Splitter) TooLong() bool { return s.skipping || s.end-s.start > s.limit }

// Pending returns how many bytes of an unfinished line were read.
func (s *Splitter) Pending() int64 { return s.dropped + int64(max(0, s.end-s.start)) }

// Unfinished returns the unfinished line, or nil if it is over the limit.
func (s *Splitter) Unfinished() []byte {
	if s.skipping || s.end <= s.start || s.end-s.start > s.limit {
		return nil
	}
	return s.buf[s.start:s.end:s.end]
}

// Take returns the unfinished line as if it had ended.
func (s *Splitter) Take() Line {
	line := Line{Data: s.Unfinished(), Offset: s.offset, Next: s.offset + s.Pending()}
	s.start, s.scanned, s.offset = s.end, s.end, line.Next
	return line
}

// TakeLong returns the unfinished line, which is over the limit, as if it had ended.
func (s *Splitter) TakeLong() Line {
	line := Line{Offset: s.offset, Next: s.offset + s.Pending(), Abridged: true, Data: s.abridge(s.end)}
	s.start, s.scanned, s.offset = s.end, s.end, line.Next
	s.dropped, s.skipping = 0, false
	return line
}

// Before returns up to fingerprint.TailSize bytes before the offset at, which must be at or before the current line and still
// in the buffer. Call it before Room.
func (s *Splitter) Before(at int64) []byte {
	end := s.start - int(s.offset-at)
	return s.buf[max(0, end-fingerprint.TailSize):end]
}

// InLine reports whether the byte before the current line is present and not a newline, which means that the beginning of the
// line was already delivered.
func (s *Splitter) InLine() bool {
	return s.start > 0 && s.start <= s.end && s.buf[s.start-1] != '\n'
}

// Sibling returns a splitter with the same pool and limit.
func (s *Splitter) Sibling() *Splitter { return NewSplitter(s.buffers, s.limit) }
