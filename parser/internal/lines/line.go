package lines

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Trim removes blanks from a line, the byte order mark of a file's first line, and the NUL bytes that a crash can
// leave at the end of a file.
func Trim(line []byte) []byte {
	for line = trim(line); bytes.HasPrefix(line, byteOrderMark); {
		line = trim(line[len(byteOrderMark):])
	}
	return line
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func trim(line []byte) []byte {
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	for n := len(line); n > 0 && isBlank(line[n-1]); n = len(line) {
		line = line[:n-1]
	}
	return line
}

func isBlank(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0)
}

// Verdict is the status of a line. If a line holds several objects, the most informative status counts.
type Verdict struct {
	Status events.LineStatus
	// Unknown names the type if Status is LineUnknownType.
	Unknown string
}

// Note sets the status to s if s is more informative.
func (v *Verdict) Note(s events.LineStatus) {
	if rank(s) > rank(v.Status) {
		v.Status = s
	}
}

func rank(s events.LineStatus) int {
	switch s {
	case events.LineMalformed:
		return 3
	case events.LineOK:
		return 2
	case events.LineUnknownType:
		return 1
	default:
		return 0
	}
}

// maxTypeName is the maximum length of the name of an unknown type, in bytes.
const maxTypeName = 64

// TypeName returns the name of an unknown type: prefix and the raw type, cleaned and cut because it comes from the
// input, or "(none)" if the type is missing.
func TypeName(prefix string, kind []byte) string {
	if len(kind) == 0 {
		return prefix + "(none)"
	}
	return prefix + events.CleanLine(string(scan.AppendString(nil, kind[:min(len(kind), maxTypeName)])), maxTypeName)
}
