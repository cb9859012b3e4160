package lines

import (
	"bytes"
	"unicode"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// maxSummaryBytes is how much of a line is looked at for its summary: a little more than what is shown.
const maxSummaryBytes = 4 << 10

// Blank reports whether text is white space alone.
func Blank(text string) bool {
	for _, c := range text {
		if !unicode.IsSpace(c) {
			return false
		}
	}
	return true
}

// Summary is the first line of text that says something, as [events.Summary] has it, in the memory of a: no text that
// can be many megabytes long is copied for a word of it.
func Summary(a *scan.Strings, text []byte) string {
	for len(text) > 0 {
		line := text
		if i := lineEnd(text); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if s := events.Summary(a.Copy(summaryHead(line))); s != "" {
			return s
		}
	}
	return ""
}

// lineEnd is where the first line of text ends; -1 if there is no more than one.
func lineEnd(text []byte) int {
	i := bytes.IndexByte(text, '\n')
	if i < 0 {
		return bytes.IndexByte(text, '\r')
	}
	if r := bytes.IndexByte(text[:i], '\r'); r >= 0 {
		return r
	}
	return i
}

// summaryHead gives the part of a line that its summary is made of. Of a line of plain ASCII that is what will be seen
// of it and one character more, which shows that it goes on; what is no such line may lose much in cleaning.
func summaryHead(line []byte) []byte {
	const seen = events.SummaryRunes + 1
	if len(line) > seen && line[seen-1] != ' ' && isPlain(line[:seen]) {
		return line[:seen]
	}
	if len(line) > maxSummaryBytes {
		return bytes.ToValidUTF8(line[:maxSummaryBytes], nil)
	}
	return line
}

// isPlain reports whether line is printable ASCII.
func isPlain(line []byte) bool {
	for _, c := range line {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
