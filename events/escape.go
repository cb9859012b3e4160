package events

// Escape is the state of a reader within an escape sequence: CSI, OSC, DCS, SOS, PM, APC, nF or two-byte, in 7-bit or C1 form
// (ECMA-48). An unterminated payload ends at the end of its line, which limits the damage of a torn sequence.
//
//	from          on
//	none          ESC → begun, U+009B → control, other C1 introducers → text: see [EscapeStart]
//	begun         [ → control, ]PX^_ → text, 0x20-0x2f → intermediate, 0x30-0x7e ends it, else it was an ESC alone
//	control       0x20-0x3f stay, 0x40-0x7e ends it, else it is torn
//	intermediate  0x20-0x2f stay, 0x30-0x7e ends it, else it is torn
//	text          BEL ends it, ESC → textEscape, 0xc2 → textC1, a newline ends it and is no part of it, else stay
//	textEscape    \ ends it, else another sequence has begun
//	textC1        0x9c ends it, else as text
type Escape uint8

// EscapeNone is the state outside of any sequence.
const EscapeNone Escape = 0

const (
	escapeBegun Escape = iota + 1
	escapeControl
	escapeIntermediate
	escapeText
	escapeTextEscape
	escapeTextC1
)

// EscapeStart returns the state after r, a character that was read outside of any sequence.
func EscapeStart(r rune) Escape {
	switch {
	case r == 0x1b:
		return escapeBegun
	case r == 0x9b:
		return escapeControl
	case r >= 0x80 && r <= 0x9f && isIntroducer(byte(r)-0x40):
		return escapeText
	}
	return EscapeNone
}

// isIntroducer reports whether a byte that follows ESC begins DCS, SOS, OSC, PM or APC.
func isIntroducer(c byte) bool { return c == 'P' || c == 'X' || c == ']' || c == '^' || c == '_' }

// Next returns the state after c and whether c belongs to the sequence. If it does not, process c again in the new state.
func (e Escape) Next(c byte) (next Escape, taken bool) {
	switch e {
	case escapeBegun:
		switch {
		case c == '[':
			return escapeControl, true
		case isIntroducer(c):
			return escapeText, true
		case c >= 0x20 && c <= 0x2f:
			return escapeIntermediate, true
		}
		return EscapeNone, c >= 0x30 && c <= 0x7e
	case escapeControl, escapeIntermediate:
		last := byte(0x3f)
		if e == escapeIntermediate {
			last = 0x2f
		}
		if c >= 0x20 && c <= last {
			return e, true
		}
		return EscapeNone, c > last && c <= 0x7e
	case escapeText:
		switch c {
		case 0x07:
			return EscapeNone, true
		case 0x1b:
			return escapeTextEscape, true
		case 0xc2:
			return escapeTextC1, true
		case '\n':
			return EscapeNone, false
		}
		return escapeText, true
	case escapeTextEscape:
		if c == '\\' {
			return EscapeNone, true
		}
		return escapeBegun, false
	case escapeTextC1:
		if c == 0x9c {
			return EscapeNone, true
		}
		return escapeText, false
	}
	return EscapeNone, false
}

// EscapeLen returns the length in bytes of the control sequence that s begins with, or 0 if there is none. A control
// sequence is a whole escape sequence with its payload, or a single C0 control, DEL or C1 control. Newline, carriage
// return and tab count as controls of length 1, so that the caller can decide how to treat them.
func EscapeLen(s string) int {
	i := 1
	var state Escape
	switch {
	case s == "":
		return 0
	case s[0] < 0x20 || s[0] == 0x7f:
		state = EscapeStart(rune(s[0]))
	case s[0] == 0xc2 && len(s) > 1 && s[1] >= 0x80 && s[1] <= 0x9f: // C1 controls as UTF-8
		i, state = 2, EscapeStart(rune(s[1]))
	default:
		return 0
	}
	for i < len(s) && state != EscapeNone {
		next, taken := state.Next(s[i])
		if state == escapeTextEscape && !taken {
			return i - 1 // a new sequence began before this one ended
		}
		if state = next; taken {
			i++
		}
	}
	if state == escapeTextEscape {
		return i - 1
	}
	return i
}

// IsInvisible reports whether a character displays nothing by itself: Default_Ignorable_Code_Point of Unicode 17, bidirectional
// controls and the interlinear annotation characters. Such characters can hide words from a person that a program or model
// still reads, or prevent a search from matching.
func IsInvisible(r rune) bool {
	switch {
	case r == 0x00ad, // soft hyphen
		r == 0x034f,                                                                                     // combining grapheme joiner
		r == 0x061c, r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, // bidirectional controls
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, // Khmer vowels that are not written
		r >= 0x180b && r <= 0x180f,                                 // Mongolian selectors and vowel separator
		r >= 0x200b && r <= 0x200d,                                 // zero width space and joiners
		r >= 0x2060 && r <= 0x206f,                                 // word joiner, invisible operators, deprecated format characters
		r >= 0xfe00 && r <= 0xfe0f,                                 // variation selectors
		r == 0xfeff,                                                // byte order mark
		r >= 0xfff0 && r <= 0xfffb,                                 // interlinear annotation
		r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, // shorthand and musical format controls
		r >= 0xe0000 && r <= 0xe0fff: // tags, variation selectors supplement
		return true
	}
	return false
}
