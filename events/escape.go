package events

import "strings"

// EscapeLen is the length in bytes of the control sequence that s begins with, 0 if it begins with none. A sequence is
// a whole escape sequence with its payload (CSI, OSC, DCS, SOS, PM, APC, nF and two-byte ones, in their 7-bit and
// C1 forms; ECMA-48), or a single C0 control, DEL or C1 control. Newline, carriage return and tab count as controls of
// length 1: it is the caller's choice what to make of them.
//
// A payload that never ends is taken up to the end of its line, so that a torn sequence costs no more than that.
func EscapeLen(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == 0x1b:
		return 1 + sequenceLen(s[1:])
	case c < 0x20 || c == 0x7f:
		return 1
	case c == 0xc2 && len(s) > 1 && s[1] >= 0x80 && s[1] <= 0x9f:
		// C1 controls as UTF-8: U+009B is CSI as ESC [ is, and so on.
		if s[1] == 0x9b || isString(s[1]-0x40) {
			return 2 + payloadLen(s[1]-0x40, s[2:])
		}
		return 2
	default:
		return 0
	}
}

// sequenceLen is the length of what follows an ESC.
func sequenceLen(s string) int {
	if s == "" {
		return 0
	}
	switch c := s[0]; {
	case c == '[' || isString(c):
		return 1 + payloadLen(c, s[1:])
	case c >= 0x20 && c <= 0x2f: // nF: intermediates, then one final byte
		i := 1
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			i++
		}
		return i
	case c >= 0x30 && c <= 0x7e:
		return 1
	default: // an ESC alone; what follows is looked at on its own
		return 0
	}
}

// isString reports whether an introducer begins a string sequence: DCS, SOS, OSC, PM, APC.
func isString(c byte) bool { return c == 'P' || c == 'X' || c == ']' || c == '^' || c == '_' }

// payloadLen is the length of what follows an introducer.
func payloadLen(introducer byte, s string) int {
	if introducer == '[' {
		i := 0
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f { // parameters and intermediates
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			i++
		}
		return i
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == 0x07:
			return i + 1
		case s[i] == 0x1b:
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			return i // a new sequence begins before this one ended
		case s[i] == 0xc2 && i+1 < len(s) && s[i+1] == 0x9c: // ST as C1
			return i + 2
		case s[i] == '\n':
			return i
		}
	}
	return len(s)
}
