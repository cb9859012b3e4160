package lines

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Objects calls read for each object of a line: one object, several in sequence because a newline is missing,
// or an array of them. When read is called, s is before the object. trim removes what can precede an object,
// as [Trim] does. Anything that is not an object makes the line malformed.
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

// elements calls read for each object of an array, which somebody made from the lines of a file.
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
