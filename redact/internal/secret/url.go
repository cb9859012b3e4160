package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

const maxAuthority = 1 << 10

// URLAt finds the password of scheme://user:password@host, whose "://" is at i. User and host are kept. A user
// without a password is a secret if it looks like a key.
func (r *Rules[T]) URLAt(i int) (text.Span, bool) {
	if i == 0 || !text.Is(r.S[i-1], text.Alnum) {
		return text.Span{}, false
	}
	start := i + len("://")
	colon, at, slash := -1, -1, -1
	end := start
	for limit := min(len(r.S), start+maxAuthority); end < limit && !text.Is(r.S[end], text.URLEnd); end++ {
		switch c := r.S[end]; {
		case c == '@':
			at = end
		case c == ':' && colon < 0 && slash < 0:
			colon = end
		case (c == '/' || c == '?' || c == '#') && slash < 0:
			slash = end
			if at >= 0 || colon < 0 {
				return r.userInfo(start, colon, at)
			}
			// The part before the slash may be host and port, or a password that contains a slash.
			if text.Skip(r.S, colon+1, end, text.Digit) == end {
				return text.Span{}, false
			}
		}
	}
	if end < len(r.S) && r.S[end] == '\\' && colon >= 0 {
		if c, n := text.EscapeAt(r.S, end); n > 0 && !text.Is(c, text.URLEnd) { // postgres://user:pass\u002Bword@host
			r.Escapes = true
		}
	}
	if at < 0 && r.TouchesCut(end) && colon > 0 && text.Skip(r.S, colon+1, end, text.Digit) < end {
		at = end
	}
	return r.userInfo(start, colon, at)
}

// SourceNameAt finds the password of user:password@tcp(host)/database, the form of Go's driver for MySQL, whose "@" is at i.
func (r *Rules[T]) SourceNameAt(i int) (text.Span, bool) {
	colon := -1
	for j := i; j > r.From && i-j < maxAuthority && !text.Is(r.S[j-1], text.Space|text.Quote); j-- {
		if r.S[j-1] == ':' {
			colon = j - 1
		}
	}
	return text.Span{Start: colon + 1, End: i}, colon > 0 && i-colon > 1 && !r.isPlaceholder(colon+1, i)
}

func (r *Rules[T]) userInfo(start, colon, at int) (text.Span, bool) {
	if at < 0 {
		return text.Span{}, false
	}
	if colon >= 0 && colon < at {
		sp := text.Span{Start: colon + 1, End: at}
		return sp, at-colon > 1 && !r.isPlaceholder(colon+1, at)
	}
	return text.Span{Start: start, End: at}, at-start >= 20 && text.MixOf(r.S, start, at).Random() && text.IndexIn(r.S, start, at, ".", false) < 0
}
