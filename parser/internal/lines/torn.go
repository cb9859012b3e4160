package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// BehindTorn is where the whole records begin behind a torn one on the same line; len(line) if there are none. A line that
// was torn, by a crash or on a full disk, has no newline, so what is written next is behind it.
//
// What could be a value in the torn record is taken for a record only if it begins with the same key: a line that was torn
// just before its last bracket ends with an object too.
func BehindTorn(line []byte) int {
	begun := bytes.TrimLeft(bytes.TrimPrefix(Trim(line), dataField), " \t")
	if len(begun) == 0 || begun[0] != '{' {
		return len(line) // no record was begun: it is a message of a program, which may end with an object
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

// dataField is before the data of a server-sent event.
var dataField = []byte("data:")

// firstKey is the first key of an object, as in the line.
func firstKey(object []byte) []byte {
	var s scan.Scanner
	s.Reset(object)
	if !s.Object() || !s.Key() {
		return nil
	}
	return s.Name()
}
