package parser

import (
	"maps"

	"github.com/tailspan/tailspan/events"
)

// maxUnknownTypes is how many unknown types are counted by name; all others are counted under OtherTypes.
const maxUnknownTypes = 64

// OtherTypes is the name under which unknown types are counted beyond the first 64.
const OtherTypes = "(other)"

// Stats counts what became of the lines of a stream. Lines = OK + Ignored + Unknown + Malformed + Passed + Held.
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
	// Numbers counts those that no line can have and that were ignored; see [events.IgnoredNumbers].
	Numbers events.IgnoredNumbers
	// UnknownTypes counts the lines of unknown type by the type's name.
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

// clone makes the map the caller's own.
func (s Stats) clone() Stats {
	s.UnknownTypes = maps.Clone(s.UnknownTypes)
	return s
}
