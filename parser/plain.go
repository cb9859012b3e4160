package parser

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// maxControls bounds the control sequences that are skipped at the beginning of a line, in bytes.
const maxControls = 1 << 10

// IsPlain reports whether a malformed line is text that a program wrote for people, such as the message of a program that fails: it
// neither begins like a record nor ends like one of which the beginning is missing.
func IsPlain(line []byte) bool {
	line = lines.Trim(line)
	for len(line) > 0 && (line[0] < ' ' || line[0] >= 0xc2) {
		n := events.EscapeLen(string(line[:min(len(line), maxControls)]))
		if n == 0 {
			break
		}
		line = lines.Trim(line[n:])
	}
	record := lines.Trim(bytes.TrimPrefix(line, []byte("data:")))
	switch {
	case len(record) == 0:
		return false
	case record[0] == '{':
		return !begins(record[1:], `"}`)
	case record[0] == '[':
		return !begins(record[1:], `{["]`)
	case record[len(record)-1] == '}':
		return bytes.Count(record, []byte("}")) <= bytes.Count(record, []byte("{"))
	}
	return true
}

// begins reports whether the first character of what follows a bracket is one of first, or is missing.
func begins(rest []byte, first string) bool {
	rest = lines.Trim(rest)
	return len(rest) == 0 || bytes.IndexByte([]byte(first), rest[0]) >= 0
}
