package telemetry

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/work"
)

// Raw exports lines unchanged, each as a record tailspan.raw with the line as its body. Several share an offset if they
// were pending until the provider was known.
func (s *Stream) Raw(line Line, lines [][]byte) {
	for i, data := range lines {
		if len(bytes.TrimSpace(data)) > 0 { // a blank line is no content
			s.raw(line, i, data, false)
		}
	}
}

// RawCopy exports a line that was also parsed, marked as a copy. It includes blank lines, so that the copies are the
// complete stream.
func (s *Stream) RawCopy(line Line, data []byte) {
	s.raw(line, -1, data, true)
}

// raw exports a line unless it was exported before, possibly by another stream with the same beginning and position.
func (s *Stream) raw(line Line, index int, data []byte, isCopy bool) {
	at := s.clock.FileTime()
	if line.Live || !at.Known() {
		at = clock.Moment{At: clock.InstantOf(line.Arrival), Source: clock.SourceArrival}
	}
	s.mu.Lock() // a run that another stream releases may change the resource
	defer s.mu.Unlock()
	parts := s.appendRawParts(make([]byte, 0, 256), line, index, data)
	number := s.program.Resource.NextNumber()
	isNew := s.registry.ids.FirstRecord(parts)
	switch {
	case line.Replay:
		return
	case !isNew:
		s.count().Copied++
		return
	}
	out := work.RecordAt(at, s.registry.settings.Now(), otlp.SpanRef{}, otlp.UIDOf(parts))
	out.Sequence = number
	s.own(s.registry).AddRaw(s.program.Resource, &out, data, isCopy)
}

// appendRawParts appends the parts of a raw line's identity: the fingerprint of its stream, the pipeline and step, the
// offset, and the content of it and all lines before. Logs of two jobs often begin alike and have lines in common.
func (s *Stream) appendRawParts(buf []byte, line Line, index int, data []byte) []byte {
	pipeline, runID, step, stepID := cicd.Names(s.program.Resource)
	return otlp.AppendParts(buf, otlp.DomainRecord, index, s.program.Agent.Provider, s.program.Fingerprint, pipeline, runID, step, stepID,
		strconv.FormatInt(line.Offset, 10), string(s.rawChain().next(line.Replay, data)))
}

// rawChain is a hash of all raw lines of a stream.
type rawChain struct {
	sum   []byte
	again bool // lines are read again, from the first on
}

// rawChain returns the chain of the stream.
func (r *reading) rawChain() *rawChain {
	if r.rawLines == nil {
		r.rawLines = new(rawChain)
	}
	return r.rawLines
}

// kept returns the hash for a state, or nil if there was no line.
func (c *rawChain) kept() []byte {
	if c == nil {
		return nil
	}
	return slices.Clone(c.sum)
}

// next adds a line. A reader that reads lines again begins with the first.
func (c *rawChain) next(again bool, data []byte) []byte {
	if again && !c.again {
		c.sum = nil
	}
	c.again = again
	line := sha256.Sum256(data)
	sum := sha256.Sum256(append(line[:], c.sum...))
	c.sum = sum[:16]
	return c.sum
}
