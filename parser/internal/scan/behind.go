package scan

import "bytes"

// LastObject is where the object begins that ends data; false if none does, or if it is malformed. It is found from its
// end, since only there it is known what is in a string: each byte of it is looked at once that way, and once by a
// [Scanner]; without one, each byte of data once.
func LastObject(data []byte) (at int, ok bool) {
	data = data[:blanksBegin(data, len(data))]
	if at = objectBegin(data); at < 0 {
		return 0, false
	}
	var s Scanner
	s.Reset(data[at:])
	s.Skip()
	return at, s.Err() == nil && len(s.Rest()) == 0
}

// InValue reports whether what begins at the offset could be a value in the object or array before it.
func InValue(line []byte, at int) bool {
	at = blanksBegin(line, at)
	return at > 0 && bytes.IndexByte([]byte(":,["), line[at-1]) >= 0
}

// blanksBegin is where the blanks before end begin.
func blanksBegin(data []byte, end int) int {
	for end > 0 && data[end-1] <= ' ' {
		end--
	}
	return end
}

// objectBegin is where the object begins that ends with data; -1 if none does.
func objectBegin(data []byte) int {
	if len(data) == 0 || data[len(data)-1] != '}' {
		return -1
	}
	depth := 0
	for i := len(data) - 1; i >= 0; i-- {
		switch data[i] {
		case '}', ']':
			depth++
		case '{', '[':
			if depth--; depth == 0 {
				return i
			}
		case '"':
			if i = quoteBefore(data, i); i < 0 {
				return -1
			}
		}
	}
	return -1
}

// quoteBefore is where the string begins whose closing quote is at end: a quote with an even number of backslashes before
// it; -1 if there is none.
func quoteBefore(data []byte, end int) int {
	for i := end; ; {
		if i = bytes.LastIndexByte(data[:i], '"'); i < 0 || startsEscape(data, i) {
			return i
		}
	}
}
