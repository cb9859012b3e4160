package lines

import "unicode"

// maxSummaryBytes is the number of bytes of a line that are used for its summary: somewhat more than is shown.
const maxSummaryBytes = 4 << 10

// Blank reports whether text consists of white space.
func Blank(text string) bool {
	for _, c := range text {
		if !unicode.IsSpace(c) {
			return false
		}
	}
	return true
}
