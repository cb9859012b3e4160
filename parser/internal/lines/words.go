package lines

import (
	"bytes"
	"unicode"

	"github.com/tailspan/tailspan/events"
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

// Summary is the first line of text that says something, as [events.Summary] has it, without a copy of a text that can
// be many megabytes long.
func Summary(text []byte) string {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if len(line) > maxSummaryBytes {
			line = bytes.ToValidUTF8(line[:maxSummaryBytes], nil)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if s := events.Summary(string(line)); s != "" {
				return s
			}
		}
	}
	return ""
}
