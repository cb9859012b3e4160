package lines

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Objects goes over the objects of a line: one, several that follow each other for want of a newline, or an
// array of them. read takes the object that s is before. trim takes off
// what can precede an object, such as [Trim]. What is no object makes the line malformed.
func Objects(s *scan.Scanner, v *Verdict, line []byte, trim func([]byte) []byte, read func()) {
	for line = trim(line); len(line) > 0; line = trim(line) {
		s.Reset(line)
		switch s.Peek() {
		case scan.KindObject:
			read()
		case scan.KindArray:
			elements(s, v, read)
		default:
			v.Note(events.LineMalformed)
			return
		}
		if s.Err() != nil {
			v.Note(events.LineMalformed)
			return
		}
		line = s.Rest()
	}
}

// elements goes over the objects of an array, which somebody put the lines of a file into.
func elements(s *scan.Scanner, v *Verdict, read func()) {
	objects, others := 0, 0
	for s.Array(); s.Element(); {
		if s.Peek() == scan.KindObject {
			objects++
			read()
		} else {
			others++
			s.Skip()
		}
	}
	if objects == 0 || others > 0 {
		v.Note(events.LineMalformed)
	}
}
