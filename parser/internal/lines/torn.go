package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// BehindTorn returns the offset of the whole records that follow a torn record on the same line, or len(line) if there are
// none. A record that was torn by a crash or a full disk has no newline, so the next record follows it directly.
//
// An object that could be a value in the torn record counts as a record only if it begins with the same key, because a
// line that was torn just before its last bracket also ends with an object.
func BehindTorn(line []byte) int {
	begun := bytes.TrimLeft(bytes.TrimPrefix(Trim(line), dataField), " \t")
	if len(begun) == 0 || begun[0] != '{' {
		return len(line) // not a record but a program's message, which may end with an object
	}
	begin, whole := bytes.IndexByte(line, '{'), len(line)
	for {
		at, ok := scan.LastObject(line[:whole])
		if !ok || at <= begin {
			return whole
		}
		if before, event := bytes.CutSuffix(bytes.TrimRight(line[:at], " "), dataField); event && len(before) > begin {
			return len(before)
		}
		if scan.InValue(line, at) && !bytes.Equal(firstKey(line[at:]), firstKey(begun)) {
			return whole
		}
		whole = at
	}
}

// dataField precedes the data of a server-sent event.
var dataField = []byte("data:")

// firstKey returns the first key of an object, still escaped.
func firstKey(object []byte) []byte {
	var s scan.Scanner
	s.Reset(object)
	if !s.Object() || !s.Key() {
		return nil
	}
	return s.Name()
}
