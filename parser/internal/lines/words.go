package lines

import "unicode"

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
	s, _ := summaryOf(nil, text, true)
	return s
}
