package safe

import (
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// Sanitize makes s safe to show on a terminal and in a log. It removes escape sequences with their payload (see
// [events.EscapeLen]), C0 controls except newline and tab, DEL, C1 and bidirectional controls, and invisible characters: zero
// width and soft hyphen, tags, fillers, variation selectors. It keeps joiners inside emoji and between letters of scripts that
// need them. A lone CR, CRLF, U+0085, U+2028 and U+2029 become one newline each; every byte that is not UTF-8 becomes U+FFFD.
//
// The result is valid UTF-8. Sanitizing it again changes nothing.
func Sanitize(s string) string {
	if isSafe(s) {
		return s
	}
	var z Sanitizer
	return string(z.Finish(z.Append(make([]byte, 0, len(s)), s)))
}

// isSafe reports whether s needs no cleaning, as most texts.
func isSafe(s string) bool { return safePrefix(s) == len(s) }

// safePrefix returns the length of the beginning of s that needs no cleaning: whole characters that are not controls.
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
		if n == 1 || r < 0xa0 || r == 0x2028 || r == 0x2029 || events.IsInvisible(r) {
			break
		}
		i += n
	}
	return i
}

// Sanitizer is [Sanitize] for a text that arrives in pieces. It drops the contents of a sequence immediately, so between
// two pieces it only keeps an unfinished rune and a joiner. The zero value is ready to use.
type Sanitizer struct {
	state  events.Escape // in an escape sequence, if in any
	skipLF bool          // the last character was a CR, whose newline is already written
	rune   [utf8.UTFMax]byte
	held   int  // bytes in rune: the beginning of one that the next piece may complete
	before rune // the last character that was kept
	joiner rune // kept after before if it fits the next character; 0 for none
}

// Append appends the safe form of s to dst.
func (z *Sanitizer) Append(dst []byte, s string) []byte {
	if z.held > 0 {
		// Copy only the few bytes that complete the held rune.
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
		if z.state == events.EscapeNone && !z.skipLF && z.joiner == 0 {
			n := safePrefix(s)
			dst = append(dst, s[:n]...)
			z.stayed(s[:n])
			if s = s[n:]; s == "" {
				break
			}
		}
		if s[0] >= utf8.RuneSelf && z.state == events.EscapeNone && !utf8.FullRuneInString(s) {
			z.hold(s)
			return dst
		}
		var n int
		dst, n = z.step(dst, s)
		s = s[n:]
	}
	return dst
}

// Finish ends the text: an incomplete rune becomes U+FFFD, and an unterminated sequence is removed.
func (z *Sanitizer) Finish(dst []byte) []byte {
	for range z.held {
		dst = append(dst, "\uFFFD"...)
	}
	*z = Sanitizer{}
	return dst
}

func (z *Sanitizer) hold(s string) { z.held = copy(z.rune[:], s) }

// step consumes the beginning of s, which is not empty, and returns the number of bytes consumed.
func (z *Sanitizer) step(dst []byte, s string) ([]byte, int) {
	if z.state == events.EscapeNone {
		return z.ground(dst, s)
	}
	var taken bool
	if z.state, taken = z.state.Next(s[0]); taken {
		return dst, 1
	}
	return dst, 0
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
		z.joiner = 0 // it fits no ASCII character
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
		z.state = events.EscapeStart(0x1b)
		return dst, 1
	case c < utf8.RuneSelf:
		return dst, 1
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == 0x85 || r == 0x2028 || r == 0x2029:
		return z.keep(dst, '\n'), n
	case r >= 0x80 && r <= 0x9f:
		z.state = events.EscapeStart(r)
	case r == zwnj || r == zwj:
		if z.joiner == 0 && isVirama(z.before) {
			return z.keep(dst, r), n
		}
		z.joiner = r
	case r == textSelector || r == emojiSelector:
		if z.joiner == 0 && selectorFits(z.before) {
			return z.keep(dst, r), n
		}
	case events.IsInvisible(r):
	default:
		return z.keep(dst, r), n // U+FFFD if the byte is not UTF-8
	}
	return dst, n
}

// keep appends a character, after a joiner if that fits between it and the one before.
func (z *Sanitizer) keep(dst []byte, r rune) []byte {
	if z.joiner != 0 && joinerFits(z.before, z.joiner, r) {
		dst = utf8.AppendRune(dst, z.joiner)
	}
	z.joiner, z.before = 0, r
	return utf8.AppendRune(dst, r)
}

// stayed records the last of several kept characters.
func (z *Sanitizer) stayed(s string) {
	if s != "" {
		z.before, _ = utf8.DecodeLastRuneInString(s)
	}
}

// Line returns s as one safe line of at most limit runes; the last one is "…" if it cut. Each sequence of line
// breaks and tabs becomes one blank. It reads no more of s than necessary.
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
