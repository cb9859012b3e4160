package abridge

// ellipsis ends a string that was cut.
const ellipsis = "…"

// string handles bytes of the current string, and returns how many.
func (a *Abridger) string(piece []byte) int {
	t := &a.text
	for i, c := range piece {
		inside := t.escape > 0 || c&0xc0 == 0x80
		switch {
		case t.escape == escapeLetter:
			if t.escape = 0; c == 'u' {
				t.escape = escapeDigits
			}
		case t.escape > escapeLetter && isHex(c):
			if t.escape--; t.escape == escapeLetter {
				t.escape = 0
			}
		case c == '\\':
			t.escape = escapeLetter
		case c == '"':
			a.endString()
			return i + 1
		default:
			t.escape = 0
		}
		if t.keep >= 0 && !t.cut {
			a.keep(c, inside)
		}
	}
	return len(piece)
}

// What remains of an escape: its letter, or some of the four digits after \u.
const (
	escapeLetter = 1
	escapeDigits = escapeLetter + 4
)

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// longestRest is the maximum length of the rest of a character, in an escape or in UTF-8.
const longestRest = 5

// keep appends a byte of the string if it is among those kept. A string is cut before a character, never inside one.
func (a *Abridger) keep(c byte, inside bool) {
	t := &a.text
	switch {
	case t.keep > 0:
		t.keep--
	case inside && t.over < longestRest:
		t.over++
	default:
		t.cut = true
		return
	}
	a.out = append(a.out, c)
}

func (a *Abridger) endString() {
	t := &a.text
	t.open = false
	if a.dropped > 0 {
		return
	}
	if t.keep >= 0 {
		if t.cut {
			a.out = append(a.out, ellipsis...)
		}
		a.out = append(a.out, '"')
	}
	if t.key {
		a.state = stateColon
	} else {
		a.state = stateNext
	}
}

// skip handles bytes of a dropped value, outside of its strings, and returns how many.
func (a *Abridger) skip(piece []byte) int {
	for i, c := range piece {
		switch c {
		case '{', '[':
			a.dropped++
		case '}', ']':
			if a.dropped--; a.dropped == 0 {
				return i + 1
			}
		case '"':
			a.text = text{open: true, keep: -1}
			return i + 1
		}
	}
	return len(piece)
}
