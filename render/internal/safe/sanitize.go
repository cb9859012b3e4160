package safe

import (
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// Sanitize makes s safe to show on a terminal and in a log: whole escape sequences go with their payload (see
// [events.EscapeLen]), and so do C0 controls but newline and tab, DEL, C1 and bidirectional controls, and characters that
// are not seen: zero width and soft hyphen, tags, fillers, variation selectors. Joiners stay inside emoji and between letters
// of scripts that need them. A lone CR, CRLF, U+0085, U+2028 and U+2029 become one newline each; every byte that is no
// UTF-8 becomes U+FFFD.
//
// The result is valid UTF-8, and Sanitize of it is the same.
func Sanitize(s string) string {
	if isSafe(s) {
		return s
	}
	var z Sanitizer
	return string(z.Finish(z.Append(make([]byte, 0, len(s)), s)))
}

// isSafe reports whether there is nothing to clean in s, as in most texts.
func isSafe(s string) bool { return safePrefix(s) == len(s) }

// safePrefix is how many bytes from the beginning of s can stay as they are: whole characters that are no controls.
func safePrefix(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		if c >= 0x20 && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isPlain(r) {
			i += n
			continue
		}
		if n == 1 || r < 0xa0 || r == 0x2028 || r == 0x2029 || isBidiControl(r) || isInvisible(r) || isContextual(r) {
			break
		}
		i += n
	}
	return i
}

// cleanState is where a Sanitizer is in an escape sequence.
//
//	ground     ESC → escape, U+009B → csi, other C1 introducers → str, else kept or dropped
//	escape     [ → csi, ]PX^_ → str, 0x20-0x2f → nf, 0x30-0x7e ends the sequence, else as ground
//	csi        0x20-0x3f stay, 0x40-0x7e ends, else as ground
//	nf         0x20-0x2f stay, 0x30-0x7e ends, else as ground
//	str        BEL ends, ESC → strEscape, 0xc2 → strC1, newline ends and is kept, else stay
//	strEscape  \ ends, else as escape
//	strC1      0x9c ends, else as str
type cleanState uint8

const (
	cleanGround cleanState = iota
	cleanEscape
	cleanCSI
	cleanNF
	cleanStr
	cleanStrEscape
	cleanStrC1
)

// Sanitizer is [Sanitize] for a text that comes in pieces. What a sequence holds is dropped as it comes, so that no more
// than an unfinished rune and a joiner are kept between two pieces. The zero value is ready.
type Sanitizer struct {
	state  cleanState
	skipLF bool // the last thing seen was a CR, whose newline is written already
	rune   [utf8.UTFMax]byte
	held   int  // bytes in rune: the beginning of one that the next piece may complete
	before rune // the last character that stayed
	joiner rune // comes behind it if it fits what follows; 0 for none
}

// Append adds the safe form of s to dst.
func (z *Sanitizer) Append(dst []byte, s string) []byte {
	if z.held > 0 {
		// Only the few bytes that finish the held rune are copied.
		n := min(len(s), utf8.UTFMax)
		joined := append(z.rune[:z.held:z.held], s[:n]...)
		held := z.held
		z.held = 0
		used := 0
		for used < held {
			if !utf8.FullRune(joined[used:]) && n == len(s) {
				z.hold(string(joined[used:]))
				return dst
			}
			var step int
			dst, step = z.step(dst, string(joined[used:]))
			used += step
		}
		s = s[used-held:]
	}
	for len(s) > 0 {
		if z.state == cleanGround && !z.skipLF && z.joiner == 0 {
			n := safePrefix(s)
			dst = append(dst, s[:n]...)
			z.stayed(s[:n])
			if s = s[n:]; s == "" {
				break
			}
		}
		if s[0] >= utf8.RuneSelf && z.state == cleanGround && !utf8.FullRuneInString(s) {
			z.hold(s)
			return dst
		}
		var n int
		dst, n = z.step(dst, s)
		s = s[n:]
	}
	return dst
}

// Finish ends the text: a rune that was never completed becomes U+FFFD, a sequence that never ended is removed.
func (z *Sanitizer) Finish(dst []byte) []byte {
	for range z.held {
		dst = append(dst, "\uFFFD"...)
	}
	*z = Sanitizer{}
	return dst
}

func (z *Sanitizer) hold(s string) { z.held = copy(z.rune[:], s) }

// step consumes the beginning of s, which is not empty, and returns how many bytes that was.
func (z *Sanitizer) step(dst []byte, s string) ([]byte, int) {
	c := s[0]
	switch z.state {
	case cleanStr:
		switch c {
		case 0x07:
			z.state = cleanGround
		case 0x1b:
			z.state = cleanStrEscape
		case 0xc2:
			z.state = cleanStrC1
		case '\n':
			z.state = cleanGround
			return z.ground(dst, s)
		}
		return dst, 1
	case cleanStrC1:
		if c == 0x9c {
			z.state = cleanGround
			return dst, 1
		}
		z.state = cleanStr
		return dst, 0
	case cleanStrEscape:
		if c == '\\' {
			z.state = cleanGround
			return dst, 1
		}
		z.state = cleanEscape
		return dst, 0
	case cleanEscape:
		switch {
		case c == '[':
			z.state = cleanCSI
		case isStringIntroducer(c):
			z.state = cleanStr
		case c >= 0x20 && c <= 0x2f:
			z.state = cleanNF
		case c >= 0x30 && c <= 0x7e:
			z.state = cleanGround
		default:
			z.state = cleanGround
			return dst, 0
		}
		return dst, 1
	case cleanCSI, cleanNF:
		last := byte(0x3f)
		if z.state == cleanNF {
			last = 0x2f
		}
		if c >= 0x20 && c <= last {
			return dst, 1
		}
		z.state = cleanGround
		if c > last && c <= 0x7e {
			return dst, 1
		}
		return dst, 0
	default:
		return z.ground(dst, s)
	}
}

// ground consumes one rune outside of any sequence, or several plain ones.
func (z *Sanitizer) ground(dst []byte, s string) ([]byte, int) {
	skipLF := z.skipLF
	z.skipLF = false
	switch c := s[0]; {
	case c >= 0x20 && c < 0x7f:
		n := 1
		for n < len(s) && s[n] >= 0x20 && s[n] < 0x7f {
			n++
		}
		z.joiner = 0 // it fits nothing of ASCII
		z.stayed(s[:n])
		return append(dst, s[:n]...), n
	case c == '\n' && skipLF:
		return dst, 1
	case c == '\n' || c == '\t':
		return z.keep(dst, rune(c)), 1
	case c == '\r':
		z.skipLF = true
		return z.keep(dst, '\n'), 1
	case c == 0x1b:
		z.state = cleanEscape
		return dst, 1
	case c < utf8.RuneSelf:
		return dst, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return z.keep(dst, '\n'), n
	case r == 0x9b:
		z.state = cleanCSI
	case r <= 0x9f && r >= 0x80 && isStringIntroducer(byte(r)-0x40):
		z.state = cleanStr
	case r >= 0x80 && r <= 0x9f || isBidiControl(r) || isInvisible(r):
	case r == zwnj || r == zwj:
		if z.joiner == 0 && isVirama(z.before) {
			return z.keep(dst, r), n
		}
		z.joiner = r
	case r == textSelector || r == emojiSelector:
		if z.joiner == 0 && selectorFits(z.before) {
			return z.keep(dst, r), n
		}
	default:
		return z.keep(dst, r), n // U+FFFD where the byte is no UTF-8
	}
	return dst, n
}

// keep adds a character that stays, behind a joiner that fits between it and the one before.
func (z *Sanitizer) keep(dst []byte, r rune) []byte {
	if z.joiner != 0 && joinerFits(z.before, z.joiner, r) {
		dst = utf8.AppendRune(dst, z.joiner)
	}
	z.joiner, z.before = 0, r
	return utf8.AppendRune(dst, r)
}

// stayed notes the last of characters that stay.
func (z *Sanitizer) stayed(s string) {
	if s != "" {
		z.before, _ = utf8.DecodeLastRuneInString(s)
	}
}

// isStringIntroducer reports whether a byte opens a string after an ESC: DCS, SOS, OSC, PM, APC (ECMA-48).
func isStringIntroducer(c byte) bool { return c == 'P' || c == 'X' || c == ']' || c == '^' || c == '_' }

// isBidiControl reports whether a character reorders or isolates what follows it (Unicode 17, Bidi_Control).
func isBidiControl(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// Line is s as one safe line of at most limit runes, the last being "…" where something was cut. Each run of line
// breaks and tabs becomes one blank. It reads no more of s than it must.
func Line(s string, limit int) string {
	if len(s) <= limit && isSafe(s) && !hasBreak(s) {
		return s
	}
	const piece = 512 // bytes read at a time
	var z Sanitizer
	var pieceBuf, lineBuf [piece]byte
	safe, line := pieceBuf[:0], lineBuf[:0]
	runes, blank := 0, false
	for first := true; runes <= limit && (first || s != ""); first = false {
		n := min(piece, len(s))
		safe = z.Append(safe[:0], s[:n])
		if s = s[n:]; s == "" {
			safe = z.Finish(safe)
		}
		for _, r := range string(safe) {
			if r == '\n' || r == '\t' {
				if blank {
					continue
				}
				blank, r = true, ' '
			} else {
				blank = false
			}
			line = utf8.AppendRune(line, r)
			runes++
		}
	}
	cut := events.CutRunes(string(line), limit)
	if rest, ok := strings.CutSuffix(cut, "…"); ok && len(cut) < len(line) {
		return strings.TrimRight(rest, string([]rune{zwj, zwnj})) + "…"
	}
	return cut
}

func hasBreak(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 {
			return true
		}
	}
	return false
}
