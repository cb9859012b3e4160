package redact

import (
	"bytes"

	"github.com/tailspan/tailspan/redact/internal/find"
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
// What was passed on is not revoked, so the first line of a private key block is kept.
type Lines struct {
	redactor *Redactor
	before   []byte // the last lines, each with its line end
	joined   []byte // these and the current line
}

// NewLines returns a Lines for one text.
func NewLines(r *Redactor) *Lines { return &Lines{redactor: r} }

// Bytes returns the next line, without its line end, with a marker in place of each secret and of each part of one, or line
// itself if there is none. It does not modify line.
func (l *Lines) Bytes(line []byte) []byte {
	start := len(l.before)
	l.joined = append(append(l.joined[:0], l.before...), line...)
	clean, begin := l.continued(start)
	l.remember(start, begin)
	if clean == nil {
		clean = line
	}
	return l.redactor.Bytes(clean)
}

// continued returns the current line, which is at start, without the parts of secrets that begin in the lines before; nil if there
// are none. begin is the offset of the line where a secret begins that the next line may continue, or -1.
func (l *Lines) continued(start int) (clean []byte, begin int) {
	var f find.Finder[[]byte]
	f.Init(l.redactor.search, l.joined, false)
	begin = -1
	last := start
	for sp, ok := f.Next(0); ok; sp, ok = f.Next(sp.End) {
		if sp.End <= start {
			continue
		}
		if sp.Start < start && text.Skip(l.joined, sp.End, len(l.joined), text.Space) == len(l.joined) {
			begin = bytes.LastIndexByte(l.joined[:sp.Start], '\n') + 1
		}
		clean = append(clean, l.joined[last:max(last, sp.Start)]...)
		clean = append(clean, sp.Quote+text.Marker(sp.Kind)+sp.Quote...)
		last = sp.End
	}
	if clean == nil {
		return nil, begin
	}
	return append(clean, l.joined[last:]...), begin
}

// remember keeps the last lines or, if a secret begins on an earlier line and may continue, that line and the current one, which is at start.
func (l *Lines) remember(start, begin int) {
	l.before = l.before[:0]
	if begin >= 0 && begin < start {
		first, _, _ := bytes.Cut(l.joined[begin:], []byte("\n"))
		l.keep(first)
		l.keep(l.joined[start:])
		return
	}
	from := len(l.joined)
	for n := 0; n < maxBefore && from >= 0; n++ {
		from = bytes.LastIndexByte(l.joined[:from], '\n')
	}
	for line := range bytes.SplitSeq(l.joined[from+1:], []byte("\n")) {
		l.keep(line)
	}
}

// keep adds the end of a line to the remembered ones.
func (l *Lines) keep(line []byte) {
	l.before = append(append(l.before, line[max(0, len(line)-maxBeforeLine):]...), '\n')
}
