package redact

import (
	"bytes"
	"encoding/json"

	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/shape"
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Limits of what a [Lines] remembers: lines, and bytes at the end of each.
const (
	maxBefore     = 4
	maxBeforeLine = 1 << 10
)

// Lines removes secrets from the lines of one text that are passed on one by one, as they are written. A secret may
// continue on the next line, as a private key does, or its name may be on the line above. It serves one goroutine.
//
// A line that was returned cannot be changed later, so the first line of a private key block is kept.
type Lines struct {
	redactor *Redactor
	before   []byte // the last lines, each with its line end
	joined   []byte // these and the beginning of the current line
}

// NewLines returns a Lines for one text.
func NewLines(r *Redactor) *Lines { return &Lines{redactor: r} }

// Bytes returns the next line, without its line end, with a marker in place of each secret and of each part of one, or line
// itself if there is none. It does not modify line. A line that is a JSON document is complete: nothing continues on it or after it.
func (l *Lines) Bytes(line []byte) []byte {
	if isDocument(line) && json.Valid(line) {
		return l.redactor.Bytes(line)
	}
	start, head := len(l.before), min(len(line), maxPooled)
	l.joined = append(append(l.joined[:0], l.before...), line[:head]...)
	clean, begin := l.continued(start, head < len(line))
	l.remember(line, start, begin)
	if cap(l.joined) > maxPooled {
		l.joined = nil
	}
	if clean == nil {
		return l.redactor.Bytes(line)
	}
	return l.redactor.Bytes(append(clean, line[head:]...))
}

// continued returns the current line, which is at start, without the secrets that begin or are named in the lines before; nil if there
// are none. It keeps the indentation. begin is the offset of the line where a secret begins that the next line may continue, or -1. If
// the current line is cut, a secret in it that reaches the cut is kept: its end is not known.
func (l *Lines) continued(start int, cut bool) (clean []byte, begin int) {
	var f find.Finder[[]byte]
	f.Init(l.redactor.search, l.joined, false)
	begin = -1
	last := start
	for sp, ok := f.Next(0); ok; sp, ok = f.Next(sp.End) {
		if sp.End <= start || cut && sp.Start >= start && sp.End == len(l.joined) {
			continue
		}
		if sp.Start < start && l.continues(sp) {
			begin = bytes.LastIndexByte(l.joined[:sp.Start], '\n') + 1
		}
		clean = append(clean, l.joined[last:max(last, sp.Start, text.Skip(l.joined, start, sp.End, text.Blank))]...)
		clean = append(clean, sp.Quote+text.Marker(sp.Kind)+sp.Quote...)
		last = sp.End
	}
	if clean == nil {
		return nil, begin
	}
	return append(clean, l.joined[last:]...), begin
}

// continues reports whether the next line may continue a secret: a private key until its last dash, whatever follows each of its
// lines, and another secret if nothing follows it.
func (l *Lines) continues(sp text.Span) bool {
	if sp.Kind == shape.PrivateKey {
		return l.joined[sp.End-1] != '-'
	}
	return text.Skip(l.joined, sp.End, len(l.joined), text.Space) == len(l.joined)
}

// remember keeps the last lines or, if a secret begins on an earlier line and may continue, that line and the current one. The lines
// before end at start.
func (l *Lines) remember(line []byte, start, begin int) {
	from, to := start, start
	if begin >= 0 {
		from, to = begin, begin+bytes.IndexByte(l.joined[begin:], '\n')+1
	} else {
		for n := 1; n < maxBefore && from > 0; n++ {
			from = bytes.LastIndexByte(l.joined[:from-1], '\n') + 1
		}
	}
	l.before = append(append(l.before[:0], l.joined[from:to]...), line[max(0, len(line)-maxBeforeLine):]...)
	l.before = append(l.before, '\n')
}
