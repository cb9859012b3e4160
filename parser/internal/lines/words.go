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
