package parser

import (
	"maps"

	"github.com/tailspan/tailspan/events"
)

// maxUnknownTypes limits the unknown types that are counted by name; the others are counted as OtherTypes.
const maxUnknownTypes = 64

// OtherTypes is the name under which further unknown types are counted, after the first 64.
const OtherTypes = "(other)"

// Stats counts the lines of a stream by status. Lines = OK + Ignored + Unknown + Malformed + Passed + Held.
type Stats struct {
	Lines     int
	Events    int
	OK        int
	Ignored   int
	Unknown   int
	Malformed int
	Passed    int
	Held      int
	// Dropped counts texts in pieces that were never completed and had to be dropped.
	Dropped int
	// Numbers counts the implausible numbers that were ignored; see [events.IgnoredNumbers].
	Numbers events.IgnoredNumbers
	// UnknownTypes counts the lines of unknown type by the name of the type.
	UnknownTypes map[string]int
}

func (s *Stats) count(status events.LineStatus, unknown string, made int) {
	s.Events += made
	switch status {
	case events.LineOK:
		s.OK++
	case events.LineIgnored:
		s.Ignored++
	case events.LineMalformed:
		s.Malformed++
	case events.LinePassed:
		s.Passed++
	case events.LineUnknownType:
		s.Unknown++
		if s.UnknownTypes == nil {
			s.UnknownTypes = map[string]int{}
		}
		if _, ok := s.UnknownTypes[unknown]; !ok && len(s.UnknownTypes) >= maxUnknownTypes {
			unknown = OtherTypes
		}
		s.UnknownTypes[unknown]++
	}
}

// Since returns the counts since an earlier state of them.
func (s *Stats) Since(before *Stats) Stats {
	d := s.clone()
	d.Lines -= before.Lines
	d.Events -= before.Events
	d.OK -= before.OK
	d.Ignored -= before.Ignored
	d.Unknown -= before.Unknown
	d.Malformed -= before.Malformed
	d.Passed -= before.Passed
	d.Dropped -= before.Dropped
	for kind := range d.Numbers {
		d.Numbers[kind] -= before.Numbers[kind]
	}
	for name, n := range before.UnknownTypes {
		if d.UnknownTypes[name] -= n; d.UnknownTypes[name] == 0 {
			delete(d.UnknownTypes, name)
		}
	}
	return d
}

// clone returns a copy with a map of its own.
func (s Stats) clone() Stats {
	s.UnknownTypes = maps.Clone(s.UnknownTypes)
	return s
}
